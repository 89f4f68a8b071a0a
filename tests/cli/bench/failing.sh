# failed runs are reported but not counted, and the exit status is 6
try() { status=0; hotdrift bench "$@" >out || status=$?; grep '^failed' out || :; echo "status $status"; }
try -r 5 -w 0 -- sh -c 'echo "first line" >&2; echo "no licence" >&2; exit 3'
try -r 2 -w 0 -- sh -c 'kill -9 $$'
try -r 1 -w 0 --timeout 0.2 -- sh -c 'mkfifo f; read x <f'
# one of four runs fails
echo 0 >n
try -r 4 -w 0 -- sh -c 'read n <n; echo $((n + 1)) >n; [ $n != 2 ]'
grep '^runs' out
# the user expects this status
try -r 2 -w 0 --ignore-failure -- sh -c 'exit 3'
# a command that cannot be started is not measured
try -r 2 -- ./no-such-program x
try -r 2 --input no-such-file -- cat
try -r 2 --prepare 'sh -c "echo broken >&2; exit 1"' -- true
try -r 2 --setup ./no-such-setup -- true
# there is no space for the report or the values
if [ -c /dev/full ]; then
	try -r 1 -w 0 --csv /dev/full -- true
	try -r 1 -w 0 -o /dev/full -- true
fi
