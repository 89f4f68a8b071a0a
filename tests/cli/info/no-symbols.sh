# without the symbol root no symbol is found: the table reports that, and the counts are unchanged
hotdrift info --symfs . "$FIXTURES/recordings/calls/perf.data" | tail -n 3
