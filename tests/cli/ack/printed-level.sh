# the level that gate suggests covers the value that gate printed, and an event or object limits --withdraw
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
latency() {	# MICROSECONDS
	echo sample_id,wall_time_us,kernel_time_us,seq_len >latency.csv
	for i in 1 2 3 4 5 6 7 8 9 10; do echo "$i,$1,0,8"; done >>latency.csv
}
latency 40000
runs usual --latency latency.csv
commit slow
latency 46700
runs usual --latency latency.csv
hotdrift gate --db h.db >out 2>/dev/null || echo "status $?"
grep '^L' out
level=$(sed -n 's/.*hotdrift ack.*--level \([^ ]*\).*/\1/p' out)
hotdrift ack 'p50 wall_time_us' --level "$level" --reason "larger pages" --db h.db
status hotdrift gate --db h.db | grep -E '^(PASS|FAIL|A|status)'
for event in cycles cache-misses; do
	hotdrift ack parse --level 30 --event $event --reason known --target serve --db h.db 2>/dev/null
done
hotdrift ack parse --withdraw --event cache-misses --db h.db
hotdrift ack --list --db h.db | grep ' parse '
