# report --by prints one table, grouped by any keys
hotdrift report --by comm,symbol --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data"
hotdrift report --by dso --symfs "$FIXTURES/recordings/two-events/symfs" "$FIXTURES/recordings/two-events/perf.data"
hotdrift report --by line -n 1 --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
