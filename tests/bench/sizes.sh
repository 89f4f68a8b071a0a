#!/bin/bash
# sizes.sh - measure what each mode of profile.sh writes by default for a program that does everything at once
#
#     make bench-sizes [SECONDS_=30]
#
# The program is tests/bench/busy.c, which runs for thirty seconds.  A row has the mode, the bytes of its recordings and
# of the whole results folder, and the messages about thinning and an early end.  The script fails if a mode fails,
# writes 100 MB or more, or changes the result of the program.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
seconds=${SECONDS_:-30} limit=100000000 failed=0
dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-sizes.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"${CC:-cc}" -O2 -g -fno-omit-frame-pointer -pthread "$root/tests/bench/busy.c" -o busy
export HOTDRIFT=$O/hotdrift
printf '| mode | recordings, bytes | results, bytes | what is said |\n|---|--:|--:|---|\n'
for mode in cpu 'cpu --call-graph dwarf' memory 'memory --exact' 'memory --faults' async 'async --wall' syscall; do
	status=0
	# shellcheck disable=SC2086	# options
	"$root/scripts/profile.sh" $mode --results out --result-path path -- ./busy "$seconds" >said 2>&1 || status=$?
	if [ "$status" != 0 ]; then
		printf '| %s | - | - | FAILED: %s |\n' "$mode" "$(grep -m 1 'error:' said || tail -n 1 said)"
		failed=1
		continue
	fi
	results=$(cat path)
	bytes=$(find "$results" -name '*.data*' -printf '%s\n' | awk '{ s += $1 } END { printf "%d", s }')
	word=$(sed -n -e 's/.*: \([0-9]* of [0-9]* switches were recorded with their stacks\).*/\1/p' \
		-e 's/.*\(the recording reached [^;]* and ends there\).*/\1/p' \
		-e 's/.*\(the kernel dropped events\).*/\1/p' said | sort -u | paste -sd ';')
	printf '| %s | %s | %s | %s |\n' "$mode" "$bytes" "$(du -sb "$results" | cut -f1)" "$word"
	[ "$bytes" -lt "$limit" ] || failed=1
	grep -q '^[0-9]* blocks, .* sums$' said || { echo "the program's own output is gone"; failed=1; }
	rm -rf out/2*
done
[ "$failed" = 0 ]
