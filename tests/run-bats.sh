#!/bin/sh
# run-bats.sh [FILE.bats...] - test the scripts
set -eu

# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite script
cd "$top"
needs script bats
temporary_folder
log=$tmp/log

[ $# -gt 0 ] || set -- tests/script/*.bats
# The scripts find the program under test by $HOTDRIFT.  If make runs this suite, the makes that the tests start must
# not inherit its flags.
HOTDRIFT=$hotdrift
export HOTDRIFT
unset MAKEFLAGS MFLAGS MAKELEVEL
status=0
bats --tap "$@" >"$log" 2>&1 </dev/null || status=$?
sed -n 's/^ok [0-9]* \(.*\) # skip *\(.*\)/skipped: \1: \2/p' "$log"
skipped=$(grep -c '^ok [0-9].* # skip' "$log" || :)
passed=$(($(grep -c '^ok [0-9]' "$log" || :) - skipped))
failed=$(grep -c '^not ok [0-9]' "$log" || :)
planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n 1)
if [ "$((passed + failed + skipped))" != "${planned:-none}" ] || { [ "$status" != 0 ] && [ "$failed" = 0 ]; }; then
	echo "bats ended with status $status after $((passed + failed + skipped)) of ${planned:-no} tests"
	failed=$((failed + 1))
fi
[ "$failed" = 0 ] || grep -v '^ok ' "$log"
finish
