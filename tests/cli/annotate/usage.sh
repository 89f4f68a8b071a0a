# errors name the invalid argument, and a misspelt function gets a hint
calls=$FIXTURES/recordings/calls
try() { status=0; hotdrift annotate --symfs "$calls/symfs" "$@" || status=$?; echo "exit $status"; }
name=$(hotdrift annotate --symfs "$calls/symfs" "$calls/perf.data" --json | jq -r '.symbols[0].symbol')
try "$calls/perf.data" "${name}x"
try "$calls/perf.data" '/((/'
try "$calls/perf.data" a -s b
try "$calls/perf.data" --source-only --asm-only
try "$calls/perf.data" -M arm
try "$calls/perf.data" --substitute-path x
try "$calls/perf.data" -n many
# inputs without addresses
echo 'main;work 7' > f.folded
try f.folded
try f.folded work
