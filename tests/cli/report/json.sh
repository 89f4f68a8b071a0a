# without keys, the report groups by command, object and symbol
hotdrift report --json --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data"
hotdrift report --json --by event --symfs "$FIXTURES/recordings/two-events/symfs" \
	"$FIXTURES/recordings/two-events/perf.data"
