# verify --since reads only what was added after the last verification, and replaces its file if everything is valid
printf 'main;parse 30\nmain;decode 20\n' >a.folded
add() { hotdrift add a.folded --target serve --recorded "2026-11-$1T14:01:02Z" --commit none >/dev/null 2>&1; }
mask() {
	sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/; s/\b[0-9a-f]\{64\}\b/HASH/; s/\b[0-9a-f]\{32\}\b/CHAIN/
		s/journal CHAIN [0-9]*/journal CHAIN SEQ/; s/and [0-9]* entries of the/and N entries of the/
		s/"unread_journal": [1-9][0-9]*/"unread_journal": N/'
}
answer() { status=0; hotdrift "$@" >out 2>&1 || status=$?; mask <out; echo "status $status"; }
sql() { sqlite3 results/hotspots.db "$1"; }
add 20; add 21
answer verify --since heads.txt
mask <heads.txt
add 22
answer verify --since heads.txt
answer verify --since heads.txt --json
echo '--- an altered run that was verified before is not read; one that was added later is'
sql 'UPDATE hotspot SET self = 31 WHERE run_id = 1 AND self = 30'
add 23
cp heads.txt before.txt
answer verify --since heads.txt -j 4
sql 'UPDATE hotspot SET self = 31 WHERE run_id = 4 AND self = 30'
cp before.txt heads.txt
answer verify --since heads.txt
cmp heads.txt before.txt && echo 'the file is unchanged'
sql 'UPDATE hotspot SET self = 30 WHERE self = 31'
echo '--- keys'
printf 'a key of many bytes, made here\n' >key; chmod 600 key
answer verify --since heads.txt --sign --key key | sed 's/[0-9-]*T[0-9:]*Z with/TIME with/'
answer verify --since heads.txt --key key --strict | sed 's/[0-9-]*T[0-9:]*Z with/TIME with/'
echo '--- files and options that are rejected'
hotdrift add a.folded --db other.db --target serve --commit none >/dev/null 2>&1
answer verify --since heads.txt --db other.db
printf '# a comment\nhotdrift-head 1 runs xyz 3 0\n' >bad.txt
answer verify --since bad.txt
answer verify --since heads.txt --head 0123456789
answer verify --since -
