#!/bin/sh
# check.sh [SUITE...] - run the test suites and add them up; all of them: those that mostly wait beside the others
#
# A suite is the make target check-SUITE; the last line that it prints is
# `SUITE: N passed, N failed, N skipped`.  A suite that passes shows that line
# and the names of what it skipped, one that fails shows everything.  A suite
# that dies without its line, or fails without a failed test, is one failure.
# The last line here is the sum.  The full output is kept in $O/check/.
set -eu

cd "$(dirname "$0")/.."
suites='layers headers shell unit cli fuzz mutants injection script browser fault perf records truth heap waits story corpus stats pg durability'
beside='script browser'		# they mostly wait; the rest is not kept waiting by them
[ $# = 0 ] || suites=$* beside=''
logs=${O:-build}/check
mkdir -p "$logs"
# A suite's make is a new one: it must not look for the job server of this one,
# and DIR= names the input of a single suite.
unset MAKEFLAGS MFLAGS MAKELEVEL DIR

run() {		# SUITE: its output, how it ended, and the seconds that it took, into $logs
	status=0
	began=$(date +%s)
	make --no-print-directory "check-$1" >"$logs/$1.log" 2>&1 </dev/null || status=$?
	echo "$status $(($(date +%s) - began))" >"$logs/$1.ended"
}
for suite in $suites; do rm -f "$logs/$suite.ended"; done
for suite in $beside; do run "$suite"; done &
lane=$!
trap 'kill $lane 2>/dev/null || :; exit 6' HUP INT TERM

passed=0 failed=0 skipped=0
# Names are words without blanks.
for suite in $suites; do
	log=$logs/$suite.log
	case " $beside " in
	*" $suite "*) [ -e "$logs/$suite.ended" ] || wait $lane || : ;;
	*) run "$suite" ;;
	esac
	status=1 took=0
	[ ! -e "$logs/$suite.ended" ] || read -r status took <"$logs/$suite.ended"
	line=$(grep -E "^$suite: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped\$" "$log" | tail -n 1 || :)
	if [ -n "$line" ]; then
		counts=${line#"$suite": }
		p=${counts%% *}
		counts=${counts#*, }
		f=${counts%% *}
		counts=${counts#*, }
		s=${counts%% *}
	else
		p=0 f=1 s=0
		echo "$suite: ended with status $status and without its count" >>"$log"
	fi
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		f=1
		echo "$suite: ended with status $status though no test failed" >>"$log"
	fi
	if [ "$f" != 0 ]; then
		printf '=== %s failed; all of its output:\n' "$suite"
		cat "$log"
		printf '=== end of %s\n' "$suite"
	else
		sed -n 's/^ *skipped: /  skipped: /p' "$log"
	fi
	printf '%s: %s passed, %s failed, %s skipped (%s s)\n' "$suite" "$p" "$f" "$s" "$took"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
