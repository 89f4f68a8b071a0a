# names with any bytes cannot start a line, a table cell or a spreadsheet formula
printf 'main;=cmd()|"x",\033[31m,`<b>\303\050 30\nmain;a\\nb 20\nmain;[unknown] 9\n' >a.folded
printf 'main;=cmd()|"x",\033[31m,`<b>\303\050 50\nmain;a\\nb 20\nmain;\342\200\256evil 9\n' >b.folded
hotdrift add a.folded --target "$(printf 'x\033[0m<y>')" --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
hotdrift add b.folded --target "$(printf 'x\033[0m<y>')" --commit none --recorded 2026-10-02T12:00:00Z >/dev/null
mask() { sed 's/nocommit-[0-9a-f]\{8\}/nocommit-XXXXXXXX/g'; }
for how in '' --csv --markdown; do
	hotdrift history $how | mask
	hotdrift history $how "$(printf '\342\200\256evil')" | mask
	hotdrift diff $how a.folded b.folded
done
hotdrift diff --json a.folded b.folded | head -n 14
hotdrift history "$(printf 'e\033[1m')" 2>&1 | mask || true
printf '"=cmd()|\033[31m" > 3 %%\n' >shares
hotdrift expect shares a.folded 2>&1 || true
hotdrift expect shares a.folded --markdown 2>&1 || true
# a series with such a name can be selected, and is listed if the requested one does not exist
printf 'depth\n1\n3\n' >d.csv
odd=$(printf 'a\033b')
hotdrift add --db s.db --target "$odd" --commit none --recorded 2026-01-01T00:00:00Z --series "$odd=d.csv" a.folded \
	>/dev/null
hotdrift history --db s.db --target "$odd" --series "other:$odd.depth:mean" | head -n 1
hotdrift history --db s.db --series other:depth:mean 2>&1 | grep -o 'other:a[^ ]*:mean'
