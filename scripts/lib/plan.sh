# shellcheck shell=bash
# plan.sh - how much stack to copy and how often to sample, so that a recording of mode cpu stays under --max-size
#
# A sample with a stack copy takes the copy and about 256 bytes; without one,
# about 170; compressed, a third at most (measured: docs/profiling.md, "What each
# mode costs").  What a run takes is that, times the samples: CPU seconds times
# frequency.
#
#     CPU seconds   those of the target's last good run of mode cpu here (its samples divided by its frequency), else
#                   --duration times --cpus, else 30 s of all CPUs
#     copy          the largest of 8192, 4096, 2048, 1024 bytes with which 5,000 samples fit, or all that the
#                   frequency asks for: a share of 1 % then has an error of 0.14 points
#     frequency     the highest up to 997 that fits; primes, to be in step with nothing
#
# What was given by an option or in hotdrift.ini is kept.  perf's own --max-size is
# the hard stop: a plan is a guess.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

enough_samples=5000
sample_bytes=256 chain_bytes=170
least_freq=11
plan_primes=(997 797 599 499 397 307 251 199 149 97 79 61 47 37 29 23 19 17 13 11)

# size_bytes TEXT: 100M and its like, as perf reads them, in bytes; fails on anything else.
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

# 104857600 -> 100 MiB, rounded down
shown_size() {
	if [ "$1" -ge 10485760 ]; then
		printf '%s MiB' $(($1 >> 20))
	else
		printf '%s KiB' $(($1 >> 10))
	fi
}

# of_json KEY FILE: a number or a word of a run.json, which has one key a line
of_json() { sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\}\(,.*\)\{0,1\}\$/\1/p" "$2"; }

# Sets `cpu_ms` from the newest good run of the target in the results folder; 1: there is none.  Samples of other modes
# are not of time.
last_run_ms() {
	local files=("$results"/*/run.json) file i samples hz word

	word=$(json_string "$target")
	# The names start with the time: the newest is the last.
	for ((i = ${#files[@]} - 1; i >= 0; i--)); do
		file=${files[i]}
		if ! [ -f "$file" ] || ! grep -q -F -x -e "  \"target\": $word," -- "$file" ||
			[ "$(of_json status "$file")" != ok ] || [ "$(of_json mode "$file")" != cpu ]; then
			continue
		fi
		samples=$(of_json samples "$file") hz=$(of_json freq "$file")
		if [[ $samples =~ ^[1-9][0-9]{0,9}$ ]] && [[ $hz =~ ^[1-9][0-9]{0,6}$ ]]; then
			cpu_ms=$((samples * 1000 / hz))
			return 0
		fi
	done
	return 1
}

# Sets `cpu_ms` and `plan_from`, the words that say where it is from.
expect_cpu() {
	local all

	all=$(nproc 2>/dev/null || echo 1)
	if [ -z "$duration$cpus" ] && last_run_ms; then
		plan_from="the CPU time of the target's last run"
	else
		cpu_ms=$((${duration:-30} * ${cpus:-$all} * 1000))
		plan_from="${duration:-30} s of ${cpus:-$all} busy CPU"
		[ "${cpus:-$all}" = 1 ] || plan_from+=s
		[ -n "$duration" ] && [ -n "$cpus" ] || plan_from+=" (assumed: --duration, --cpus)"
	fi
	[ "$cpu_ms" -gt 0 ] || cpu_ms=1
	[ "$cpu_ms" -le 10000000000 ] || cpu_ms=10000000000
}

# fitting_freq SAMPLE-BYTES: the frequency with which the run fits, or 0
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

# Sets `max_bytes` (empty: no limit) and `stack_bytes` (empty: no copies), and for perf `freq` and `call_graph`.
max_bytes='' stack_bytes='' plan_from=''
plan_recording() {
	local copies=(8192 4096 2048 1024) copy f chosen=0 need

	case $call_graph in
	dwarf) max_size=${max_size:-100M} ;;
	dwarf,*) max_size=${max_size:-100M} copies=("${call_graph#dwarf,}") ;;
	*)	[ -n "$max_size" ] || return 0
		copies=('') ;;
	esac
	max_bytes=$(size_bytes "$max_size")
	budget=$((max_bytes * 9 / 10))
	expect_cpu
	need=$((freq * cpu_ms / 1000))
	[ "$need" -le "$enough_samples" ] || need=$enough_samples
	for copy in "${copies[@]}"; do
		each=$((${copy:-0} ? copy + sample_bytes : chain_bytes))
		[ -z "$compress" ] || each=$((each / 3))
		f=$(fitting_freq "$each")
		stack_bytes=$copy chosen=$f
		[ "$freq_given" = no ] || [ "$f" = "$freq" ] || chosen=0
		[ "$chosen" = 0 ] || [ "$budget" -lt $((each * need)) ] || break
	done
	[ "$freq_given" = yes ] || freq=$((chosen > least_freq ? chosen : least_freq))
	[ -z "$stack_bytes" ] || call_graph=dwarf,$stack_bytes
}

say_plan() {
	local bytes what="$freq Hz"

	[ -n "$max_bytes" ] || return 0
	bytes=$((each * (freq * cpu_ms / 1000)))
	[ -z "$stack_bytes" ] || what="copies of $stack_bytes bytes of stack at $freq Hz"
	if [ "$bytes" -le "$budget" ]; then
		say "$what: about $(shown_size "$bytes") for $plan_from; perf stops at $(shown_size "$max_bytes") (--max-size)"
	else
		warn "$what would take $(shown_size "$bytes") for $plan_from, and perf stops at $(shown_size "$max_bytes") (--max-size)"
	fi
}

# stopped_at FILE BYTES: did perf stop at its limit?  Then its data section, whose size stands at offset 48, is at least as large.
stopped_at() {
	local bytes

	bytes=$(od -An -t u8 -j 48 -N 8 -- "$1" 2>/dev/null | tr -d ' \n') || return 1
	[[ $bytes =~ ^[0-9]{1,18}$ ]] && [ "$bytes" -ge "$2" ]
}

stopped_at_size() { [ -n "$max_bytes" ] && stopped_at "$recording" "$max_bytes"; }
