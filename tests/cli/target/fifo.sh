# a FIFO in the place of a file that is looked up does not block a command
mkfifo hotdrift.ini
printf 'main;a 10\n' >a.folded
try() {
	timeout 60 hotdrift "$@" >out 2>err || echo "$*: exit $?"
	sed "s|$PWD/||" out err
}
try target
try target -f hotdrift.ini
try log
try log --db absent.db
try add a.folded --commit none
try gate --db absent.db --ini hotdrift.ini
try bench --target default
hotdrift add a.folded --commit none --db h.db >/dev/null
try gate --db h.db --no-record --ini hotdrift.ini
mkdir samples sweep
mkfifo samples/sample.json sweep/settings.csv
try add a.folded --commit none --db h.db --samples samples
try grid sweep
