# an invalid command line gives a message of one line and status 2
try() { status=0; hotdrift report "$@" || status=$?; echo "status $status"; }
try
try --by f
try --by comm,samples f
try --by symbol,time f
try --by comm, f
try --by '' f
try --spans is-not-there f
printf 'a,b\n' > spans.csv
try --spans spans.csv f
printf 't_ns,duration_ns,pid,tid,span,parent,name\n' > spans.csv
try --spans spans.csv --weight wall f
try --spans spans.csv --by samples f
