# an address that no symbol covers is a row of its own
hotdrift top --symfs . --weight samples -n 3 "$FIXTURES/recordings/calls/perf.data"
