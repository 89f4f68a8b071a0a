# a selection without samples gives status 5
top() { status=0; hotdrift top --symfs "$FIXTURES/recordings/calls/symfs" "$@" || status=$?; echo "status $status"; }
top --pid 1 "$FIXTURES/recordings/calls/perf.data"
printf 'a;b 5\n' >f
top --pid 1 f
top --event cycles f
