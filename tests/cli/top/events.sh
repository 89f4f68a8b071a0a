# top prints a table for each event, or for the selected one
hotdrift top --symfs "$FIXTURES/recordings/two-events/symfs" "$FIXTURES/recordings/two-events/perf.data"
hotdrift top --symfs "$FIXTURES/recordings/two-events/symfs" --event page-faults \
	"$FIXTURES/recordings/two-events/perf.data"
