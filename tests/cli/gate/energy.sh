# joules of a run and of a unit of work are gated; energy that was measured in another way is not compared
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
# energy WATTS DOMAIN METHOD: add five runs of HEAD of ten seconds, measured by an energy counter or a power meter
energy() {
	watts=$1 domain=$2 method=$3
	shift 3
	for i in 1 2 3 4 5; do
		made=$((made + 1))
		awk -v w="$watts" -v d="$domain" -v m="$method" -v i=$i 'BEGIN {
			print "t_ns,source,domain,watts,joules_cum,stale"
			for (s = 0; s <= 10; s++)
				printf "%d000000000,intel-rapl,%s,%s,%s,0\n", s, d, m == "watts" ? w + i / 10 : "",
				  m == "counter" ? s * (w + i / 10) : ""
		}' >power.csv
		hotdrift add power.csv --db h.db --target serve --recorded "2026-11-20T10:$((10 + made)):00Z" "$@" \
			>/dev/null
	done
}
commit usual
energy 50 package-0 counter --work 1000
commit hungry usual
energy 65 package-0 counter --work 1000
status hotdrift gate --db h.db --no-record --base usual
hotdrift gate --db h.db --no-record --base usual --json |
	jq -c '.series[] | {series, method, per_work, base, head, change_pct, verdict}'
# twice the energy for twice the work is not a rise
commit larger usual
energy 100 package-0 counter --work 2000
status hotdrift gate --db h.db --no-record --base usual
# another counter, and a meter, which are not comparable
commit other usual
energy 50 package-1 counter --work 1000
status hotdrift gate --db h.db --no-record --base usual
commit meter usual
energy 65 package-0 watts --work 1000
status hotdrift gate --db h.db --no-record --base usual
hotdrift query --db h.db "SELECT DISTINCT name, method FROM v_series WHERE stat = 'joules' ORDER BY name, method"
