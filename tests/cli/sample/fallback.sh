# without RAPL and NVML, other sensors or else the battery are read; named sources are always read
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
file() {	# PATH TEXT
	mkdir -p "$(dirname "$HOTDRIFT_SYSFS/class/$1")"
	echo "$2" >"$HOTDRIFT_SYSFS/class/$1"
}
domains() {	# OPTIONS
	hotdrift sample --quiet "$@" -o out -- true
	jq -c '.domains[] | {source, domain, mean_watts, method, counted, why_not}' out/power.json
}
file power_supply/BAT0/type Battery
file power_supply/BAT0/status Discharging
file power_supply/BAT0/power_now 7500000
domains --power
file hwmon/hwmon0/name power_meter
file hwmon/hwmon0/power1_input 12000000
domains --power
# a battery supplies the whole machine, so it is listed and not added
domains --power=battery,hwmon,constant:3
hotdrift sample --power=battery --json -o out -- true 2>&1 | jq -c '.power | {mean_watts, peak_watts, method, status}'
# the sensor disappears while the command runs
rm -r out
hotdrift sample --quiet --power=hwmon --interval 60000 -o out -- rm "$HOTDRIFT_SYSFS/class/hwmon/hwmon0/power1_input" \
	2>&1 | sed 's/ ([0-9]* in all)//'
ls out
# the hwmon sensor of a graphics card is read in addition to RAPL
zone intel-rapl:0 package-0 5000 1000000000
file hwmon/hwmon1/name amdgpu
file hwmon/hwmon1/power1_average 35000000
file hwmon/hwmon1/power1_label PPT
domains --power
