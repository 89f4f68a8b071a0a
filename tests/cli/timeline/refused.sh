# timeline rejects inputs that are not heap recordings, and invalid intervals, and writes nothing
try() { status=0; hotdrift timeline "$@" -o out.csv || status=$?; echo "status $status"; }
printf 'a;b 3\n' >folded.txt
try
try folded.txt
try folded.txt --every 0
try folded.txt --rss nowhere
try folded.txt --event peak
try folded.txt --weight samples
ls out.csv 2>/dev/null || echo "nothing written"
