# verify accepts a valid history, checks one against a known hash, and rejects one that was modified
printf 'main;parse 30\nmain;decode 20\n' >a.folded
for day in 20 21 22; do
	hotdrift add a.folded --target serve --recorded "2026-11-${day}T14:01:02Z" --commit none >/dev/null 2>&1
done
mask() { sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/; s/[0-9a-f]\{32\}/CHAIN/'; }
hotdrift verify
head=$(sqlite3 results/hotspots.db 'SELECT run_hash FROM run WHERE seq = 2')
hotdrift verify --head "$head" | mask
hotdrift verify --head "$(printf %.12s "$head")" --json | mask
hotdrift verify --head 0123456789 2>&1 || echo "status $?"
hotdrift verify --head 0123 2>&1 || echo "status $?"
sqlite3 results/hotspots.db 'UPDATE hotspot SET self = 31 WHERE run_id = 2 AND self = 30'
hotdrift verify 2>&1 | mask || echo "status $?"
sqlite3 results/hotspots.db 'UPDATE hotspot SET self = 30 WHERE run_id = 2 AND self = 31'
hotdrift verify
sqlite3 results/hotspots.db 'DELETE FROM hotspot WHERE run_id = 3; DELETE FROM event WHERE run_id = 3;
	DELETE FROM artifact WHERE run_id = 3; DELETE FROM run WHERE id = 3'
hotdrift verify >out 2>&1 || echo "status $?"
mask <out
