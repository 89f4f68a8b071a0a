# energy rejects files that are not power series, and counts lost rows
try() { printf %b "$1" > f.csv; shift; status=0; hotdrift energy "$@" f.csv || status=$?; echo "status $status"; }
try 'a,b\n1,2\n'
try ''
try 'timestamp_us,watts\n0,10\n1000000,x\n2000000,10\n3000000\n4000000,10\n' --json
try 'timestamp_us,watts\n0,10\n1000000,x\n2000000,10\n' --strict
