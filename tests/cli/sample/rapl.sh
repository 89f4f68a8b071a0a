# sample reads RAPL: a counter that wraps, two packages, a subzone, a zone that is listed twice
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
zone intel-rapl:0 package-0 262142328850 262143328850
zone intel-rapl:0:0 dram 100 262143328850
zone intel-rapl:1 package-1 0 262143328850
zone intel-rapl-mmio:0 package-0 262142328850 262143328850
hotdrift sample --power --interval 2 -o out -- sh -c '. ./lib.sh
	set_energy intel-rapl:0 262142828850
	set_energy intel-rapl:0 500000
	set_energy intel-rapl:0:0 1000100
	set_energy intel-rapl:1 250000
	set_energy intel-rapl-mmio:0 262142828850' 2>err
sed -E 's/mean [0-9.e-]+ W, peak [0-9.e-]+ W/mean P W, peak P W/' err | steady
jq -c '{total_joules, method, status},
	(.domains[] | {source, domain, total_joules, method, wraps, quantity, counted, why_not})' out/power.json
hotdrift energy out/power.csv | awk '/^joules/ { on = 1 } on { print $1, $(NF - 2), $(NF - 1), $NF }' | sed 's/ *$//'
