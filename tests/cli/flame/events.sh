# of several events the first is drawn, with a message
hotdrift flame --symfs "$FIXTURES/recordings/two-events/symfs" "$FIXTURES/recordings/two-events/perf.data" >a.svg
hotdrift flame --symfs "$FIXTURES/recordings/two-events/symfs" --event page-faults \
	"$FIXTURES/recordings/two-events/perf.data" >b.svg
grep -q compute a.svg; grep -q touch b.svg
grep -c compute b.svg || :
