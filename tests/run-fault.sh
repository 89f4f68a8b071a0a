#!/bin/bash
# run-fault.sh - run every command, and make each allocation and each system call fail in turn
#
# tests/fault/shim.c (LD_PRELOAD) makes one call fail.  tests/fault/drive.c does so at each call of a command, and
# checks the result.  Recordings come from fixtures/; their binaries are also compressed, stripped and split here, so
# that each library is used.
#
# A test is one command.  tests/fault/system.sh adds tests of limits, full disks and the like.
#
#   FULL=1        make all calls fail, which are distinguished by deeper stacks, and test some more commands
#   SAN=address   test a build with AddressSanitizer, which also reports leaks
#   ONLY=WORD     test only the commands whose names contain WORD
# shellcheck disable=SC2317	# prepare_NAME and test_NAME are called by name
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite fault
cd "$top" || exit 1
FULL=${FULL:-}
ONLY=${ONLY:-}
SAN=${SAN:-}
prog=$hotdrift
drive=$O/tests/fault/drive
shim=$O/tests/fault/shim.so
kinds=
# A sanitizer must be loaded before the shim, and replaces the allocator: failing allocations are not tested then.
if [ -n "$SAN" ]; then
	asan=$(ldd "$prog" | sed -nE 's/.*(libasan[^ ]*) => ([^ ]*) .*/\2/p')
	kinds="open read write sync rename close trunc stat thread memfd process"
fi
R=$top/fixtures/recordings
export LC_ALL=C NO_COLOR=1 TZ=UTC GIT_CONFIG_NOSYSTEM=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-verify_asan_link_order=0:allocator_may_return_null=1:exitcode=77}

needs_built "$prog" "$drive" "$shim"
temporary_folder
export HOME=$tmp/home GIT_CEILING_DIRECTORIES=$tmp
mkdir "$tmp/home" "$tmp/out"
unset DEBUGINFOD_URLS
export HD_FAULT_NO_SYNC=1
export HD_FAULT_DEPTH=${FULL:+12}
[ -n "$HD_FAULT_DEPTH" ] || HD_FAULT_DEPTH=4

have() { command -v "$1" >/dev/null; }
skip() { echo "skipped: $1" >>"$tmp/skipped"; }

# ---- what the commands read

copies=$R/copies/symfs/opt/hd/copies
"$prog" fold --symfs "$R/copies/symfs" "$R/copies/perf.data" -o "$tmp/copies.folded" || exit 1
head -c 7000 "$R/calls/perf.data" >"$tmp/cut.data"
printf '{"b": [1, 2.5, "x"], "a": {"c": null}}\n' >"$tmp/config.json"
if have objcopy && have strip; then
	for kind in packed linked mini; do mkdir -p "$tmp/$kind/opt/hd"; done
	objcopy --compress-debug-sections=zlib "$copies" "$tmp/packed/opt/hd/copies"
	objcopy --only-keep-debug "$copies" "$tmp/linked/opt/hd/copies.debug"
	strip -o "$tmp/linked/opt/hd/copies" "$copies"
	objcopy --add-gnu-debuglink="$tmp/linked/opt/hd/copies.debug" "$tmp/linked/opt/hd/copies"
	if have xz; then
		objcopy --strip-debug "$copies" "$tmp/mini.elf"
		xz -k "$tmp/mini.elf"
		strip -o "$tmp/mini/opt/hd/copies" "$copies"
		objcopy --add-section .gnu_debugdata="$tmp/mini.elf.xz" "$tmp/mini/opt/hd/copies"
	fi
fi

# A folder that `hotdrift sample` wrote.
"$prog" sample --quiet --power=constant:5 -o "$tmp/sampled" -- true || exit 1

# The recorder of this build writes a heap recording in its newest format.
heap=$(readlink -f "$O/libhotdrift-heap.so")
if mkdir "$tmp/heap" && HOTDRIFT_HEAP=$tmp/heap/r HOTDRIFT_HEAP_INTERVAL=512 LD_PRELOAD=$heap sh -c : &&
	mv "$tmp"/heap/r.* "$tmp/heap.hdheap"; then
	"$prog" info "$tmp/heap.hdheap" >/dev/null 2>&1 || exit 1
else
	echo "run-fault.sh: error: $heap recorded nothing" >&2
	exit 1
