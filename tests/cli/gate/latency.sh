# a latency decides that the program is slower as a whole; the report tells that changes of symbols are relative
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
latency() {	# MEDIAN
	echo sample_id,wall_time_us,kernel_time_us,seq_len >latency.csv
	seq 40 | awk -v m="$1" '{ print $1 "," m + $1 % 9 - 4 ",0,0" }' >>latency.csv
}
usually >usual
latency 1000
runs usual latency.csv
commit slow
awk '{ $NF = int($NF * 1.2); print }' usual | sed 's/memmove 1800/memmove 3000/' >broad
latency 1250
runs broad latency.csv
status hotdrift gate --db h.db
hotdrift gate --db h.db --comment - | grep '^Most'
echo "== a header that is not known"
echo id,wall_ms >other.csv
status hotdrift add other.csv --db h.db
status hotdrift add --series run=other.csv --db h.db
echo 1,2 >>other.csv
hotdrift add --series run=other.csv --db h.db >out && hotdrift query --db h.db \
	"SELECT name, stat, value FROM v_series WHERE name LIKE 'run.%' AND stat = 'p50'"
