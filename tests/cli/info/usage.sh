# an invalid command line gives a message of one line and status 2
try() { status=0; hotdrift info "$@" || status=$?; echo "status $status"; }
try
try a b
try --nonsense a
try -x a
try --json=yes a
try --weight bytes a
: >a; try --pid x "$FIXTURES/recordings/calls/perf.data"
try --time now no-such-file
try --event
