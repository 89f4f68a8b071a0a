#!/bin/bash
# run.sh - make bench: compare the time and memory of hotdrift and its peers for the same recordings, in the same run
#
# The script builds workloads, records them, runs every command in turn and prints tables in Markdown.  It fails if a
# goal (goals.tsv) is missed.  Goals are ratios, because absolute times of a shared machine mean nothing.
#
#   SIZES="s m"      sizes of the recordings: about 10 MB (s), 100 MB (m), 1 GB (l)
#   RUNS=3           timed runs of each command, after one that is not counted
#   LIMIT=120        time limit of a run in seconds; a run that exceeds it counts with the time that it has used
#   QUICK=1          SIZES=s RUNS=1 LIMIT=20, for developers; prints the numbers and never fails
#   ONLY="cpp.dw.m"  run these recordings only; the results of others are kept
#   STEPS="record measure accuracy stitch count"   steps to run; the tables of the last results are always printed
#   FLAMEGRAPH=DIR   folder with stackcollapse-perf.pl and flamegraph.pl
#   PERF PERF2 PERFPARSER   perf, a newer version of perf, hotspot-perfparser
#   SQLITE_SRC=DIR   folder with sqlite3.c, which is built with frame pointers; default: libsqlite3
#   RECORDINGS=DIR   folder with the recordings NAME.data; default: O/bench/rec, where they are made once and kept
#
# Results: O/bench/results.tsv, the tables O/bench/tables.md.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
work=$O/bench
if [ -n "${QUICK:-}" ]; then
	SIZES=${SIZES:-s} RUNS=${RUNS:-1} LIMIT=${LIMIT:-20}
fi
SIZES=${SIZES:-s m} RUNS=${RUNS:-3} LIMIT=${LIMIT:-120} ONLY=${ONLY:-}
STEPS=${STEPS:-record measure accuracy stitch count}
RECORDINGS=${RECORDINGS:-$work/rec}
CC=${CC:-cc} CXX=${CXX:-c++} RUSTC=${RUSTC:-rustc} CLANGXX=${CLANGXX:-clang++}
export PERF=${PERF:-perf} FLAMEGRAPH=${FLAMEGRAPH:-}
HOTDRIFT=${HOTDRIFT:-$O/hotdrift}
mkdir -p "$work/bin" "$work/out" "$work/empty" "$RECORDINGS"
RECORDINGS=$(cd "$RECORDINGS" && pwd)
[ ! -d "$FLAMEGRAPH" ] || FLAMEGRAPH=$(cd "$FLAMEGRAPH" && pwd)

for part in workloads recordings peers measure accuracy stitch count tables; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
note() { printf '%s\n' "$*" >&2; }
skipped() { note "skipped: bench: $1: $2"; }
wants() { case " $STEPS " in *" $1 "*) ;; *) return 1 ;; esac; }

if ! command -v "$PERF" >/dev/null; then
	skipped "everything" "perf is not installed (Debian: linux-perf)"
	exit 0
fi
cc_quietly timer "$CC" -O2 -o "$work/bin/cpu" "$here/cpu.c" || exit 6
cc_quietly cut "$CC" -O2 -o "$work/bin/cut" "$here/cut.c" || exit 6
if wants record; then
	build_workloads
	record_all
fi
names=$(recordings_present | grep -v '\.dw64\.' || :)
large_copies=$(recordings_present | grep '\.dw64\.' || :)
results=$work/results.tsv
if wants measure && [ -z "$names" ]; then
	skipped "everything" "there is no recording, and none could be made"
	exit 0
fi
if wants measure; then
	missing_peers
	replace_lines "$results" run rec time same < <(
		describe_machine
		for name in $names; do
			describe "$name"
			measure "$name"
		done
	)
fi
if wants accuracy; then
	replace_lines "$results" acc < <(for name in $names; do accuracy "$name"; done)
fi
if wants stitch; then
	replace_lines "$results" stitch < <(for name in $large_copies; do stitch_accuracy "$name"; done)
fi
if wants count; then
	replace_lines "$results" count < <(for name in $names; do count_instructions "$name"; done)
fi
tables "$results" | tee "$work/tables.md"
[ -n "${QUICK:-}" ] || ! grep -q '| MISSED' "$work/tables.md"
