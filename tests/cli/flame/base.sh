# in a differential flamegraph, growth is red, shrinkage blue and random change grey; one more sample has no colour
printf 'serve;main;read_row 300\nserve;main;decode 400\nserve;main;emit 300\nserve;main;old 100\nserve;main;rare 1\n' \
	>before.folded
printf 'serve;main;%s\n' 'read_row.isra.0 700' 'decode 200' 'emit 290' 'rare 2' 'once 1' >after.folded
hotdrift flame --base before.folded after.folded -o change.svg
sed -n 's/.*\(data-b="[^"]*"\).*/\1/p' change.svg
grep -o 'of the base only: [^<]*' change.svg | head -n 1
grep -o 'colours: change since [^<]*' change.svg | head -n 1
tr '\n' ' ' <change.svg | grep -o '<title>[a-z_.0-9\\]* [^<]*</title><rect class="[a-z0-9]*"' | sed 's/ x=.*//'
hotdrift add before.folded --target serve --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
hotdrift flame --base latest after.folded | grep -c 'points'
hotdrift flame --base nowhere after.folded 2>&1 || echo "status $?"
# sides that were recorded, or are read, in different ways: the warnings of diff
recordings=$FIXTURES/recordings
hotdrift flame --base "$recordings/calls/perf.data" "$recordings/copies/perf.data" --symfs "$recordings/copies/symfs" \
	-o methods.svg 2>&1 | grep 'call graph'
hotdrift flame --base "$recordings/calls/perf.data" "$recordings/copies/perf.data" "$recordings/copies/perf.data" \
	--symfs "$recordings/copies/symfs" -o methods.svg 2>&1 | grep 'call graph'
hotdrift flame "$recordings/calls/perf.data" "$recordings/copies/perf.data" "$recordings/calls/perf.data" \
	--symfs "$recordings/copies/symfs" -o methods.svg 2>&1 | grep 'call graph'
hotdrift add before.folded --target serve --commit none --inline --recorded 2026-10-02T12:00:00Z >/dev/null 2>&1
hotdrift flame --base latest~1 latest -o modes.svg
hotdrift flame --base latest after.folded --no-inline -o plain.svg
