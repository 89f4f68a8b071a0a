# a truncated recording is read up to its end, with a warning; --strict rejects it
for n in 8000 4000 2000; do
	head -c $n "$FIXTURES/recordings/calls/perf.data" >cut.data
	status=0; hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" cut.data >out ||
		status=$?; echo "status $status"
	grep -e ^format -e ^samples out || :
done
hotdrift info --strict --symfs "$FIXTURES/recordings/calls/symfs" cut.data
