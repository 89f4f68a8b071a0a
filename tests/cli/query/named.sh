# each named query answers the question in its first line
for i in $(seq 60); do printf 'main;f%s;read_row 1\nmain;f%s;read_row;parse 1\nmain;f%s;decode 1\nmain;g%s;decode 1\n' \
	"$i" "$i" "$i" "$i"; done >a.folded
for i in $(seq 60); do \
	printf 'main;f%s;read_row 1\nmain;g%s;read_row 1\nmain;h%s;read_row 1\nmain;f%s;decode 1\nmain;g%s;fresh 1\n' \
	"$i" "$i" "$i" "$i" "$i"; done >b.folded
printf 'timestamp_us,watts\n0,10\n1000000,20\n2000000,30\n' >p.csv
printf '{"a":1}' >c.json
sha() { printf '%040d' "$1"; }
add() { hotdrift add --target serve "$@" >/dev/null 2>&1; }
add a.folded --recorded 2026-11-20T14:00:00Z --commit "$(sha 1)" p.csv --work 10 --config c.json
add a.folded --recorded 2026-11-20T15:00:00Z --commit "$(sha 1)"
add b.folded --recorded 2026-11-21T14:00:00Z --commit "$(sha 2)" p.csv --work 20
add b.folded --recorded 2026-11-21T15:00:00Z --commit "$(sha 3)" --status failed
mask() { sed 's/\(Z-[0-9a-f]\{7\}-\)[0-9a-f]\{8\}/\1XXXXXXXX/g'; }
ask() { { echo "-- $*"; hotdrift query --csv --name "$@"; } | mask; }
ask top5-by-commit serve
ask set-changes serve
ask order-shifts serve
ask growth serve 0000000000000000000000000000000000000001
ask growth serve 2026-11-20T23:59:59Z
ask growth serve "$(hotdrift query --csv 'SELECT run_id FROM run WHERE id = 1' | tail -n 1 | tr -d '"')"
ask growth serve nothing
ask config-runs 015abd7f
ask config-runs '{"a":1}'
ask cost-per-joule serve
ask symbol decode
ask symbol "x' OR 1=1 --"
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,10,9,1\n1,30,29,1\n' >l.csv
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n' >m.csv
printf '1,4000,100,0,0\n2,6000,300,0,0\n' >>m.csv
add l.csv m.csv p.csv --mode grid --session g1 --side mincut_l0.5_t8 --recorded 2026-11-22T14:00:00Z --commit "$(sha 3)"
ask grid serve
