# if the output cannot be created, no run is added; if writing fails after the run was added, the message says so
[ -c /dev/full ] || { echo 'no /dev/full' >&2; exit 77; }
printf 'main;f 1\n' >a.folded
try() { status=0; "$@" 2>&1 || status=$?; \
	echo "status $status, runs: $(hotdrift query --csv 'SELECT count(*) FROM run' | tail -n 1)"; }
set -- hotdrift add a.folded --commit none --recorded 2026-01-01T00:00:00Z
try "$@" -o absent/answer
try "$@" -o .
full() { "$@" >/dev/full; }
try full "$@" 2>&1 | sed 's/20260101T000000Z-nocommit-[0-9a-f]*/RUN/'
