# invalid options about callers and callees give one line and status 2; status 5 if no function matches
printf 'app;main;parse 3\n' > f
try() { status=0; hotdrift report "$@" || status=$?; echo "status $status"; }
try --callers parse --tree f
try --callers '' f
try --callees '/(/' f
try --callers pasre f
try -g flat f
try -g folded,0.5,caller f
try -g graph,srcline f
try -g none --tree f
try -g none --csv f
try -g 101 f
try -g graph,0.5,10,caller f
try --max-depth 2 f
try --csv f
try --tree --by comm f
try --tree --no-children f
try --tree --nodefraction 2 f
try --tree --percent-limit x f
