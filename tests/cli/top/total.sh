# total cost counts recursion once, so no share exceeds 100 %
hotdrift top --total -n 0 --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
