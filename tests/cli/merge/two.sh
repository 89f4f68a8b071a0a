# two databases are merged, each run once; a modified one is rejected, and a file that is no database is named
printf 'main;parse 30\nmain;decode 20\n' >a.folded
for db in a b; do
	for day in 20 21; do
		hotdrift add a.folded --db $db.db --target $db --recorded "2026-11-${day}T14:01:02Z" --commit none \
			>/dev/null 2>&1
	done
done
hotdrift merge --db all.db a.db b.db
hotdrift merge --db all.db a.db b.db --json
hotdrift log --db all.db | sed 's/-[0-9a-f]\{8\} /-XXXXXXXX /' | sort
hotdrift verify --db all.db
sqlite3 b.db 'UPDATE run SET status = '"'failed'"' WHERE seq = 1'
hotdrift merge --db other.db a.db b.db >out 2>&1 || echo "status $?"
sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/' out
hotdrift verify --db other.db
hotdrift merge --db all.db a.folded 2>&1 || echo "status $?"
hotdrift merge --db all.db nothing.db 2>&1 || echo "status $?"
hotdrift merge 2>&1 || echo "status $?"
