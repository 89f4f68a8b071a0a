# --dry-run lists the runs to delete; prune deletes them, keeps those that no rule may delete, and the history is valid
printf 'main;parse 30\nmain;decode 20\n' >a.folded
for day in 18 19 20 21 22; do
	hotdrift add a.folded --target serve --recorded "2026-11-${day}T14:01:02Z" \
		--commit 0123456789abcdef0123456789abcdef01234567 >/dev/null 2>&1
	hotdrift add a.folded --target 'a b' --recorded "2026-11-${day}T15:01:02Z" --commit none >/dev/null 2>&1
done
mask() { sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/'; }
hotdrift prune --keep 3 --dry-run | mask
hotdrift prune --keep 3 --target 'a b' --dry-run --json | mask
hotdrift log | wc -l
hotdrift prune --keep 1 --before 2026-11-20T00:00:00Z | mask
hotdrift prune --keep 1 --before 2026-11-20T00:00:00Z
hotdrift verify
sqlite3 results/hotspots.db 'SELECT seq, reason FROM tombstone ORDER BY seq'
hotdrift prune 2>&1 || echo "status $?"
hotdrift prune --keep 1 --before yesterday 2>&1 || echo "status $?"
