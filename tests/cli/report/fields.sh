# fields of samples are keys, filters and weights; an unknown field is an error that lists the existing ones
f=$FIXTURES/recordings/calls/perf.data
try() { status=0; hotdrift report --symfs "$FIXTURES/recordings/calls/symfs" "$@" "$f" \
	2>&1 || status=$?; echo "status $status"; }
try --by cpumode,symbol -n 2
try --by period --filter 'cpumode == user && !(cpu > 4096)' -n 1
try --by colour
try --by event --filter 'prev_comm == "x"'
try --by event --filter 'cpu ~ 3'
try --by event --filter 'cpu == 3 &&'
try --by event --weight samples --weight-field period
try --by event --weight-field cpumode
try --by event --weight-field period
echo 'a;b 1' | hotdrift fold --filter 'cpu == 1' - 2>&1 || echo "status $?"
