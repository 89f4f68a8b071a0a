#!/bin/bash
# waits.sh - measure the cost and the error of profile.sh async and syscall for a program that switches at several rates
#
#     make bench-waits [RUNS=5] [TURNS=3200000000]    each run takes about ten seconds, and 0.1 s to begin and end a
#                                                     recording
#
# The program is tests/waits/storm.c with more or less work between its switches.  A row has the rate without a
# recording; the CPU time (user and system, of the program and of perf) with a recording divided by that without one, as
# the median of RUNS pairs; the bytes; and the difference between the time off the CPU and the program's measurement.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-waits.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cc -O2 -g -pthread "$root/tests/waits/storm.c" -o storm
# Load the functions with which profile.sh records, and those with which it records fewer stacks.
for part in perf modes thinning; do
	# shellcheck source=/dev/null
	. "$root/scripts/lib/$part.sh"
done
# shellcheck disable=SC2034 # the sourced files read them
{
	perf=perf mode=async tmp=$dir soft_bytes=$((100 << 20)) freq_on_line=no freq_used='' event_recorded='' \
		record_options=()
	stack_events=(sched:sched_switch sched:sched_wakeup) event_used=sched:sched_switch,sched:sched_wakeup
}
mkfifo control quiet
now_us() { local t=${EPOCHREALTIME:-$(date +%s.%6N)}; printf '%s' "${t//[!0-9]/}"; }
try_perf "$event_used" || {
	echo "skipped: bench-waits: perf cannot record switches here: $(head -n 1 probe.err)"
	exit 0
}
settle_levels
async=(perf record -N -q -e dummy:u --switch-events -e "${event_recorded:-$event_used}" -R --call-graph 'dwarf,8192'
	-z1 --control "fifo:$dir/control")
calls=(perf record -N -q -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -c 1 --call-graph 'dwarf,1024' -z1)
[ "$(id -u)" != 0 ] || { async+=(-m 4M) calls+=(-m 4M); }
TIMEFORMAT='%U %S %R'

cpu() { { time "$@" >out 2>err; } 2>time.txt; awk '{ printf "%.3f", $1 + $2 }' time.txt; }
watched() {	# perf, and the process of profile.sh that watches the size of its file
	local pid

	"${async[@]}" -o a.data -- "$@" &
	pid=$!
	watch_size a.data "$pid" &
	wait
}
median() { sort -g | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }'; }

printf '| switches/s | async: CPU | bytes | off the CPU differs by | syscall: CPU | bytes |\n'
printf '|--:|--:|--:|--:|--:|--:|\n'
for work in 400000 100000 40000 10000 0; do
	rounds=$((work ? ${TURNS:-3200000000} / work : 1600000))
	: >a.ratios
	: >c.ratios
	for _ in $(seq "${RUNS:-5}"); do
		plain=$(cpu ./storm "$rounds" "$work")
		rate=$(awk -v n="$rounds" '{ printf "%.0f", 2 * n / $3 }' time.txt)
		recorded=$(cpu watched ./storm "$rounds" "$work")
		off=$(awk '{ print $3 }' out)
		awk -v a="$recorded" -v b="$plain" 'BEGIN { print a / b }' >>a.ratios
		recorded=$(cpu "${calls[@]}" -o c.data -- ./storm "$rounds" "$work")
		awk -v a="$recorded" -v b="$plain" 'BEGIN { print a / b }' >>c.ratios
	done
	ours=0
	for part in blocked queued preempted; do
		ns=$("$O/hotdrift" fold --weight off-cpu --event "$part" a.data 2>/dev/null |
			awk '{ s += $NF } END { printf "%.0f", s }') || ns=0
		ours=$((ours + ${ns:-0}))
	done
	printf '| %s | %s | %s | %s | %s | %s |\n' "$rate" "$(median <a.ratios)" "$(stat -c %s a.data)" \
		"$(awk -v a="$ours" -v b="$off" 'BEGIN { printf "%+.1f %%", (a - b) * 100 / b }')" \
		"$(median <c.ratios)" "$(stat -c %s c.data)"
done
