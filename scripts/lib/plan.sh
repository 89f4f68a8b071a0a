# shellcheck shell=bash
# plan.sh - choose the stack method and the sampling frequency, so that a recording of mode cpu stays below --max-size
#
# The choice is made once per target and machine and stored in the results folder, .plans/KEY, so that later runs of the
# target are comparable.  It is repeated with --replan, and after a run whose recording reached its limit.
#
#     method        fp, dwarf or lbr, chosen from the program's files (objects.sh)
#     CPU seconds   --duration times --cpus if either is given (defaults: 30 s, all CPUs), otherwise those of the
#                   target's last run of mode cpu here, otherwise 30 s of all CPUs
#     copy          the largest of 8192, 4096, 2048, 1024 bytes (not 1024 for an unknown program) with which 5,000
#                   samples fit, or all samples of the requested frequency; a share of 1 % then has an error of
#                   0.14 points
#     frequency     the highest one up to 997 that fits; primes, to avoid resonance with the program.  For an unknown
#                   program at least 499, because most programs take less than 30 s of all CPUs
#
# A sample with a stack copy takes the copy and about 256 bytes, without one about 170 bytes, and compressed at most a
# third (measured: docs/profiling.md, "What each mode costs").  The size of a recording is that times CPU seconds times
# frequency.  It fits if it is at most 90 % of --max-size.
#
# Options and hotdrift.ini override the choice.  A plan is an estimate: at --max-size the recording ends, CMD continues,
# and the run is marked failed, because a truncated run is not comparable with a complete one.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

enough_samples=5000
sample_bytes=256 chain_bytes=170
least_freq=11 unknown_freq=499
plan_primes=(997 797 599 499 397 307 251 199 149 97 79 61 47 37 29 23 19 17 13 11)

# size_bytes VARIABLE TEXT: set VARIABLE to a size such as 100M in bytes, as perf parses it.  Returns 1 if TEXT is
# invalid.
size_bytes() {
	local number shift=0

	[[ $2 =~ ^([1-9][0-9]{0,11})([BKMG]?)$ ]] || return 1
	number=${BASH_REMATCH[1]}
	case ${BASH_REMATCH[2]} in
	K) shift=10 ;;
	M) shift=20 ;;
	G) shift=30 ;;
	esac
	[ "$number" -le $((1 << (45 - shift))) ] || return 1	# 32 TiB
	printf -v "$1" %d $((number << shift))
}

# shown_size VARIABLE BYTES: set VARIABLE to the size as text, rounded down: 100 MiB
shown_size() {
	if [ "$2" -ge 10485760 ]; then
		printf -v "$1" '%s MiB' $(($2 >> 20))
	else
		printf -v "$1" '%s KiB' $(($2 >> 10))
	fi
}

