# an address without a symbol has its own row
hotdrift top --symfs . --weight samples -n 3 "$FIXTURES/recordings/calls/perf.data"
