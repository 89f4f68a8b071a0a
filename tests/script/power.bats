#!/usr/bin/env bats
# power.bats - test profile.sh power with synthetic counters, and what doctor reports about them

load helper

setup() {
	in_empty_folder
	unset HOTDRIFT_STANDIN_NVML
	export HOTDRIFT_NVML=/is-not-there/libnvidia-ml.so HOTDRIFT_SYSFS=$BATS_TEST_TMPDIR/sys
	mkdir -p "$HOTDRIFT_SYSFS"
}

# zone NAME FOLDER MICROJOULES: make a RAPL zone
zone() {
	mkdir -p "$HOTDRIFT_SYSFS/class/powercap/$2"
	echo "$1" >"$HOTDRIFT_SYSFS/class/powercap/$2/name"
	echo 262143328850 >"$HOTDRIFT_SYSFS/class/powercap/$2/max_energy_range_uj"
	echo "$3" >"$HOTDRIFT_SYSFS/class/powercap/$2/energy_uj"
}

# draws FILE JOULES: print a shell command that adds JOULES to the counter in FILE
draws() { printf 'echo $(($(cat %s) + %s000000)) >%s' "$1" "$2" "$1"; }

@test "a run of mode power has its joules, without hotspots" {
	zone package-0 intel-rapl:0 1000000
	zone dram intel-rapl:0:0 500000
	draw=$(draws "$HOTDRIFT_SYSFS/class/powercap/intel-rapl:0/energy_uj" 40)
	run -0 profile.sh power -- sh -c "echo the command; sleep 0.2; $draw; sleep 0.2"
	contains "$output" 'the command'
	contains "$output" 'package-0'
	contains "$output" 'energy '
	dir=$(only_run)
	[ "$(head -n 1 "$dir/power.csv")" = t_ns,source,domain,watts,joules_cum,stale ]
	[ "$(jq -r .format "$dir/power.json")" = hotdrift.energy ]
	[ "$(jq '.total_joules > 39.9 and .total_joules < 40.1' "$dir/power.json")" = true ]
	[ "$(of_run '[.mode, .recorder, .event, .status, .artifact.path, .exit_status] | tojson')" = \
		'["power","sample",null,"ok","power.csv",0]' ]
	run -0 "$HOTDRIFT" query --db results/hotspots.db --csv 'SELECT mode FROM run'
	contains "$output" '"power"'
	run -0 "$HOTDRIFT" show latest --db results/hotspots.db
	contains "$output" 'intel-rapl/package-0'
	run -0 "$HOTDRIFT" energy --json "$dir/power.csv"
	[ "$(jq .total_joules <<<"$output")" = "$(jq .total_joules "$dir/power.json")" ]
}

@test "a power CSV of the command does not replace what mode power measures" {
	zone package-0 intel-rapl:0 1000000
	printf '[target app]\nrun = sh w.sh\npower_csv = p.csv\n' >hotdrift.ini
	printf '%s\n' 'printf "t_ns,source,domain,watts,joules_cum,stale\\n1,own,own,1,1,0\\n" >p.csv' 'sleep 0.1' >w.sh
	run -0 profile.sh power --target app
	[ -s p.csv ]
	grep package-0 "$(only_run)/power.csv"
	lacks "$(cat "$(only_run)/power.csv")" own
}

@test "without a source the command is not run, and each source says why it is not there" {
	run -6 profile.sh power -- touch ran
	[ ! -e ran ]
	[ ! -e results ]
	for what in rapl: nvml: hwmon: battery:; do
		contains "${lines[0]}" "$what"
	done
	contains "${lines[1]}" doctor
}

@test "counters that only root may read are no missing ones" {
	as=(env)
	if [ "$(id -u)" = 0 ]; then
		command -v setpriv >/dev/null || skip "root may read everything, and setpriv is not installed"
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	fi
	# A folder that other users can read.
	open=$(mktemp -d /tmp/hotdrift-power-test.XXXXXX)
	HOTDRIFT_SYSFS=$open
	zone package-0 intel-rapl:0 1000000
	chmod -R a+rX "$open"
	chmod 000 "$open/class/powercap/intel-rapl:0/energy_uj"
	cp "$HOTDRIFT" "$open/hotdrift"
	run "${as[@]}" "$open/hotdrift" sample --power -o "$open/x" -- true
	[ "$status" = 6 ]
	contains "$output" 'udev rule'
	"${as[@]}" "$open/hotdrift" doctor --json >doctor.json || [ $? = 6 ]
	rm -rf -- "$open"
	[ "$(jq -r '.probes[] | select(.name == "power") | .errno' doctor.json)" = EACCES ]
	contains "$(jq -r '.probes[] | select(.name == "power") | .fix' doctor.json)" '/etc/udev/rules.d/'
	lacks "$(jq -r '.probes[] | select(.name == "power") | .fix' doctor.json)" a+r
}

@test "a command that fails is kept with its own status; one that is interrupted, too" {
	zone package-0 intel-rapl:0 1000000
	run -6 profile.sh power --no-db -- sh -c 'exit 7'
	[ "$(of_run '[.status, .exit_status] | tojson')" = '["failed",7]' ]
	rm -r results
	run -6 profile.sh power --no-db -- sh -c 'kill -KILL $$'
	[ "$(of_run '[.status, .exit_status] | tojson')" = '["failed",137]' ]
	rm -r results
	profile.sh power --no-db -- sh -c ': >begun; exec tail -f /dev/null' >out 2>&1 3>&- &
	signal_when begun TERM $!
	[ "$status" = 0 ]
	[ "$(of_run .status)" = interrupted ]
}

@test "--check names what is measured; --duration ends the command" {
	zone package-0 intel-rapl:0 1000000
	run -0 profile.sh power --check -- touch ran
	contains "$output" 'package-0'
	[ ! -e ran ]
	run -0 profile.sh power --duration 1 --no-db -- tail -f /dev/null
	[ "$(of_run '[.status, .duration] | tojson')" = '["ok",1]' ]
}

@test "a server is measured while a workload runs" {
	zone package-0 intel-rapl:0 1000000
	run -0 profile.sh power --server 'tail -f /dev/null' --ready true -- sh -c 'echo workload'
	contains "$output" workload
	[ "$(of_run '[.target, .status] | tojson')" = '["tail","ok"]' ]
}

@test "what does not go with power is usage" {
	run -2 profile.sh power --freq 9 -- true
	contains "$output" '--freq applies to perf, which does not record power'
	run -2 profile.sh power --pid 1
	contains "$output" '--pid does not apply to power'
	run -2 profile.sh power --from x
	contains "$output" '--from does not apply to power'
	run -2 profile.sh power --power p.csv -- true
	contains "$output" '--power names a file that CMD writes'
}

@test "doctor names the domains that it read, and each source that is not there" {
	zone package-0 intel-rapl:0 1000000
	zone package-1 intel-rapl:1 1000000
	"$HOTDRIFT" doctor --json >doctor.json || [ $? = 6 ]
	[ "$(jq -c '.probes[] | select(.name == "power") | [.works, .text]' doctor.json)" = \
		'[true,"package-0, package-1"]' ]
	[ "$(jq -c '.modes[] | select(.mode == "power") | [.state, .how]' doctor.json)" = \
		'["full","energy of processors"]' ]
	others='.probes[] | select(.name == "hwmon" or .name == "battery" or .name == "nvml")'
	[ "$(jq -c "$others | .works" doctor.json | sort -u)" = false ]
	[ "$(jq "[$others | .why | length > 0] | all" doctor.json)" = true ]
}
