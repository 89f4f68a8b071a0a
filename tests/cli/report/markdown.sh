# the same for a merge request, two events
hotdrift report --format markdown --symfs "$FIXTURES/recordings/two-events/symfs" \
	"$FIXTURES/recordings/two-events/perf.data"