# Set `cpu_ms` from the newest run of the target and mode in the results folder that states its CPU time or, if it was
# successful, its samples and frequency.  Returns 1 if there is none.
last_run_ms() {
	local files=("$results"/*/run.json) file i samples hz word

	word=$(json_string "$target")
	# Names start with the time, so the newest is the last.
	for ((i = ${#files[@]} - 1; i >= 0; i--)); do
		file=${files[i]}
		[ -f "$file" ] || continue
		read_json "$file"
		[ "${json[target]:-}:${json[mode]:-}" = "$word:\"$mode\"" ] || continue
		samples=${json[samples]:-} hz=${json[freq]:-}
		if [[ ${json[cpu_seconds]:-} =~ ^([0-9]{1,7})\.([0-9]{3})$ ]]; then
			cpu_ms=$((BASH_REMATCH[1] * 1000 + 10#${BASH_REMATCH[2]}))
			return 0
		elif [ "${json[status]:-}" = '"ok"' ] && [[ $samples =~ ^[1-9][0-9]{0,9}$ ]] &&
			[[ $hz =~ ^[1-9][0-9]{0,6}$ ]]; then
			cpu_ms=$((samples * 1000 / hz))
			return 0
		fi
	done
	return 1
}

# Set `cpu_ms`, `plan_from` to a description of its source, and `guessed` if the program is unknown.
expect_cpu() {
	local all=$processors

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

# fitting_freq VARIABLE SAMPLE-BYTES: set VARIABLE to the highest frequency with which the run fits, or 0
fitting_freq() {
	local most=$((budget * 1000 / ($2 * cpu_ms))) hz

	for hz in "$freq" "${plan_primes[@]}" 0; do
		[ "$hz" -gt "$most" ] || [ "$hz" -gt "$freq" ] || break
	done
	printf -v "$1" %s "$hz"
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
		fitting_freq f "$each"
		stack_bytes=$copy chosen=$f
		[ "$freq_given" = no ] || [ "$f" = "$freq" ] || chosen=0
		[ "$chosen" -lt "$least" ] || [ "$budget" -lt $((each * need)) ] || break
	done
	[ "$freq_given" = yes ] || freq=$((chosen > least ? chosen : least))
	[ -z "$stack_bytes" ] || call_graph=dwarf,$stack_bytes
}

# Set `plan_name`, the file name of the choice, which depends on the target, the machine and the options.
name_plan() {
	local line model=''

	while read -r line; do
		case $line in 'model name'*) model=${line#*: }; break ;; esac
	done 2>/dev/null </proc/cpuinfo
	hash_of plan_name 16 "$target" "$mode" "$HOSTTYPE" "$processors" "$model" \
		"$event" "$freq_given:$freq" "$call_graph" "$max_bytes" "$duration" "$cpus" "$compress"
}

# Use a stored choice.  Returns 1 if there is none, or --replan is given.
recall_plan() {
	local file=$results/.plans/$plan_name key value hz='' how='' made='' why=''

	[ "$replan" = no ] && [ -f "$file" ] || return 1
	while IFS='=' read -r key value; do
		case $key in
		freq) hz=$value ;;
		call_graph) how=$value ;;
		made) made=$value ;;
		why) why=$value ;;
		esac
	done <"$file"
	[[ $hz =~ ^[1-9][0-9]{0,6}$ ]] && [[ $how =~ ^(fp|lbr|dwarf,[1-9][0-9]{0,4})$ ]] || return 1
	freq=$hz call_graph=$how
	case $how in
	dwarf,*) stack_bytes=${how#dwarf,} ;;
	esac
	plan_why="as chosen for $target at $made: $why; --replan chooses anew"
}

# Choose what no option gave: the method of `auto`, the size of copies, the frequency.
plan_name='' plan_why='' plan_new=no
plan_recording() {
	soften_limit
	processors=$(exec nproc 2>/dev/null) || processors=1
	name_plan
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
		write_file "$folder/.gitignore" '*'
	fi
	write_file "$folder/$plan_name" "$(printf 'call_graph=%s\nfreq=%s\nmade=%s\nwhy=%s' \
		"$call_graph" "$freq" "$started" "${method_why:-given}")"
}

# The recording reached its limit: the next run chooses again, with the CPU time of this one.
forget_plan() { [ -z "$plan_name" ] || rm -f -- "$results/.plans/$plan_name"; }

say_plan() {
	local bytes what="${call_graph%%,*} at $freq Hz" size most

	[ -n "$plan_name" ] || return 0
	[ -z "$stack_bytes" ] || what="dwarf, copies of $stack_bytes bytes of stack at $freq Hz"
	if [ "$plan_new" = no ]; then
		say "$what, $plan_why"
		return
	fi
	bytes=$((each * (freq * cpu_ms / 1000)))
	shown_size size "$bytes"
	shown_size most "$max_bytes"
	if [ "$bytes" -gt "$budget" ] && [ "$guessed" = no ]; then
		warn "$what would take $size for $plan_from, and the recording ends at $most (--max-size)"
	elif [ -n "$stack_bytes$method_why" ] || [ "$freq" != 997 ]; then
		size="about $size for $plan_from; the recording ends at $most (--max-size)"
		[ -n "$stack_bytes" ] || [ "$freq" != 997 ] || size=''
		say "$what${method_why:+, because $method_why}${size:+: $size}"
	fi
}

# stopped_at FILE BYTES: return 0 if perf stopped at its limit: the size of the data section, at offset 48, is BYTES or
# more.
stopped_at() {
	local bytes

	read -r bytes <<<"$(exec od -An -t u8 -j 48 -N 8 -- "$1" 2>/dev/null)"
	[[ $bytes =~ ^[0-9]{1,18}$ ]] && [ "$bytes" -ge "$2" ]
}

stopped_at_size() { [ "$limit" = size ] && stopped_at "$recording" "$max_bytes"; }
