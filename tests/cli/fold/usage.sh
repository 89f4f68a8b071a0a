# an invalid command line gives a message of one line and status 2
try() { status=0; hotdrift fold "$@" || status=$?; echo "status $status"; }
try
try -- -x
try --demangle some f
try -o
