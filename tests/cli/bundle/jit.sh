# a bundle contains the jitdump and the perf map of JIT code; prints commands whose output differs without both
src=$(dirname "$0")/../../perf/jit.c
command -v perf >/dev/null || { echo "perf is not installed (Debian: linux-perf)" >&2; exit 77; }
perf record -q -e cpu-clock -o probe.data -- true >log 2>&1 ||
	{ echo "perf cannot record here: $(head -n 1 log)" >&2; exit 77; }
cc -g -fno-omit-frame-pointer -o jit "$src" 2>log ||
	{ echo "no program can be made here: $(head -n 1 log)" >&2; exit 77; }
mkdir dump
./jit dump 0 || { echo "its machine code is x86-64's" >&2; exit 77; }
rm dump/*
same() {
	hotdrift "$@" rec.data >a 2>a.err || echo "status $?" >>a
	mv dump gone
	mv "$map" map
	mv rec.data kept
	mv x.hdb rec.data
	hotdrift "$@" rec.data >b 2>b.err || echo "status $?" >>b
	mv rec.data x.hdb
	mv kept rec.data
	mv map "$map"
	mv gone dump
	cmp a b && cmp a.err b.err || echo "$how: $*"
}
for how in "-k mono -g" "-k mono --call-graph dwarf" "-g"; do
	# shellcheck disable=SC2086	# words
	perf record -q -e cpu-clock -F 999 $how -o rec.data -- ./jit "$PWD/dump" 0.35 >log 2>&1
	# One function is missing in the dump, so the perf map names it.
	map=$(hotdrift info --json rec.data 2>&1 | grep -o '/tmp/perf-[0-9]*\.map' | head -n 1)
	hotdrift report --json --by dso,symbol rec.data 2>/dev/null |
		sed -n 's/.*perf-[0-9]*\.map", "symbol": "0x\([0-9a-f]*\)".*/\1 1 untold/p' | sort -u >"$map"
	chmod 644 "$map"
	hotdrift bundle rec.data -o x.hdb 2>/dev/null
	same info
	same info --json
	same fold
	same fold --no-stitch -j1
	same fold --no-inline --annotate
	same top -n 1000 --lines --inline
	same report --json --by pid,dso,symbol,line
	same report --by symbol --filter 'cpumode == user'
	same info --strict
	hotdrift fold x.hdb 2>/dev/null | grep -o ';\(plain\|first\|second\|moved\|leave\|untold\) ' | sort -u |
		tr -d ';\n'
	echo
	rm -f "$map" x.hdb dump/*
done
