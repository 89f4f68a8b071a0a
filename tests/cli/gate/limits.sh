# gate uses the limits and the pinned release of hotdrift.ini; options of the command line override them
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
runs usual
git tag v1
commit slow
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs slow
commit next slow
runs slow
git checkout -q slow
gate --no-record
printf '[target serve]\nlimits = symbols 40 %%, latency 5\n         memory 10, energy 20, floor 1\n' >hotdrift.ini
gate --no-record
gate --no-record --limit 20
# the next commit is as slow as its parent, but slower than the pinned release
git checkout -q next
printf '[target serve]\npin = v1\n' >hotdrift.ini
gate --no-record --base slow
rm hotdrift.ini
git checkout -q slow
# a pinned release is not compared with itself; a pin without runs hides no failure
git tag v2
status hotdrift gate --db h.db --no-record --pin v2 | grep -e '^pin' -e '^status'
git tag empty "$(git commit-tree -m empty 'HEAD^{tree}')"
status hotdrift gate --db h.db --no-record --pin empty | grep -e '^FAIL' -e '^pin' -e '^status'
# limits are printed as they were given
gate --no-record --limit 40 --limit-total 2.5 | grep '^total'
# an interval that is not known is not printed
ids=$(hotdrift query --db h.db --csv "SELECT run_id FROM run ORDER BY id" | tail -n +2 | tr -d '"')
gate --no-record --base "$(echo "$ids" | sed -n 1p)" --head "$(echo "$ids" | sed -n 6p)" --markdown | grep Total
