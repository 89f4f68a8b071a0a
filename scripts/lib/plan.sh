# shellcheck shell=bash
# plan.sh - choose the stack method and the sampling frequency, so that a recording of mode cpu stays below --max-size
#
# The choice is made once per target and machine and stored in the results folder, .plans/KEY, so that later runs of the
# target are comparable.  It is repeated with --replan, and after a run whose recording reached its limit.
#
#     method        fp, dwarf or lbr, chosen from the program's files (objects.sh)
#     CPU seconds   those of the target's last run of mode cpu here, otherwise --duration times --cpus, otherwise 30 s of all
#                   CPUs
#     copy          the largest of 8192, 4096, 2048, 1024 bytes with which 5,000 samples fit, or all samples of the
#                   requested frequency; a share of 1 % then has an error of 0.14 points
#     frequency     the highest one up to 997 that fits; primes, to avoid resonance with the program.  For an unknown
#                   program at least 499, because most programs take less than 30 s of all CPUs
#
# A sample with a stack copy takes the copy and about 256 bytes, without one about 170 bytes, and compressed at most a third
# (measured: docs/profiling.md, "What each mode costs").  The size of a recording is that times CPU seconds times frequency.
#
# Options and hotdrift.ini override the choice.  A plan is an estimate: at --max-size the recording ends, CMD continues, and
# the run is marked failed, because a truncated run is not comparable with a complete one.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

enough_samples=5000
sample_bytes=256 chain_bytes=170
least_freq=11 unknown_freq=499
plan_primes=(997 797 599 499 397 307 251 199 149 97 79 61 47 37 29 23 19 17 13 11)

# size_bytes TEXT: print a size such as 100M in bytes, as perf parses it.  1: invalid.
size_bytes() {
	local number shift=0

	[[ $1 =~ ^([1-9][0-9]{0,11})([BKMG]?)$ ]] || return 1
	number=${BASH_REMATCH[1]}
	case ${BASH_REMATCH[2]} in
	K) shift=10 ;;
	M) shift=20 ;;
	G) shift=30 ;;
	esac
	[ "$number" -le $((1 << (45 - shift))) ] || return 1	# 32 TiB
	printf '%s' $((number << shift))
}

# shown_size BYTES: print a size, rounded down: 100 MiB
shown_size() {
	if [ "$1" -ge 10485760 ]; then
		printf '%s MiB' $(($1 >> 20))
	else
		printf '%s KiB' $(($1 >> 10))
	fi
}

# of_json KEY FILE: print a number or a word of a run.json, which has one key per line
of_json() { sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\}\(,.*\)\{0,1\}\$/\1/p" "$2"; }

