# addresses without symbols are [unknown], one line a depth and place
hotdrift fold --symfs . --weight samples "$FIXTURES/recordings/calls/perf.data"
