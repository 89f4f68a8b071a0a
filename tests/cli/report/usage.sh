# what is wrong with the command line is said in one line, with status 2
try() { status=0; hotdrift report "$@" || status=$?; echo "status $status"; }
try
try --by f
try --by comm,samples f
try --by symbol,time f
try --by comm, f
try --by '' f
