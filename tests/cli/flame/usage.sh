# an invalid command line gives a message of one line and status 2
try() { status=0; hotdrift flame "$@" || status=$?; echo "status $status"; }
try
try --theme pink f
try --minwidth wide f
try --width -1 f