fi

# ---- the commands

# under_test NAME [OPTION OF drive...] -- ARGUMENT...: test in a folder that `prepare_NAME` fills
commands=()
most=${FULL:+0}
most=${most:-20}
under_test() {
	local name=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	case $name in *"$ONLY"*) ;; *) return ;; esac
	mkdir -p "$tmp/work/$name"
	[ -z "$(type -t "prepare_$name")" ] || (cd "$tmp/work/$name" && "prepare_$name") >/dev/null 2>&1
	{
		printf '%q ' "$drive" -n "$name" -s "${asan:+$asan:}$shim" ${kinds:+-k "$kinds"} -w "$tmp/work/$name" \
			-m "$most" "${options[@]}" -- "$prog" "$@"
		echo
	} >"$tmp/out/$name.cmd"
	commands+=("$name")
}

old() { echo "what was here before" >"$1"; }
a_database() {
	"$prog" add --db h.db --commit none --target old --recorded 2026-01-02T03:04:05Z --symfs "$R/calls/symfs" \
		"$R/calls/perf.data"
}
prepare_flame() { old flame.svg; }
prepare_cut() { old flame.svg; }
prepare_named() { old flame.svg; }
prepare_add() { a_database; }
prepare_samples() { a_database; }
prepare_killed() { a_database; }
prepare_stopped() { old flame.svg; }
prepare_artifact() { a_database && old log.txt; }
prepare_log() { a_database && a_database; }
prepare_show() { a_database; }
prepare_query() { a_database; }
prepare_witness() { a_database; }
prepare_witnessed() { a_database && "$prog" witness export --db h.db -o w.jsonl; }
prepare_signed() { a_database && printf 'a key of many bytes, made here\n' >key && chmod 600 key; }

true=$(type -P true)
add=(add --db h.db --busy-ms 100 --commit none --target new --recorded 2026-01-02T03:04:06Z)
query="SELECT s.name, h.self FROM hotspot h JOIN symbol s ON s.id = h.symbol_id ORDER BY h.self DESC, s.name LIMIT 7"

under_test fold -g -e filemap -- fold --symfs "$R/copies/symfs" "$R/copies/perf.data"
under_test calls -g -- fold --symfs "$R/calls/symfs" "$R/calls/perf.data"
under_test zstd -g -- fold --symfs "$R/calls/symfs" "$R/calls/zstd.data"
under_test pipe -g -i "$R/calls/pipe.data" -- fold --symfs "$R/calls/symfs" -
under_test tracepoint -- report --by symbol "$top/tests/fuzz/corpus/fuzz_perfdata/pipe-tracepoint"
under_test folded -- top "$tmp/copies.folded"
under_test info -- info --symfs "$R/copies/symfs" "$R/copies/perf.data"
under_test json -- info --json --symfs "$R/calls/symfs" "$R/calls/perf.data"
under_test report -- report --by symbol,line --json --symfs "$R/copies/symfs" "$R/copies/perf.data"
under_test page -- report --symfs "$R/family/symfs" "$R/family/perf.data" --format markdown -o page.md
under_test flame -- flame --symfs "$R/calls/symfs" "$R/calls/perf.data" -o flame.svg
under_test named -t -- flame --symfs "$R/calls/symfs" "$R/calls/perf.data" -o flame.svg
under_test cut -- flame --symfs "$R/calls/symfs" "$tmp/cut.data" -o flame.svg
under_test bundle -- bundle --symfs "$R/calls/symfs" "$tmp/cut.data" -o calls.hdb
under_test analyze -- analyze --symfs "$R/calls/symfs" "$R/calls/perf.data" -o out
under_test first -x -b h.db -- "${add[@]}" --symfs "$R/calls/symfs" "$R/calls/perf.data"
under_test add -x -b h.db -- "${add[@]}" --symfs "$R/copies/symfs" --config "$tmp/config.json" "$R/copies/perf.data"
under_test log -b h.db -- log --db h.db --top5 latest:old --changes
under_test show -b h.db -- show --db h.db latest:old
under_test query -b h.db -- query --db h.db --csv "$query"
under_test witness -b h.db -- witness export --db h.db latest:old -o w.jsonl
under_test witnessed -b h.db -- witness verify --db h.db w.jsonl
under_test signed -x -b h.db -- verify --db h.db --busy-ms 100 --sign --key key
under_test killed -K -k "write sync trunc rename close" -b h.db -- "${add[@]}" --symfs "$R/calls/symfs" \
	"$R/calls/perf.data"
