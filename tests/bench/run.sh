#!/bin/bash
# run.sh - make bench: hotdrift against perf on the same file, in the same run
#
# Records a frame-pointer recording of about MB megabytes (default 100), runs
# each command RUNS times in turn (default 3, after one that is not counted), and
# prints medians and ratios.  Fails when a goal is missed:
#
#   fold          at most a tenth of the CPU time of `perf script --no-inline`
#   fold          no more than `perf report -g folded --no-inline`
#   top           at most half of `perf report -g none`
#   fold, memory  at most 100 MiB
#
# Ratios only: absolute times of a shared machine say nothing.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
hotdrift=$O/hotdrift
MB=${MB:-100} RUNS=${RUNS:-3} PERF=${PERF:-perf} CC=${CC:-cc} CXX=${CXX:-c++}
work=$O/bench
mkdir -p "$work"

if ! command -v "$PERF" >/dev/null; then
	echo "skipped: bench: perf is not installed (Debian: linux-perf)"
	exit 0
fi
"$CC" -O2 -o "$work/cpu" "$root/tests/bench/cpu.c"
"$CXX" -std=c++17 -O2 -g -fno-omit-frame-pointer -o "$work/workload" "$root/tests/bench/workload.cc"
data=$work/fp-$MB.data
if ! [ -s "$data" ]; then
	echo "recording about $MB MB with frame pointers ..."
	if ! "$PERF" record -q -o "$data.part" -m 8M --max-size="${MB}M" -F 19997 -e cpu-clock --call-graph fp \
		-- "$work/workload" 600 >"$work/record.log" 2>&1 && ! [ -s "$data.part" ]; then
		echo "skipped: bench: perf cannot record here: $(head -1 "$work/record.log")"
		exit 0
	fi
	mv "$data.part" "$data"
fi

median() { sort -g | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
measure() {	# NAME COMMAND...
	local name=$1
	shift
	"$work/cpu" "$work/$name.times" "$@" >/dev/null 2>&1 </dev/null
}
commands() {
	measure fold "$hotdrift" fold -o "$work/folded.txt" "$data"
	measure top "$hotdrift" top "$data"
	measure flame "$hotdrift" flame -o "$work/flame.svg" "$data"
	measure script "$PERF" script --no-inline -i "$data"
	measure folded "$PERF" report --stdio -g folded --no-inline -i "$data"
	measure flat "$PERF" report --stdio -g none --no-children -i "$data"
}
commands
rm -f "$work"/*.times
for ((i = 0; i < RUNS; i++)); do commands; done

cpu() { awk '{ print $1 }' "$work/$1.times" | median; }
wall() { awk '{ print $2 }' "$work/$1.times" | median; }
rss() { awk '{ print $3 }' "$work/$1.times" | median; }
echo "recording: $(stat -c %s "$data") bytes, $("$hotdrift" info --json "$data" 2>/dev/null | jq .samples.read) samples; median of $RUNS"
printf '%-48s %9s %9s %9s\n' command 'CPU s' 'wall s' 'MiB'
row() { printf '%-48s %9.3f %9.3f %9.1f\n' "$2" "$(cpu "$1")" "$(wall "$1")" "$(rss "$1" | awk '{ print $1 / 1024 }')"; }
row fold 'hotdrift fold'
row top 'hotdrift top'
row flame 'hotdrift flame'
row script 'perf script --no-inline'
row folded 'perf report -g folded --no-inline'
row flat 'perf report -g none --no-children'

missed=0
goal() {	# TEXT OURS PEER AT_LEAST
	awk -v t="$1" -v a="$2" -v b="$3" -v least="$4" 'BEGIN {
		r = b / a; ok = r >= least
		printf "%-66s %6.1fx  (goal %sx)  %s\n", t, r, least, ok ? "reached" : "MISSED"; exit !ok }' || missed=$((missed + 1))
}
echo
goal 'CPU: perf script --no-inline / fold' "$(cpu fold)" "$(cpu script)" 10
goal 'CPU: perf report -g folded --no-inline / fold' "$(cpu fold)" "$(cpu folded)" 1
goal 'CPU: perf report -g none / top' "$(cpu top)" "$(cpu flat)" 2
goal 'memory: 100 MiB / fold' "$(rss fold)" 102400 1
[ "$missed" = 0 ]
