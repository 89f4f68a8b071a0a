# top prints the JSON of one report and of several
hotdrift top --json --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
hotdrift top --json --symfs "$FIXTURES/recordings/two-events/symfs" -n 1 "$FIXTURES/recordings/two-events/perf.data"
