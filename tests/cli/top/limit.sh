# -n N, -nN and --limit=N set the number of rows; 0 prints all rows
top() { hotdrift top --symfs "$FIXTURES/recordings/calls/symfs" --total "$@" "$FIXTURES/recordings/calls/perf.data"; }
top -n 1
top -n2 | wc -l
top --limit=3 | wc -l
top -n 0 | wc -l
