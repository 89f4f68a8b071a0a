# a planted regression fails; a rename, an inlining and a pure refactoring do not
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
runs usual
commit slow
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs slow
commit rename
sed 's/decode 800/decode_fast 800/' usual >rename
runs rename
commit inline
sed 's/emit;fmt 900/emit 900/' usual >inline
runs inline
commit refactor
runs usual
for branch in slow rename inline refactor; do
	git checkout -q "$branch"
	echo "== $branch"
	status hotdrift gate --db h.db
done
# A failed commit is no baseline for later ones, and on main there is no earlier one.
git checkout -q slow
git commit -q --allow-empty -m next
runs slow
status hotdrift gate --db h.db
git checkout -q main
status hotdrift gate --db h.db
# The output has at most 15 lines.
status hotdrift gate --db h.db --base rename --head slow --limit 0 --floor 0 | wc -l
hotdrift query --db h.db 'SELECT command, verdict, look, failed, shifted FROM gate_result ORDER BY id'
