# a full disk gives status 6, a message, and no partial file
[ -c /dev/full ] || { echo "there is no /dev/full" >&2; exit 77; }
try() { status=0; "$@" >/dev/full || status=$?; echo "status $status"; }
try hotdrift top --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
try hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data"
try hotdrift help
status=0; hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" \
	-o /dev/full || status=$?; echo "status $status"
