#!/bin/bash
# large.sh - fold recordings that are larger than memory, and measure sums, peak memory, CPU time and wall time
#
#     make bench-large [GB=1]      a file of GB gigabytes must fit into TMPDIR
#
# A program of tests/bench/work/ is recorded for a short time by frame pointers and with stack copies.  repeat.c makes
# a file of GB gigabytes of each, and a compressed file with the same records as that with stack copies.  A row of the
# table has the recording, its bytes and copies, the options of `fold`, CPU and wall time, and the peak memory of `fold`
# for the large and for the short recording.  The script fails if the sum of a whole large file is not that of the short
# one times its copies, or if the memory is more than that of the short one plus 16 MiB.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
gb=${GB:-1} failed=0
dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-large.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
skip() { printf 'skipped: bench-large: %s\n' "$1"; exit 0; }
command -v perf >/dev/null || skip "perf is not installed (Debian: linux-perf)"
free=$(df --output=avail -B1000000000 . | tail -n 1)
[ "$free" -gt $((gb + gb / 4 + 1)) ] || skip "$gb GB do not fit into the $free GB that are free in ${TMPDIR:-/tmp}"
"${CC:-cc}" -O2 -o repeat "$root/tests/bench/repeat.c" -lzstd
"${CC:-cc}" -std=gnu11 -O2 -g -fno-omit-frame-pointer -o program "$root"/tests/bench/work/rill/*.c -lm
record() {	# FILE OPTION...
	perf record -q -e cpu-clock -o "$1" "${@:2}" -- ./program 2 >/dev/null 2>record.log ||
		skip "perf record: $(head -n 1 record.log)"
}

# fold FILE OPTION...: set sum, cpu, wall and kib
fold() {
	command time -f '%U %S %e %M' -o used "$O/hotdrift" fold "${@:2}" "$1" >stacks 2>notes ||
		{ cat notes >&2; return 1; }
	sum=$(awk '{ s += $NF } END { printf "%.0f", s }' stacks)
	read -r cpu wall kib < <(awk '{ print $1 + $2, $3, $4 }' used)
}

# row NAME FILE COPIES SUM KIB OPTION...: fold FILE; SUM and KIB are those of the short recording
row() {
	local name=$1 file=$2 copies=$3 short_sum=$4 short_kib=$5

	shift 5
	fold "$file" "$@"
	printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" "$(stat -c %s "$file")" "$copies" "$*" "$cpu" \
		"$wall" $((kib / 1024)) $((short_kib / 1024))
	case $* in
	*--time*) ;;
	*)
		[ "$sum" = "$(awk -v s="$short_sum" -v n="$copies" 'BEGIN { printf "%.0f", s * n }')" ] ||
			{ echo "$name: the sum is $sum, not $copies times $short_sum"; failed=1; }
		;;
	esac
	[ "$kib" -le $((short_kib + 16384)) ] || { echo "$name: $kib KiB of memory instead of $short_kib"; failed=1; }
}

# second FILE: print the first second of a recording for --time
second() { perf script -F time -i "$1" 2>/dev/null | awk 'NR == 1 { printf "%.3f,%.3f", $1, $1 + 1; exit }'; }

# rows NAME SHORT [-z]: make the large file of SHORT and print its rows
rows() {
	local name=$1 short=$2 copies threads short_sum short_kib

	copies=$((gb * 1000000000 / $(stat -c %s "$short")))
	./repeat ${3:+"$3"} "$copies" "$short" large
	fold "$short"
	short_sum=$sum short_kib=$kib
	for threads in 1 2; do row "$name" large "$copies" "$short_sum" "$short_kib" --threads "$threads"; done
	row "$name" large "$copies" "$short_sum" "$short_kib" --threads 1 --time "$(second "$short")"
	rm -f large
}
record fp.data -F 20000 -g
record stacks.data -F 2000 --call-graph dwarf,8192
printf '| recording | bytes | copies | options | CPU s | wall s | MiB | MiB of the short one |\n'
printf '|---|--:|--:|---|--:|--:|--:|--:|\n'
rows 'frame pointers' fp.data
rows 'stack copies' stacks.data
rows 'stack copies, -z' stacks.data -z
[ "$failed" = 0 ]
