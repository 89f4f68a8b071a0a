# rss writes the columns of a memory CSV, from the first to the last reading of a process that ends by itself
[ -d /proc/self/task ] || { echo "there is no /proc here" >&2; exit 77; }
sleep 0.2 &
hotdrift rss $! --every 5 -o rss.csv
wait
head -n 1 rss.csv
awk -F, 'NR > 1 && $2 > 0 { seen = 1 } NR > 2 && $1 <= last { wrong = 1 } { last = $1 }
	END { print seen + 0, wrong + 0, $2 }' rss.csv
hotdrift stats rss.csv >/dev/null
