# by total cost, recursion counted once: no share is above 100 %
hotdrift top --total -n 0 --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
