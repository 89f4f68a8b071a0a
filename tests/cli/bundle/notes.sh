# messages of bundle, inputs that it rejects, and options that have no effect on a bundle
R=$FIXTURES/recordings/calls
hotdrift bundle --symfs "$R/symfs" "$R/perf.data" -o x.hdb 2>&1 | sed 's/[0-9]* bytes from/N bytes from/'
hotdrift bundle - --symfs "$R/symfs" -o - <"$R/pipe.data" 2>&1 >y.hdb | sed 's/[0-9]* bytes from/N bytes from/'
hotdrift fold - <y.hdb
hotdrift bundle x.hdb -o y.hdb || echo "status $?"
hotdrift bundle "$R/perf.data" || echo "status $?"
echo 'a;b 1' >stacks
hotdrift bundle stacks -o y.hdb || echo "status $?"
hotdrift top --symfs /nowhere x.hdb
head -c 1500 x.hdb >cut.hdb
for strict in '' --strict; do
	hotdrift top $strict cut.hdb 2>err || echo "status $?"
	sed 's/at 0x[0-9a-f]*/at N/' err
done
printf '\211HDB\r\n\032\n\2\0\0\0\0\0\0\0' >new.hdb
hotdrift top new.hdb || echo "status $?"
hotdrift analyze x.hdb -o out >/dev/null && ls out
hotdrift add x.hdb --db hotspots.db >/dev/null 2>&1 && hotdrift show --db hotspots.db | sed -n 's/.*\(work\).*/\1/p' |
	head -1
