#!/bin/bash
# run-perf.sh - record here, then ask perf the same questions
#
#   top    = perf report --stdio --no-children --sort=symbol: every printed share, in order (ties aside)
#   fold   = perf script folded by awk, stack by stack
#
# Recordings: C, C++, Rust, a stripped binary, PIE and non-PIE, a dlopen'ed library, a fork tree,
# system-wide, two events at once, -z, a pipe.  Ends with `perf: N passed, N failed, N skipped`.
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
hotdrift=$O/hotdrift
src=$root/tests/perf
CC=${CC:-cc}
PERF=${PERF:-perf}

dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-perf.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
skip() { skipped=$((skipped + 1)); echo "skipped: $1: $2"; }
fail() { failed=$((failed + 1)); echo "FAILED: $1: $2"; }
finish() {
	echo "perf: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}

if ! command -v "$PERF" >/dev/null; then
	skip "agreement with perf" "perf is not installed (Debian: linux-perf)"
	finish
fi
if ! "$PERF" record -q -e cpu-clock -o probe.data -- true >probe.log 2>&1; then
	skip "agreement with perf" "perf cannot record here: $(head -1 probe.log)"
	finish
fi

# ---- two views of one recording, made comparable

# perf's shares and names, one a line: `12.34 name`.  $1 file, $2 event or "".
perf_top() {
	"$PERF" report --stdio --no-children --sort=symbol -g none -t '|' --percent-limit 0 -i "$1" 2>/dev/null |
	awk -F'|' -v event="$2" '
		/^# Samples:/ { on = event == "" || index($0, "'\''" event "'\''") }
		/^#/ || NF < 2 || !on { next }
		{ pct = $1; gsub(/[ %]/, "", pct); name = $2; sub(/^ *\[.\] /, "", name); sub(/ *$/, "", name); print pct, name }'
}
our_top() {
	"$hotdrift" top -n 0 --json ${2:+--event "$2"} "$1" 2>>notes |
	jq -r '(if .reports then .reports[0] else . end) | .weight as $w | .rows[] | "\(.self) \($w) \(.symbol)"' |
	awk '{ w = $1; t = $2; sub(/^[0-9]+ [0-9]+ /, ""); printf "%.2f %s\n", 100 * w / t, $0 }'
}
# The same order, names of one share sorted: what is left to differ is a real difference.
settle() { sort -k1,1gr -k2; }

# `comm;outer;inner weight` from perf script, by code that shares nothing with ours.
perf_fold() {
	"$PERF" script -i "$1" --no-inline -F comm,time,period,event,ip,sym 2>/dev/null |
	awk -v event="$2" '
		function flush() { if (seen && n >= 0 && (event == "" || ev == event)) sum[comm stack] += weight; seen = 0 }
		/^$/ { flush(); next }
		match($0, / +[0-9]+\.[0-9]+: +[0-9]+ +[^ ]+: */) && !/^\t/ {
			flush()
			comm = substr($0, 1, RSTART - 1); sub(/^ */, "", comm); sub(/ *$/, "", comm)
			rest = substr($0, RSTART); split(rest, w, " "); weight = w[2]; ev = w[3]; sub(/:$/, "", ev)
			stack = ""; seen = 1
			tail = substr($0, RSTART + RLENGTH)
			if (tail != "") { sub(/^ *[0-9a-f]+ /, "", tail); stack = ";" tail }
			next
		}
		{ sub(/^[ \t]*[0-9a-f]+ /, ""); stack = ";" $0 stack }
		END { flush(); for (s in sum) printf "%s %d\n", s, sum[s] }' | sort
}
our_fold() { "$hotdrift" fold ${2:+--event "$2"} "$1" 2>>notes | sort; }

compare_top() {	# NAME FILE [EVENT]
	perf_top "$2" "${3:-}" | settle >perf.top
	our_top "$2" "${3:-}" | settle >our.top
	if ! [ -s perf.top ]; then
		fail "$1: top" "perf report prints nothing"
	elif cmp -s perf.top our.top; then
		pass
	else
		fail "$1: top" "differs from perf report"
		diff perf.top our.top | head -8
	fi
}

# perf looks a return address up as it is; we look up the call before it.  A call that does not
# return, as the last of its function, makes perf name the next function in the file: wrong, as
# addr2line on the address minus one says.  Such stacks may differ, and only such: with every
# frame that perf script names at offset 0 (+0x0 of the next function) taken out, none is left.
compare_fold() {
	perf_fold "$2" "${3:-}" >perf.fold
	our_fold "$2" "${3:-}" >our.fold
	if ! [ -s perf.fold ]; then
		fail "$1: fold" "perf script prints nothing"
	elif cmp -s perf.fold our.fold; then
		pass
	else
		fail "$1: fold" "differs from perf script"
		diff perf.fold our.fold | cut -c1-300 | head -8
	fi
}
compare() { compare_top "$@"; compare_fold "$@"; }

record() {	# NAME OPTIONS... -- COMMAND
	local name=$1
	shift
	if ! "$PERF" record -q -F 4999 -e cpu-clock -o "$name.data" "$@" >record.log 2>&1; then
		fail "$name" "perf record: $(head -1 record.log)"
		return 1
	fi
}

# ---- the recordings

fp=(-O2 -g -fno-omit-frame-pointer)
build() {
	"$CC" "${fp[@]}" -o calls "$src/calls.c" "$src/calls2.c" &&
	"$CC" "${fp[@]}" -no-pie -o calls-nopie "$src/calls.c" "$src/calls2.c" &&
	cp calls calls-stripped && strip calls-stripped &&
	"$CC" "${fp[@]}" -o host "$src/host.c" -ldl &&
	"$CC" "${fp[@]}" -shared -fPIC -o plugin.so "$src/plugin.c" &&
	"$CC" "${fp[@]}" -pthread -o family "$src/family.c"
}
if ! build >build.log 2>&1; then
	fail "test programs" "do not build"
	cat build.log
	finish
fi

record c -g -- ./calls 0.4 && compare C c.data
record nopie -g -- ./calls-nopie 0.3 && compare "C, no PIE" nopie.data
record stripped -g -- ./calls-stripped 0.3 && compare "C, stripped" stripped.data
record flat -- ./calls 0.3 && compare "C, without chains" flat.data
record dlopen -g -- ./host ./plugin.so 0.5 && compare "dlopen" dlopen.data
record family -g -- ./family && compare "fork tree" family.data
record zstd -g -z -- ./calls 0.3 && compare "zstd" zstd.data
if "$PERF" record -q -F 4999 -e cpu-clock -g -o - -- ./calls 0.3 >pipe.data 2>record.log; then
	compare "pipe" pipe.data
else
	fail pipe "perf record: $(head -1 record.log)"
fi
if "$PERF" record -q -F 2999 -e cpu-clock -e task-clock -g -o two.data -- ./calls 0.3 >record.log 2>&1; then
	compare "two events, cpu-clock" two.data cpu-clock
	compare "two events, task-clock" two.data task-clock
else
	fail "two events" "perf record: $(head -1 record.log)"
fi
if "$PERF" record -q -a -F 997 -e cpu-clock -g -o system.data -- ./family >record.log 2>&1; then
	compare "system-wide" system.data
else
	skip "system-wide" "perf record -a is not permitted: $(head -1 record.log)"
fi

cxx=${CXX:-c++}
if command -v "$cxx" >/dev/null && "$cxx" -std=c++17 "${fp[@]}" -o names "$src/names.cc" 2>build.log; then
	record cxx -g -- ./names 0.4 && compare "C++" cxx.data
else
	skip "C++" "no C++ compiler"
fi
if command -v rustc >/dev/null && rustc -C opt-level=2 -g -C force-frame-pointers=yes -o rust "$src/names.rs" 2>build.log; then
	record rust -g -- ./rust 0.4 && compare "Rust" rust.data
else
	skip "Rust" "no rustc"
fi
finish
