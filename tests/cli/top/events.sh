# a table for each event, or the one that is asked for
hotdrift top --symfs "$FIXTURES/recordings/two-events/symfs" "$FIXTURES/recordings/two-events/perf.data"
hotdrift top --symfs "$FIXTURES/recordings/two-events/symfs" --event page-faults \
	"$FIXTURES/recordings/two-events/perf.data"
