# an output that cannot be written leaves no file behind
status=0; hotdrift flame --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" \
	-o absent/f.svg || status=$?; echo "status $status"
hotdrift flame --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" -o /dev/null
test -c /dev/null
ls -A
