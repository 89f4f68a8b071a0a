# another machine verifies a run from a file; a modification on the way is reported with its line
printf 'main;parse 30\nmain;decode 20\n' >a.folded
printf 'main;parse 31\nmain;decode 20\n' >b.folded
for day in 20 21 22; do
	hotdrift add a.folded --target serve --recorded "2026-11-${day}T14:01:02Z" --commit none >/dev/null 2>&1
done
mask() {
	sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/g; s/\b[0-9a-f]\{64\}\b/SHA/g; s/\b[0-9a-f]\{32\}\b/CHAIN/g
		s/[0-9a-f]\{12\}\.\.\./SHA.../g'
}
answer() { status=0; hotdrift "$@" >out 2>&1 || status=$?; mask <out; echo "status $status"; }
answer witness export latest~1 -o w.jsonl
answer witness verify w.jsonl
answer witness verify w.jsonl --recording a.folded --db results/hotspots.db
answer witness verify w.jsonl --recording b.folded
answer witness verify w.jsonl --json --head "$(sqlite3 results/hotspots.db 'SELECT run_hash FROM run WHERE seq = 2')"
answer witness verify w.jsonl --head 0123456789
hotdrift add a.folded --db other.db --commit none >/dev/null
answer witness verify w.jsonl --db other.db
sed 's/,30,30,1,/,31,30,1,/' w.jsonl >changed; answer witness verify changed
sed 4d w.jsonl >removed; answer witness verify removed
sed 4p w.jsonl >inserted; answer witness verify inserted
{ sed -n 1,3p w.jsonl; sed -n 5p w.jsonl; sed -n 4p w.jsonl; sed -n '6,$p' w.jsonl; } \
	>moved; answer witness verify moved
head -n 9 w.jsonl >short; answer witness verify short
mkdir all; answer witness export latest latest~2 -o all
find all -name '*.jsonl' | sort | mask
answer witness verify all/*.jsonl
hotdrift witness export | hotdrift witness verify - | tail -n 1
answer witness verify a.folded
answer witness export nothing
answer witness check w.jsonl
answer witness verify
answer witness export --recording a.folded
