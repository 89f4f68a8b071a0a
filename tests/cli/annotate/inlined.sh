# a function that was inlined everywhere has no instructions of its own: the message names the function that has them
copies=$FIXTURES/recordings/copies
try() { hotdrift annotate --symfs "$copies/symfs" "$copies/perf.data" "$1" || echo "exit $?"; }
try step
try 'chur*'
try stepp