# Set `cpu_ms` from the newest successful run of the target and mode in the results folder.  1: there is none.
last_run_ms() {
	local files=("$results"/*/run.json) file i samples hz word

	word=$(json_string "$target")
	# Names start with the time, so the newest is the last.
	for ((i = ${#files[@]} - 1; i >= 0; i--)); do
		file=${files[i]}
		if ! [ -f "$file" ] || ! grep -q -F -x -e "  \"target\": $word," -- "$file" || [ "$(of_json mode "$file")" != "$mode" ]; then
			continue
		fi
		samples=$(of_json samples "$file") hz=$(of_json freq "$file")
		if [[ $(of_json cpu_seconds "$file") =~ ^([0-9]{1,7})\.([0-9]{3})$ ]]; then
			cpu_ms=$((BASH_REMATCH[1] * 1000 + 10#${BASH_REMATCH[2]}))
			return 0
		elif [ "$(of_json status "$file")" = ok ] && [[ $samples =~ ^[1-9][0-9]{0,9}$ ]] && [[ $hz =~ ^[1-9][0-9]{0,6}$ ]]; then
			cpu_ms=$((samples * 1000 / hz))
			return 0
		fi
	done
	return 1
}

# Set `cpu_ms`, `plan_from` to a description of its source, and `guessed` if the program is unknown.
expect_cpu() {
	local all

	all=$(nproc 2>/dev/null || echo 1)
	guessed=no
	if [ -z "$duration$cpus" ] && last_run_ms; then
		plan_from="the CPU time of the target's last run"
	else
		[ -n "$duration" ] || guessed=yes
		cpu_ms=$((${duration:-30} * ${cpus:-$all} * 1000))
		plan_from="${duration:-30} s of ${cpus:-$all} busy CPU"
		[ "${cpus:-$all}" = 1 ] || plan_from+=s
		[ -n "$duration" ] && [ -n "$cpus" ] || plan_from+=" (assumed: --duration, --cpus)"
	fi
	[ "$cpu_ms" -gt 0 ] || cpu_ms=1
	[ "$cpu_ms" -le 10000000000 ] || cpu_ms=10000000000
}

# fitting_freq SAMPLE-BYTES: print the frequency with which the run fits, or 0
fitting_freq() {
	local most=$((budget * 1000 / ($1 * cpu_ms))) f

	if [ "$most" -ge "$freq" ]; then
		printf '%s' "$freq"
		return
	fi
	for f in "${plan_primes[@]}"; do
		if [ "$f" -le "$most" ] && [ "$f" -lt "$freq" ]; then
			printf '%s' "$f"
			return
		fi
	done
	printf '0'
}

# Set `stack_bytes` (empty: no copies) and, unless they were given, `freq` and the size in `call_graph`.
stack_bytes='' plan_from=''
choose_rate() {
	local copies=(8192 4096 2048 1024) copy f chosen=0 need least=$least_freq

	budget=$((max_bytes * 9 / 10))
	expect_cpu
	if [ "$guessed$freq_given" = yesno ]; then
		least=$unknown_freq copies=(8192 4096 2048)
	fi
	case $call_graph in
	dwarf) ;;
	dwarf,*) copies=("${call_graph#dwarf,}") ;;
	*) copies=('') ;;
	esac
	need=$((freq * cpu_ms / 1000))
	[ "$need" -le "$enough_samples" ] || need=$enough_samples
	for copy in "${copies[@]}"; do
		each=$((${copy:-0} ? copy + sample_bytes : chain_bytes))
		[ -z "$compress" ] || each=$((each / 3))
		f=$(fitting_freq "$each")
		stack_bytes=$copy chosen=$f
		[ "$freq_given" = no ] || [ "$f" = "$freq" ] || chosen=0
		[ "$chosen" -lt "$least" ] || [ "$budget" -lt $((each * need)) ] || break
	done
	[ "$freq_given" = yes ] || freq=$((chosen > least ? chosen : least))
	[ -z "$stack_bytes" ] || call_graph=dwarf,$stack_bytes
}

# Print the file name of the choice, which depends on the target, the machine and the options.
plan_key() {
	local line model=''

	while read -r line; do
		case $line in 'model name'*) model=${line#*: }; break ;; esac
	done 2>/dev/null </proc/cpuinfo
	printf '%s\n' "$target" "$mode" "$HOSTTYPE" "$(nproc 2>/dev/null)" "$model" \
		"$event" "$freq_given:$freq" "$call_graph" "$max_bytes" "$duration" "$cpus" "$compress" | sha256sum | cut -c 1-16
}

# Use a stored choice.  1: there is none, or --replan is given.
recall_plan() {
	local file=$results/.plans/$plan_name hz how

	[ "$replan" = no ] && [ -f "$file" ] || return 1
	hz=$(sed -n 's/^freq=//p' "$file") how=$(sed -n 's/^call_graph=//p' "$file")
	[[ $hz =~ ^[1-9][0-9]{0,6}$ ]] && [[ $how =~ ^(fp|lbr|dwarf,[1-9][0-9]{0,4})$ ]] || return 1
	freq=$hz call_graph=$how
	case $how in
	dwarf,*) stack_bytes=${how#dwarf,} ;;
	esac
	plan_why="as chosen for $target at $(sed -n 's/^made=//p' "$file"): $(sed -n 's/^why=//p' "$file"); --replan chooses anew"
}

# Choose what no option gave: the method of `auto`, the size of copies, the frequency.
plan_name='' plan_why='' plan_new=no
plan_recording() {
	soften_limit
	plan_name=$(plan_key)
	recall_plan && return 0
	plan_new=yes
	[ "$call_graph" != auto ] || choose_method
	choose_rate
}

# Store the choice for later runs, once a recording was made.
keep_plan() {
	local folder=$results/.plans

	[ "$plan_new" = yes ] || return 0
	if [ ! -d "$folder" ]; then
		mkdir -- "$folder" || return 0
		printf '*\n' >"$folder/.gitignore"
	fi
	printf 'call_graph=%s\nfreq=%s\nmade=%s\nwhy=%s\n' "$call_graph" "$freq" "$started" "${method_why:-given}" >"$folder/.new.$$" || return 0
	mv -f -- "$folder/.new.$$" "$folder/$plan_name"
}

# The recording reached its limit: the next run chooses again, with the CPU time of this one.
forget_plan() { [ -z "$plan_name" ] || rm -f -- "$results/.plans/$plan_name"; }

say_plan() {
	local bytes what="${call_graph%%,*} at $freq Hz" size=''

	[ -n "$plan_name" ] || return 0
	[ -z "$stack_bytes" ] || what="dwarf, copies of $stack_bytes bytes of stack at $freq Hz"
	if [ "$plan_new" = no ]; then
		say "$what, $plan_why"
		return
	fi
	bytes=$((each * (freq * cpu_ms / 1000)))
	size="about $(shown_size "$bytes") for $plan_from; the recording ends at $(shown_size "$max_bytes") (--max-size)"
	if [ "$bytes" -gt "$budget" ] && [ "$guessed" = no ]; then
		warn "$what would take $(shown_size "$bytes") for $plan_from, and the recording ends at $(shown_size "$max_bytes") (--max-size)"
	elif [ -n "$stack_bytes$method_why" ] || [ "$freq" != 997 ]; then
		[ -n "$stack_bytes" ] || [ "$freq" != 997 ] || size=''
		say "$what${method_why:+, because $method_why}${size:+: $size}"
	fi
}

# stopped_at FILE BYTES: return 0 if perf stopped at its limit.  The size of the data section, at offset 48, then reaches it.
stopped_at() {
	local bytes

	bytes=$(od -An -t u8 -j 48 -N 8 -- "$1" 2>/dev/null | tr -d ' \n') || return 1
	[[ $bytes =~ ^[0-9]{1,18}$ ]] && [ "$bytes" -ge "$2" ]
}

stopped_at_size() { [ "$limit" = size ] && stopped_at "$recording" "$max_bytes"; }
