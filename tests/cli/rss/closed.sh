# nobody reads it any more, or it cannot be written: it ends before the process does
[ -d /proc/self/task ] || { echo "there is no /proc here" >&2; exit 77; }
sleep 20 &
hotdrift rss $! --every 5 | head -n 1
status=0
hotdrift rss $! >/dev/full || status=$?
echo "status $status"
kill $!
