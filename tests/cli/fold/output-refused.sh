# the output folder does not exist, the file may not be replaced, or the output is a folder
fold() { status=0; hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" \
	"$@" || status=$?; echo "status $status"; }
fold -o absent/out
mkdir dir; fold -o dir
ls -A . dir
