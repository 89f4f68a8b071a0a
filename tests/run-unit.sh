#!/bin/sh
# run-unit.sh PROGRAM... - run the cmocka programs and count their tests
#
# A program that ends with a signal, or with a status that its tests do not explain (for example that of a sanitizer),
# counts as one more failed test.
set -eu

# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite unit
temporary_folder
log=$tmp/log
# The sanitizer keeps freed memory until it has this much, which makes it slow.  The default is 256 MB.
export ASAN_OPTIONS="quarantine_size_mb=16:${ASAN_OPTIONS:-}"

for program; do
	status=0
	timeout "${TEST_TIMEOUT:-900}" "$program" >"$log" 2>&1 </dev/null || status=$?
	# cmocka prints one of these lines for each test; the list at the end of its output repeats the failed tests.
	# cmocka of Debian 13 prints the name of the group before the number of tests.
	counts=$(awk '
		/^\[       OK \] / { ok++ }
		/^\[==========\] .* run\.$/ { ended = 1 }
		!ended && /^\[  SKIPPED \] / { skip++ }
		!ended && /^\[  FAILED  \] [A-Za-z_]/ { bad++ }
		/^\[==========\] (.*: )?Running [0-9]+ test/ && announced == "" {
			match($0, /Running [0-9]+/)
			announced = substr($0, RSTART + 8, RLENGTH - 8)
		}
		/^skipped: / { print >names }
		END { print ok + 0, skip + 0, bad + 0, announced }
	' names="$tmp/skipped" "$log")
	read -r ok skip bad announced <<-END
		$counts
	END
	if [ "$((ok + skip + bad))" != "${announced:-none}" ]; then
		echo "$program: ran $((ok + skip + bad)) of ${announced:-no} tests" >>"$log"
		bad=$((bad + 1))
	fi
	if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		echo "$program: exited with status $status" >>"$log"
		bad=1
	fi
	if [ "$bad" != 0 ]; then
		echo "--- ${program#"$O"/}"
		grep -v -e '^\[ RUN' -e '^\[       OK' "$log" || :
	fi
	if [ -e "$tmp/skipped" ]; then
		cat "$tmp/skipped"
		rm "$tmp/skipped"
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
done
if [ $# = 0 ]; then
	echo "there are no unit tests"
	failed=1
fi
finish
