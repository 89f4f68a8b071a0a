#!/bin/sh
# fuzz.sh [TARGET...] - run libFuzzer (clang) on every target, or on the named ones, for SECONDS (60) each
#
# Builds with address and undefined sanitizers in its own folder, $O/libfuzzer.  The targets start from the seed corpus,
# and new inputs are kept in that folder, outside the source tree.  An input that fails is written to
# $O/libfuzzer/NAME.find-*; shrink it (NAME -minimize_crash=1 FILE), fix the cause, and add it to
# tests/fuzz/corpus/NAME/, where every `make check` replays it.
#
# At the end it prints the table of docs/fuzzing.md: executions, seconds, blocks reached, findings.
set -u
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}/libfuzzer
# shellcheck disable=SC3028	# an ordinary variable here; in bash it would be a clock
each=${SECONDS:-60}

if ! command -v clang > /dev/null; then
	echo "skipped: fuzz: no clang"
	exit 0
fi
clang=${FUZZ_CC:-clang}
make --no-print-directory -j"${FUZZ_JOBS:-2}" O="$O/lib" CC="$clang" SAN=address,undefined \
	CFLAGS="-O1 -fsanitize=fuzzer-no-link" "$O/lib/libhd.a" || exit 1
libs=$(pkg-config --libs libelf libdw libtraceevent sqlite3 libzstd liblzma libdeflate zlib)
failed=0
passed=0
rows=$O/rows.md
: > "$rows"

stat_of() { sed -n "s/^stat::$1: *//p" "$O/$name.log" | tail -1; }

# Print a row of the table; targets.tsv has what the target reads.
row() {
	reads=$(awk -F '\t' -v t="$name" '$1 == t { print $2 }' tests/fuzz/targets.tsv)
	# For a target without a row there, use the first line of its opening comment.
	[ -n "$reads" ] || \
		reads=$(sed -n 's/^\/\{0,1\} *\*\{1,2\} //; s/^fuzz_[a-z]*\.c - //; /^[^\/]/ { p; q; }' "$source")
	began=$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$O/$name.log" | tail -1)
	ended=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$O/$name.log" | tail -1)
	printf '| %s | %s | %s | %s | %s, %s | %s | %s |\n' "${name#fuzz_}" "$reads" \
		"$(stat_of number_of_executed_units)" "$each" \
		"${began:-?}" "${ended:-?}" "$1" "$(date -u +%Y-%m-%d)" | tee -a "$rows"
}

for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	if [ $# -gt 0 ]; then
		case " $* " in
		*" $name "*) ;;
		*) continue ;;
		esac
	fi
	mkdir -p "$O/corpus/$name"
	# shellcheck disable=SC2086
	$clang -std=gnu11 -g -O1 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Isrc -Itests \
		-fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -o "$O/$name" "$source" "$O/lib/libhd.a" $libs -liberty -lm -pthread || exit 1
	dict=
	[ -f "tests/fuzz/$name.dict" ] && dict=-dict=tests/fuzz/$name.dict
	# shellcheck disable=SC2086
	if "$O/$name" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
		$dict -artifact_prefix="$O/$name.find-" \
		"$O/corpus/$name" "tests/fuzz/corpus/$name" > "$O/$name.log" 2>&1; then
		row nothing
		passed=$((passed + 1))
	else
		row FOUND
		echo "$name: FOUND, see $O/$name.log"
		tail -3 "$O/$name.log"
		failed=$((failed + 1))
	fi
done
echo "| TARGET | WHAT IT READS | EXECUTIONS | SECONDS | BLOCKS REACHED BY THE SEEDS, NOW | FOUND | DATE |"
echo "|---|---|--:|--:|--:|---|---|"
cat "$rows"
echo "libfuzzer: $passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
