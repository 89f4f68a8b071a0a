# analyze rejects invalid command lines
try() { status=0; hotdrift analyze "$@" || status=$?; echo "exit $status"; }
try x.data
try
try x.data -o d --min-quality many
try x.data -o d --format json
