# verify checks histories signed by add, by verify and with another key, one that was rolled back, and one without
# anchors
printf 'main;parse 30\nmain;decode 20\n' >a.folded
printf 'a key of many bytes, made here\n' >key; printf 'another key of many bytes\n' >other; chmod 600 key other
add() { hotdrift add a.folded --target serve --recorded "2026-11-$1T14:01:02Z" --commit none --key key 2>&1 | sed \
	-n '/error/p'; }
mask() {
	sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/; s/\b[0-9a-f]\{32\}\b/CHAIN/; s/[0-9-]*T[0-9:]*Z with/TIME with/
		s/at [0-9-]*T[0-9:]*Z/at TIME/; s/"signed": "[^"]*"/"signed": "TIME"/'
}
answer() { status=0; hotdrift "$@" >out 2>&1 || status=$?; mask <out; echo "status $status"; }
add 20; add 21
answer verify --key key
answer verify --key other
cp results/hotspots.db old.db
add 22
answer verify --sign --key other --anchors kept
sed 's/[0-9a-f]\{16,64\}/HEX/g; s/[0-9-]*T[0-9:]*Z/TIME/; 2s/ [0-9]* HEX TIME/ SEQ HEX TIME/' \
	kept	# the second line is the journal, which has an entry for each schema file
answer verify --sign --key other --anchors kept
answer verify --key other --anchors kept --json
answer verify --key other --anchors kept --db old.db
sed 's/ 3 / 2 /' kept >changed
answer verify --key other --anchors changed
sqlite3 results/hotspots.db 'DELETE FROM anchor'
answer verify --key key
chmod 644 key
answer verify --sign --key key
printf 'short\n' >short; chmod 600 short
answer verify --key short
answer verify --sign
answer verify --key absent
