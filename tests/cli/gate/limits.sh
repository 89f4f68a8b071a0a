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
