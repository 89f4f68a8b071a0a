#!/bin/sh
# check.sh [SUITE...] - run the test suites, several at a time, and add up their results
#
# A suite is the make target check-SUITE.  The last line that it prints is `SUITE: N passed, N failed, N skipped`.
#
# When a suite ends, this script prints that line, the wall time and the CPU time of the suite, and the names of skipped
# tests; if a test failed, the whole output.  A suite that ends without its line, or fails without a failed test, counts
# as one failure.  The last line of this script is the sum.  $O/check/ keeps the full output.
#
#   LANES=N   run N suites at a time; default: one more than there are processors, at most 4
#
# check.sh --one SUITE   run one suite and print its name; used by check.sh itself
set -eu

cd "$(dirname "$0")/.."
# The longest suites come first.  Those of `alone` run by themselves, because they measure time or record the whole
# system: other suites' programs would end before perf and hotdrift have both looked up their names.
suites='script unit fault browser pg cli injection suggestions truth mutants headers durability corpus ci story docs
	shell convert dwarf folded remote fuzz foreign package cuda stats peers gpu names layers'
alone='perf records heap waits'
logs=${O:-build}/check

if [ "${1:-}" = --one ]; then
	status=0
	began=$(date +%s)
	# A test that hangs ends its suite after three hours: no suite takes as long, even beside eight busy processes.
	timeout --foreground -k 60 3h make --no-print-directory "check-$2" >"$logs/$2.log" 2>&1 </dev/null ||
		status=$?
	[ "$status" != 124 ] || echo "$2: did not end within three hours, and was ended" >>"$logs/$2.log"
	# The second line has the user and the system time of all children that were waited for, such as 0m1.5s 0m0.2s.
	times >"$logs/$2.times"
	cpu=$(awk -F '[ms ]+' 'NR == 2 { gsub(",", "."); printf "%.0f", ($1 + $3) * 60 + $2 + $4 }' "$logs/$2.times")
	echo "$status $(($(date +%s) - began)) $cpu" >"$logs/$2.ended"
	echo "$2"
	exit 0
fi

[ $# = 0 ] || suites=$* alone=''
mkdir -p "$logs"
# shellcheck source=tests/suite.sh
. tests/suite.sh
find_python
# Each suite is run by a make of its own, which must not use the job server of the make that runs this script.  DIR= is
# the input folder of a single suite, so it is not passed on.
unset MAKEFLAGS MFLAGS MAKELEVEL DIR
lanes=$(($(nproc 2>/dev/null || echo 2) + 1))
[ "$lanes" -le 4 ] || lanes=4
lanes=${LANES:-$lanes}

passed=0 failed=0 skipped=0
report() {	# SUITE
	log=$logs/$1.log
	status=1 took=0 cpu=0
	[ ! -e "$logs/$1.ended" ] || read -r status took cpu <"$logs/$1.ended"
	line=$(grep -E "^$1: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped\$" "$log" 2>/dev/null | tail -n 1 || :)
	if [ -n "$line" ]; then
		counts=${line#"$1": }
		p=${counts%% *}
		counts=${counts#*, }
		f=${counts%% *}
		counts=${counts#*, }
		s=${counts%% *}
	else
		p=0 f=1 s=0
		echo "$1: ended with status $status and without its count" >>"$log"
	fi
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		f=1
		echo "$1: ended with status $status though no test failed" >>"$log"
	fi
	if [ "$f" != 0 ]; then
		printf '=== %s failed; all of its output:\n' "$1"
		cat "$log"
		printf '=== end of %s\n' "$1"
	else
		sed -n 's/^ *skipped: /  skipped: /p' "$log"
	fi
	printf '%s: %s passed, %s failed, %s skipped (%s s, %s s CPU)\n' "$1" "$p" "$f" "$s" "$took" "$cpu"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

run() {		# LANES SUITE...: run the suites, and print the name of each when it ends
	lanes=$1
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | xargs -P "$lanes" -n 1 scripts/check.sh --one || :
}

for suite in $suites $alone; do rm -f "$logs/$suite.ended" "$logs/$suite.log"; done
# The words of $suites and $alone are split on purpose.
# shellcheck disable=SC2086
{ run "$lanes" $suites; run 1 $alone; } | {
	reported=' '
	while read -r suite; do
		report "$suite"
		reported="$reported$suite "
	done
	for suite in $suites $alone; do
		case $reported in *" $suite "*) ;; *) report "$suite" ;; esac
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}
