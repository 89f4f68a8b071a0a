# fold handles frame pointers, recursion, a call that does not return, and two functions with one name
hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
