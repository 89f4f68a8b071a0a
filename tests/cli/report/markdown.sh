# report prints two events in Markdown, for a merge request
hotdrift report --format markdown --symfs "$FIXTURES/recordings/two-events/symfs" \
	"$FIXTURES/recordings/two-events/perf.data"
