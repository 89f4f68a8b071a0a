#!/bin/sh
# coverage.sh [TARGET...] - count the lines of its parser that each fuzz target reaches
#
# Builds with clang's coverage in $O/coverage and replays the seed corpus of each target.  With FOUND=DIR (the corpus/
# of a fuzz.sh run), it also replays the inputs that libFuzzer added.  Prints a line for each parser file that
# targets.tsv names: target, lines, lines reached by the seeds, lines reached by the seeds and FOUND.
set -u
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}/coverage
found=${FOUND:-}

for tool in clang llvm-profdata llvm-cov; do
	if ! command -v $tool > /dev/null; then
		echo "skipped: coverage: no $tool"
		exit 0
	fi
done
clang=${FUZZ_CC:-clang}
make --no-print-directory -j"${FUZZ_JOBS:-2}" O="$O/lib" CC="$clang" \
	CFLAGS="-O1 -fprofile-instr-generate -fcoverage-mapping" "$O/lib/libhd.a" > "$O.log" 2>&1 || {
	tail -20 "$O.log"
	exit 1
}
libs=$(pkg-config --libs libelf libdw libtraceevent sqlite3 libzstd liblzma libdeflate zlib)

# lines PROFILE FILE...: print for each file its name, its lines, and the lines that were reached
lines() {
	profile=$1
	shift
	llvm-profdata merge -sparse -o "$profile.data" "$profile" &&
		llvm-cov export -summary-only -instr-profile="$profile.data" "$O/$name" "$@" 2> /dev/null |
		jq -r '.data[0].files[] | [.filename, .summary.lines.count, .summary.lines.covered] | @tsv' |
		sed "s|^$PWD/||"
}

for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	if [ $# -gt 0 ]; then
		case " $* " in
		*" $name "*) ;;
		*) continue ;;
		esac
	fi
	files=$(awk -F '\t' -v t="$name" '$1 == t { print $3 }' tests/fuzz/targets.tsv)
	# shellcheck disable=SC2086
	$clang -std=gnu11 -g -O1 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Isrc -Itests -fprofile-instr-generate \
		-fcoverage-mapping \
		-o "$O/$name" "$source" tests/fuzz/replay.c "$O/lib/libhd.a" $libs -liberty -lm -pthread || exit 1
	LLVM_PROFILE_FILE=$O/$name.seeds "$O/$name" "tests/fuzz/corpus/$name" > /dev/null 2>&1
	# shellcheck disable=SC2086
	lines "$O/$name.seeds" $files > "$O/$name.tsv"
	if [ -n "$found" ] && [ -d "$found/$name" ]; then
		LLVM_PROFILE_FILE=$O/$name.found "$O/$name" "tests/fuzz/corpus/$name" "$found/$name" > /dev/null 2>&1
		# shellcheck disable=SC2086
		lines "$O/$name.found" $files > "$O/$name.more"
	else
		cp "$O/$name.tsv" "$O/$name.more"
	fi
	paste "$O/$name.tsv" "$O/$name.more" | awk -F '\t' -v name="${name#fuzz_}" '
		function row(what, n, a, b) {
			printf "%-11s %-32s %5d lines %6.1f%% by the seeds %6.1f%% with what was found\n",
				name, what, n, 100 * a / n, 100 * b / n
		}
		{ row($1, $2, $3, $6); n += $2; a += $3; b += $6 }
		END { if (n) row("all", n, a, b) }'
done
