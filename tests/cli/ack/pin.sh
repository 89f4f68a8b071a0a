# a gate that failed by its pinned release is acknowledged only if what grew since that release is, too
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
git tag v1
sed 's/memmove 1500/memmove 1625/' usual >a
commit a
runs a
sed -e 's/memmove 1500/memmove 1755/' -e 's/parse_row 1210/parse_row 1560/' -e 's/idle 1200/idle 800/' usual >b
commit b a
runs b
hotdrift gate --db h.db --base a --pin v1 >out 2>/dev/null || echo "status $?"
grep -E '^R|^pin' out
hotdrift query --db h.db --csv "SELECT s.name, d.kind, d.verdict, r.id FROM drift_event d
	JOIN symbol s ON s.id = d.symbol_id JOIN run r ON r.id = d.base_run WHERE d.kind = 'cost'"
git checkout -q main
git merge -q --ff-only b
commit c
runs b
gate --no-record | head -1
hotdrift ack parse_row --level 18 --reason known --db h.db
gate --no-record | head -1
hotdrift ack memmove --level 21 --reason known --db h.db
gate --no-record | head -1
