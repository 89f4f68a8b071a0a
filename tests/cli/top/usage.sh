# an invalid command line gives a message of one line and status 2
try() { status=0; hotdrift top "$@" || status=$?; echo "status $status"; }
try
try -n f
try -n five f
try --limit=-1 f
try --limit=4294967296 f
try --format html f
try --total=yes f
