# push copies each run once, also to the remote of hotdrift.ini and with signatures; a changed run is rejected
printf 'main;parse 30\nmain;decode 20\n' >a.folded
printf 'a key of many bytes, made here\n' >key; chmod 600 key
add() { hotdrift add a.folded --target serve --recorded "2026-11-$1T14:01:02Z" --commit none --key key \
	>/dev/null 2>&1; }
mask() { sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/; s#[^ ]*/work/##; s/at [0-9-]*T[0-9:]*Z/at TIME/'; }
answer() { status=0; hotdrift "$@" >out 2>&1 || status=$?; mask <out; echo "status $status"; }
add 20; add 21
answer push
answer push far.db
answer push far.db
add 22
answer push far.db --key key --json
answer verify --db far.db --key key
answer push absent/far.db
mkdir shared
printf '[hotdrift]\nremote = shared/all.db\n' >hotdrift.ini
answer push
hotdrift target | sed -n '/remote/p'
printf '[hotdrift]\nremote =\n' >hotdrift.ini
answer push
rm hotdrift.ini
# two databases push to one remote, and one of them also has runs of the other
hotdrift add a.folded --db b.db --target other --recorded 2026-11-23T14:01:02Z --commit none >/dev/null
answer push --db b.db shared/all.db
answer merge --db results/hotspots.db b.db --key key
answer push shared/all.db --key key
hotdrift verify --db shared/all.db --key key | mask | sort
# neither a changed run nor later runs are sent
add 24; add 25
sqlite3 results/hotspots.db "UPDATE hotspot SET self = 31
	WHERE run_id = (SELECT id FROM run WHERE recorded_utc LIKE '2026-11-25%') AND self = 30"
answer push shared/all.db
hotdrift log --db shared/all.db | wc -l
