# what is wrong with the command line is said in one line, with status 2
try() { status=0; hotdrift fold "$@" || status=$?; echo "status $status"; }
try
try -- -x
try --demangle some f
try -o
