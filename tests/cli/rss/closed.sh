# rss ends before the process if its reader closes the pipe or its output cannot be written
[ -d /proc/self/task ] || { echo "there is no /proc here" >&2; exit 77; }
sleep 20 &
hotdrift rss $! --every 5 | head -n 1
status=0
hotdrift rss $! >/dev/full || status=$?
echo "status $status"
kill $!