under_test stopped -K -k "write sync rename close" -- flame --symfs "$R/calls/symfs" "$R/calls/perf.data" -o flame.svg
under_test heap -g -- fold --event allocated "$tmp/heap.hdheap"
under_test gputrace -g -- fold --event gpu-kernels "$top/tests/fuzz/corpus/fuzz_gputrace/full"
under_test kineto -g -- fold --event gpu-kernels "$top/tests/fuzz/corpus/fuzz_kineto/gzipped"
under_test chrome -g -- convert --to chrome -o out.json "$top/tests/fuzz/corpus/fuzz_kineto/gzipped"
under_test perfetto -g -- convert --to perfetto -o out.pftrace "$top/tests/fuzz/corpus/fuzz_kineto/gzipped"
under_test hash -- hash "$tmp/config.json"
under_test stats -- stats --json "$top/tests/fuzz/corpus/fuzz_csv/latency"
under_test energy -- energy "$top/tests/fuzz/corpus/fuzz_csv/sources"
under_test sample -y -- sample --quiet --power=constant:5 --memory -o out -- "$true"
under_test samples -x -b h.db -- "${add[@]}" --samples "$tmp/sampled"
under_test bench -- bench -r 2 -w 0 --no-compare -o /dev/null -- "$true" -- "$true"
under_test compared -- bench -r 1 -w 0 -o /dev/null -- sh -c 'echo 1.5' -- sh -c 'echo 1.50'
under_test target -- target -f "$top/hotdrift.ini"
if [ -e "$tmp/packed/opt/hd/copies" ]; then
	under_test packed -g -- fold --symfs "$tmp/packed" "$R/copies/perf.data"
	under_test linked -g -- fold --symfs "$tmp/linked" "$R/copies/perf.data"
else
	skip "packed and linked debug information: no objcopy"
fi
if [ -s "$tmp/mini/opt/hd/copies" ]; then
	under_test mini -g -- fold --symfs "$tmp/mini" "$R/copies/perf.data"
else
	skip "packed symbols: no objcopy or xz"
fi
if [ -n "$FULL" ]; then
	under_test threads -g -j 4 -- fold --symfs "$R/copies/symfs" "$R/copies/perf.data"
	under_test memgraph -g -- fold --symfs "$R/memgraph-cpu/symfs" "$R/memgraph-cpu/perf.data"
	under_test lines -- top --lines --symfs "$tmp/packed" "$R/copies/perf.data"
	under_test artifact -x -b h.db -- "${add[@]}" --artifact log.txt --symfs "$R/calls/symfs" "$R/calls/perf.data"
	under_test files -j 4 -- analyze --symfs "$R/copies/symfs" "$R/copies/perf.data" -o out
fi

# Run one test on each of two processors; the output of a failed one is printed.
printf '%s\n' "${commands[@]}" | xargs -P 2 -I{} sh -c 'sh "$1.cmd" >"$1.log" 2>&1 || touch "$1.failed"' - "$tmp/out/{}"

for name in "${commands[@]}"; do
	if [ -e "$tmp/out/$name.failed" ]; then
		head -n 60 "$tmp/out/$name.log"
		tail -n 1 "$tmp/out/$name.log"
		failed=$((failed + 1))
	else
		cat "$tmp/out/$name.log"
		pass
	fi
done
# Sanitizers need more memory and more files than these limits allow.
if [ -z "$SAN" ]; then
	# shellcheck source=tests/fault/system.sh
	. tests/fault/system.sh
fi
# Check that no command has replaced /dev/null by a file.
if [ -c /dev/null ]; then
	pass
else
	echo "FAILED: /dev/null: a command put a file in its place; make it again: mknod -m 666 /dev/null c 1 3"
	failed=$((failed + 1))
fi
[ -z "${KEEP:-}" ] || cp "$tmp"/out/*.log "$KEEP"
if [ -e "$tmp/skipped" ]; then
	cat "$tmp/skipped"
	skipped=$((skipped + $(wc -l <"$tmp/skipped")))
fi
finish
