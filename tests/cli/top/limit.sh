# -n N, -nN, --limit=N; 0 lists all
top() { hotdrift top --symfs "$FIXTURES/recordings/calls/symfs" --total "$@" "$FIXTURES/recordings/calls/perf.data"; }
top -n 1
top -n2 | wc -l
top --limit=3 | wc -l
top -n 0 | wc -l
