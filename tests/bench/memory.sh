#!/bin/bash
# memory.sh - measure the cost of recording allocations, in CPU time and instructions, and compare it with heaptrack's
#
#     make bench-memory            PAIRS=7   pairs of each workload
#
# A ratio is the CPU time of a recorded run divided by that of the plain run just before it.  The table has the median
# over the pairs.  Instructions are counted in one run by valgrind --tool=cachegrind, so they have no noise.
# The script reports and skips workloads that are not installed.
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
lib=$O/libhotdrift-heap.so pairs=${PAIRS:-7}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-bench.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
[ -e "$lib" ] || { echo "skipped: bench-memory: libhotdrift-heap.so was not built"; exit 0; }

# cpu COMMAND...: print its CPU time in ms
cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1 </dev/null; } 2>&1 | awk '{ printf "%d", ($1 + $2) * 1000 }'
}
recorded() {	# INTERVAL COMMAND...
	HOTDRIFT_HEAP=$dir/r HOTDRIFT_HEAP_INTERVAL=$1 LD_PRELOAD=$lib "${@:2}"
}
tracked() { heaptrack -o "$dir/h" "$@"; }
median() { sort -n | awk \
	'{ v[NR] = $1 } END { printf "%.2f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
instructions() {	# print the instructions that cachegrind reports last, in millions
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=cachegrind.out "$@" 2>&1 >/dev/null </dev/null |
		sed -n 's/.*I *refs: *\([0-9,]*\).*/\1/p' | tail -n 1 | tr -d , | awk '{ printf "%d", $1 / 1000000 }'
}

# ratios NAME HOW...: print the median ratio over pairs with the plain run
ratios() {
	local i plain

	for ((i = 0; i < pairs; i++)); do
		plain=$(cpu "${command[@]}")
		[ "$plain" -gt 0 ] || plain=1
		echo "$(cpu "$@" "${command[@]}") $plain" | awk '{ print $1 / $2 }'
	done | median
}

row() {		# NAME; the command in `command`
	local plain_i exact_i sampled_i size heaptrack=-

	rm -f r.* h.*
	cpu "${command[@]}" >/dev/null
	exact=$(ratios recorded 1)
	rm -f r.*
	recorded 1 "${command[@]}" >/dev/null 2>&1 </dev/null
	size=$(cat r.* 2>/dev/null | wc -c)
	rm -f r.*
	sampled=$(ratios recorded 65536)
	coarse=$(ratios recorded 524288)
	if command -v heaptrack >/dev/null; then heaptrack=$(pairs=3 ratios tracked); fi
	plain_i=- exact_i=- sampled_i=-
	if command -v valgrind >/dev/null; then
		plain_i=$(instructions "${command[@]}")
		exact_i=$(recorded 1 instructions "${command[@]}")
		sampled_i=$(recorded 65536 instructions "${command[@]}")
	fi
	rm -f r.* h.*
	printf '| %s | %s | %s | %s | %s | %.2f MB | %s | %s | %s |\n' "$1" "$coarse" "$sampled" "$exact" "$heaptrack" \
		"$(awk -v n="$size" 'BEGIN { print n / 1e6 }')" "$plain_i" "$sampled_i" "$exact_i"
}

cat >churn.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 500000;
	std::map<int, std::string> m;
	unsigned x = 1;

	for (int i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		m[x >> 18] = std::string(20 + (x >> 28), 'a');
		if (i % 4 == 0)
			m.erase((x >> 16) & 16383);
	}
	printf("%zu\n", m.size());
}
END
echo '| workload | sampled 512 KiB | sampled 64 KiB | exact | heaptrack | exact, size | M instructions' \
	'| at 64 KiB | exact |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
if g++ -O2 -g -o churn churn.cpp 2>/dev/null; then
	command=(./churn)
	row 'C++ map and strings'
	compiler=$(g++ -print-prog-name=cc1plus)
	if [ -x "$compiler" ] && g++ -E -o churn.ii churn.cpp; then
		command=("$compiler" -quiet -O0 churn.ii -o churn.s)
		row 'a compiler (cc1plus)'
	fi
else
	echo 'left out: C++: no g++' >&2
fi
if command -v sqlite3 >/dev/null; then
	command=(sqlite3 :memory: 'create table t(a, b);
		with recursive c(x) as (select 1 union all select x + 1 from c where x < 150000)
			insert into t select x, hex(randomblob(20)) from c;
		create index i on t(b); select count(*) from t a join t b on a.b = b.b;')
	row sqlite3
else
	echo 'left out: sqlite3 is not installed' >&2
fi
if command -v python3 >/dev/null; then
	export PYTHONMALLOC=malloc
	command=("$(python3 -c 'import sys; print(sys.executable)')" \
		-c 'd = {str(i): [i] * 3 for i in range(300000)}; print(sum(len(v) for v in d.values()))')
	row 'python, PYTHONMALLOC=malloc'
else
	echo 'left out: python3 is not installed' >&2
fi
