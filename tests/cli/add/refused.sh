# nothing is stored if any argument is invalid
printf 'main;f 1\n' >a.folded
printf 'main;f 18446744073709551615\n' >huge.folded
try() { status=0; hotdrift add "$@" 2>&1 | sed 's/^/  /' || :; hotdrift add "$@" \
	>/dev/null 2>&1 || status=$?; echo "status $status"; }
try huge.folded
try a.folded --config no-such.json
try a.folded --commit 'HEAD; id'
try a.folded --recorded yesterday
try a.folded --exit-status 256
try a.folded --target ''
try a.folded --mode 'CPU;'
try a.folded --artifact no-such-file
try a.folded --db nowhere/h.db
try no-such-file
hotdrift log 2>&1 || echo "status $?"
