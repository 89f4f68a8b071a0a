# of several events the first is written; --event picks another
hotdrift fold --symfs "$FIXTURES/recordings/two-events/symfs" "$FIXTURES/recordings/two-events/perf.data"
hotdrift fold --symfs "$FIXTURES/recordings/two-events/symfs" --event page-faults \
	--weight samples "$FIXTURES/recordings/two-events/perf.data"
status=0; hotdrift fold --event cycles --symfs "$FIXTURES/recordings/two-events/symfs" \
	"$FIXTURES/recordings/two-events/perf.data" || status=$?; echo "status $status"
