# the Markdown report of two events, for a merge request
hotdrift report --format markdown --symfs "$FIXTURES/recordings/two-events/symfs" \
	"$FIXTURES/recordings/two-events/perf.data"
