# the operand must be the id of an existing process
try() { status=0; hotdrift rss "$@" || status=$?; echo "status $status"; }
try
try 0
try nobody
try 1 --every 0
try 2147483647
