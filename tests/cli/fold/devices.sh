# a device stays a device, whoever writes to it
fold() { hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" "$@"; }
fold -o /dev/null
test -c /dev/null
mkfifo fifo
fold >want
fold -o fifo &
cmp fifo want
wait $!
test -p fifo
