# if one file cannot be replaced, none is; an unreadable recording creates no folder
mkdir -p out/report.json
echo old > out/folded.txt
status=0
hotdrift analyze "$FIXTURES/recordings/calls/perf.data" -o out --symfs "$FIXTURES/recordings/calls/symfs" || status=$?
echo "exit $status"
cat out/folded.txt
ls out
status=0
echo 'no recording' > x
hotdrift analyze x -o never || status=$?
echo "exit $status"
[ ! -e never ]
status=0
hotdrift analyze "$FIXTURES/recordings/calls/perf.data" -o a/b/c --symfs "$FIXTURES/recordings/calls/symfs" || status=$?
echo "exit $status"
