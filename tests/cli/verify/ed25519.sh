# sign with a private key and verify with the public one; reject keys whose mode lets others read them; read a key from
# standard input
printf 'main;parse 30\nmain;decode 20\n' >a.folded
cat >ci.pem <<'END'
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
END
cat >ci.pub <<'END'
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
END
chmod 600 ci.pem; chmod 644 ci.pub
mask() {
	sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/; s/\b[0-9a-f]\{32\}\b/CHAIN/; s/[0-9-]*T[0-9:]*Z with/TIME with/
		s/at [0-9-]*T[0-9:]*Z/at TIME/; s/ [0-9]* entries/ N entries/'
}
answer() { status=0; hotdrift "$@" >out 2>&1 || status=$?; mask <out; echo "status $status"; }
add() { hotdrift add a.folded --target serve --recorded "2026-11-$1T14:01:02Z" --commit none --key "$2" 2>&1 | sed \
	-n '/error/p'; }
add 20 ci.pem
add 21 - <ci.pem
answer verify --key ci.pub
answer verify --key ci.pub --strict
answer verify --sign --key ci.pub
answer verify --sign --key ci.pem --anchors kept
sed 's/[0-9a-f]\{16,128\}/HEX/g; s/[0-9-]*T[0-9:]*Z/TIME/; 2s/ [0-9]* HEX TIME/ SEQ HEX TIME/' kept
answer verify --key - --anchors kept --strict <ci.pub
add 22 ci.pub
sqlite3 results/hotspots.db "INSERT INTO acknowledgement (id, symbol, level_pct, reason, created_utc)
	VALUES (1, 'parse', 99, 'x', '2026-11-01T00:00:00Z')"
answer verify --key ci.pub --anchors kept
answer log
chmod 640 ci.pem
answer verify --key ci.pem --db nowhere.db
chmod 604 ci.pem
answer verify --key ci.pem
answer add - --key - <ci.pub
printf -- '-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n' >bad; chmod 600 bad
answer verify --key bad
answer verify --strict
