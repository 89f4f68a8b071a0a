# two functions with the name work have separate rows
hotdrift top --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
