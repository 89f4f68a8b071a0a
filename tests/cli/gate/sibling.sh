# --base REF uses the runs of REF if its merge base with the head has no runs
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
commit before
runs usual
commit slow
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs slow
status hotdrift gate --db h.db --base before --no-record | head -3
status hotdrift gate --db h.db --no-record
# If the merge base has runs, it is the base.
git checkout -q main
runs usual
git checkout -q slow
status hotdrift gate --db h.db --base before --no-record | head -1
# A failed run is no baseline for later runs, which the first line reports; an acknowledgement makes it one again.
status hotdrift gate --db h.db | head -1
commit next slow
runs slow
status hotdrift gate --db h.db --base slow --no-record | head -1
git checkout -q main
git merge -q --ff-only next
status hotdrift gate --db h.db --no-record | head -1
status hotdrift ack --db h.db parse_row --reason known
status hotdrift gate --db h.db --no-record | head -1
