# statements that write are rejected, and the file is unchanged
printf 'main;f 1\n' >a.folded
hotdrift add a.folded >/dev/null
before=$(sha256sum <results/hotspots.db)
for sql in 'DELETE FROM run' "ATTACH 'x' AS x" 'PRAGMA query_only = 0' 'SELECT 1; DROP TABLE run' \
	'CREATE TEMP TABLE x (a)' \
	"SELECT load_extension('x')" 'SELEC 1' ''; do
	hotdrift query "$sql" 2>&1 || echo "status $?"
done
hotdrift query --timeout-ms 50 \
	'WITH RECURSIVE r (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT COUNT(*) FROM r' 2>&1 ||
	echo "status $?"
hotdrift query --name nothing 2>&1 || echo "status $?"
hotdrift query 2>&1 || echo "status $?"
[ "$before" = "$(sha256sum <results/hotspots.db)" ] && echo unchanged
ls results
