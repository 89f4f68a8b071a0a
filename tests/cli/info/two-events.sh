# each event with its own numbers
hotdrift info --symfs "$FIXTURES/recordings/two-events/symfs" "$FIXTURES/recordings/two-events/perf.data"
