# addresses without symbols are [unknown]
hotdrift fold --symfs . --weight samples "$FIXTURES/recordings/calls/perf.data"
