# the shape that scripts rely on
hotdrift info --json --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data"
