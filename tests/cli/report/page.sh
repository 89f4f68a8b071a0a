# report prints the recording, and its symbols, objects and commands by self cost
hotdrift report --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data"
