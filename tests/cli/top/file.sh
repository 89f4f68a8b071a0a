# two functions called work are two rows
hotdrift top --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
