# info prints the contents of a recording in file mode
hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
