# what is wrong with the command line is said in one line, with status 2
try() { status=0; hotdrift flame "$@" || status=$?; echo "status $status"; }
try
try --theme pink f
try --minwidth wide f
try --width -1 f
