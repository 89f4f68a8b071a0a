# without the symbol root nothing is found: the table says so, the counts stay
hotdrift info --symfs . "$FIXTURES/recordings/calls/perf.data" | tail -n 3
