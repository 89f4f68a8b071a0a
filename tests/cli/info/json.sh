# info --json prints the fields on which scripts rely
hotdrift info --json --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data"
