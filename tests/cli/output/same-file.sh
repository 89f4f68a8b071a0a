# an output that would replace the database, an input or another output is refused before anything is written
printf 'main;a 10\nmain;b 20\n' >b.folded
cp b.folded head.folded
for commit in 1 2; do
	hotdrift add b.folded --commit none --db g.db --recorded "2026-01-0${commit}T00:00:00Z" >/dev/null 2>&1
done
cp g.db other.db
ln -s b.folded link
echo 'old' >x.out
hotdrift verify --db g.db >/dev/null		# checkpoints the WAL
before=$(cat g.db other.db b.folded x.out | sha256sum)
try() {
	status=0; hotdrift "$@" >stdout 2>err <b.folded || status=$?
	echo "$*: exit $status"
	cat stdout err
	[ "$before" = "$(cat g.db other.db b.folded x.out | sha256sum)" ] || echo 'a file was changed'
}
try add head.folded --commit none --db g.db -o g.db
try add b.folded --commit none --db g.db -o b.folded
try add b.folded --commit none --db new.db -o ./new.db
[ ! -e new.db ] || echo 'new.db was created'
try verify --db g.db -o g.db
try verify --db g.db -o g.db-wal
try merge other.db --db g.db -o g.db
try merge other.db --db g.db -o other.db
try gate --db g.db --no-record --junit g.db
try gate --db g.db --no-record --junit x.out --sarif "../${PWD##*/}/x.out"
try gate --db g.db --no-record --comment new.out -o new.out
[ ! -e new.out ] || echo 'new.out was created'
try top b.folded -o b.folded
try top link -o b.folded
try top b.folded -o link
try top - -o b.folded
# These outputs replace nothing.
hotdrift top b.folded -o /dev/stdout | head -1
hotdrift fold b.folded -o x.out
hotdrift flame b.folded --cp=p.map -o x.svg
hotdrift flame b.folded --cp=p.map -o x.svg
hotdrift gate --db g.db --no-record --junit /dev/null --sarif /dev/null >/dev/null || echo "gate: exit $?"
hotdrift gate --db g.db --no-record --junit /dev/stdout --comment /dev/stdout >both || echo "gate: exit $?"
grep -c '^<?xml\|^<!--' both
