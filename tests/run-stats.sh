#!/bin/bash
# run-stats.sh [DIR] - compare the statistical formulas with tables of known answers
#
# DIR (argument, environment, default ../shared/stats) contains MANIFEST.tsv and the tables that it lists.  The programs
# of tests/stats/ read the folder and print a line per table: rows, differences, worst error, tolerance.  A table that
# no program reads is reported as a failure.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite stats
cd "$top" || exit 1
DIR=${1:-${DIR:-../shared/stats}}

if [ ! -f "$DIR/MANIFEST.tsv" ]; then
	skip stats "no tables of answers in $DIR"
	finish
fi
temporary_folder
log=$tmp/log
: >"$log"

for source in tests/stats/*.c; do
	program=$O/tests/stats/$(basename "$source" .c)
	if ! [ -x "$program" ]; then
		fail "no $program: run make first"
		continue
	fi
	timeout "${TEST_TIMEOUT:-300}" "$program" "$DIR" > "$log.one" 2>&1 </dev/null ||
		fail "$program ended with status $?"
	cat "$log.one"
	cat "$log.one" >> "$log"
	rm -f "$log.one"
done

# judged_with FILE: print the table that is checked with FILE.  For a table, that is FILE itself.
judged_with() {
	case $1 in
	changepoint/series/*) echo changepoint/expected.tsv ;;
	robust/criterion/*) echo robust/criterion_estimates.tsv ;;
	aa_nights/runs.csv) echo aa_nights/ratio_intervals.tsv ;;
	planted/*) echo planted/truth.tsv ;;
	twosample/benchstat/old.txt | twosample/benchstat/new.txt) echo twosample/benchstat/csvOldNew.stdout ;;
	twosample/benchstat/*.txt) echo "${1%.txt}.stdout" ;;
	folded_diff/before.txt | folded_diff/after.txt) echo folded_diff/results/default.txt ;;
	*) echo "$1" ;;
	esac
}
while IFS= read -r file; do
	grep -q ": $(judged_with "$file" | sed 's/[.[\*^$]/\\&/g')[:; (]" "$log" && continue
	fail "$file: no program judges it"
done < <(tail -n +2 "$DIR/MANIFEST.tsv" | cut -f 1)

passes "$(grep -c '^passed: ' "$log")"
failed=$((failed + $(grep -c '^FAILED: ' "$log")))
skipped=$((skipped + $(grep -c '^ *skipped: ' "$log")))
finish
