# what is wrong with the command line is said in one line, with status 2
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
