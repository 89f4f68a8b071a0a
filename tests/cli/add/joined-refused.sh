# a CSV file that is damaged or has the wrong columns is rejected, and nothing is stored
printf 'main;f 1\n' >a.folded
printf 'timestamp_us,watts\n0,10\n1,x\n' >bad.csv
printf 'timestamp_us,watts\n0,10\n1,2,3\n' >wide.csv
printf 'timestamp_us,watts\n0,10\n1,20\n' >p.csv
printf 'x\n1\n' >x.csv
try() { status=0; hotdrift add "$@" 2>&1 | sed 's/^/  /' || :; hotdrift add "$@" \
	>/dev/null 2>&1 || status=$?; echo "status $status"; }
try a.folded bad.csv
try a.folded --power wide.csv
try a.folded p.csv --power p.csv
try a.folded --latency p.csv
try a.folded --series x.csv
try a.folded --series =x.csv
try a.folded x.csv
try a.folded --series a=no-such.csv
try
try p.csv --comm main
try a.folded a.folded
try a.folded --work 0
try a.folded --work -1
try a.folded --work 1e999
try a.folded --work 0x10
try a.folded --side 'a b'
hotdrift log 2>&1 || echo "status $?"
