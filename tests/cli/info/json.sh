# the fields of the JSON output, on which scripts rely
hotdrift info --json --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data"
