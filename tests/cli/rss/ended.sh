# rows from the first look to the last, of the memory form; the process itself is not told
[ -d /proc/self/task ] || { echo "there is no /proc here" >&2; exit 77; }
sleep 0.2 &
hotdrift rss $! --every 5 -o rss.csv
wait
head -n 1 rss.csv
awk -F, 'NR > 1 && $2 > 0 { seen = 1 } NR > 2 && $1 <= last { wrong = 1 } { last = $1 } END { print seen + 0, wrong + 0, $2 }' rss.csv
hotdrift stats rss.csv >/dev/null
