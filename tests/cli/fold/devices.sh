# a device or a pipe is written in place and not replaced
fold() { hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" "$@"; }
fold -o /dev/null
test -c /dev/null
mkfifo fifo
fold >want
fold -o fifo &
cmp fifo want
wait $!
test -p fifo
