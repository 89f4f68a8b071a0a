#!/usr/bin/env bats
# modes.bats - test profile.sh async, syscall and all, with a real perf where it may record switches

load helper

setup() {
	in_empty_folder
	if [ ! -e "$BATS_FILE_TMPDIR/recorded" ]; then
		perf record -N -q -e sched:sched_switch -e raw_syscalls:sys_enter --switch-events -c 1 \
			-o "$TMPDIR/probe" -- true 2>/dev/null ||
			skip "perf cannot record switches and system calls here"
		touch "$BATS_FILE_TMPDIR/recorded"
	fi
	compiled waits -O2 -g -pthread "$TOP/tests/waits/waits.c"
	compiled storm -O2 -g -pthread "$TOP/tests/waits/storm.c"
	cp "$BATS_FILE_TMPDIR/waits" "$BATS_FILE_TMPDIR/storm" .
}

@test "async says where threads wait, for what, and who wakes them" {
	run profile.sh async --freq 20000 -- ./waits 20
	[ "$status" = 0 ]
	contains "$output" "blocked: "
	contains "$output" "queued: "
	contains "$output" "woken: "
	grep -q '^ *[0-9.]*% .*pipe .*giver' "$(only_run)/reasons.txt"
	grep -q 'sleeper .*sleep' "$(only_run)/threads.txt"
	[ "$(of_run .mode)" = async ]
	[ "$(of_run .status)" = ok ]
	grep -q '^reader;.*wait_pipe' "$(only_run)/folded.txt"
	[ -s "$(only_run)/flamegraph.svg" ]
	[ "$("$HOTDRIFT" query --db results/hotspots.db --csv 'SELECT mode FROM run' | tail -n 1)" = '"async"' ]
}

@test "an interrupt of the whole process group ends async and syscall; the run is kept and marked interrupted" {
	for mode in async syscall; do
		rm -rf results started
		env --default-signal=INT setsid profile.sh "$mode" -- sh -c 'sleep 0.01; '"$begins" >out 2>&1 3>&- &
		signal_when started INT $! "-$!"
		[ "$status" = 0 ]
		contains "$(cat out)" "interrupted by SIGINT; what was recorded is kept in results/"
		[ "$(of_run '[.mode, .status, .exit_status] | tojson')" = "[\"$mode\",\"interrupted\",null]" ]
		[ -s "$(only_run)/folded.txt" ]
	done
}

@test "async --wall has those that work in the same picture" {
	run profile.sh async --wall -- ./waits 20
	[ "$status" = 0 ]
	grep -q '^burner;.*;spin' "$(only_run)/folded.txt"
	grep -q '^reader;.*wait_pipe' "$(only_run)/folded.txt"
}

@test "syscall says which calls take time, from where, and which fail" {
	run profile.sh syscall -- sh -c 'cat ./is-not-there 2>/dev/null; ./storm 50'
	[ "$status" = 0 ]
	grep -q ' read  *ok$' "$(only_run)/syscalls.txt"
	grep -q ' openat  *ENOENT$' "$(only_run)/syscalls.txt"
	grep -q ';take;' "$(only_run)/folded.txt"
	[ "$(of_run '[.freq, .period] | tojson')" = '[null,1]' ]
}

@test "at its limit the recording ends, the program does not, and the run is good" {
	run profile.sh syscall --max-size 40K -- ./storm 20000
	[ "$status" = 0 ]
	contains "$output" "and ends there; ./storm ran on"
	contains "$output" "STORM 20000"
	[ "$(of_run .status)" = ok ]
	[ "$(of_run .recording_ended_after)" != null ]
	[ "$(of_run .max_size)" = 40960 ]
}

@test "all makes a run of each mode, and they share a session" {
	run profile.sh all -- ./waits 10
	[ "$status" = 0 ]
	[ "$(cat results/*/run.json | jq -r .mode | sort | tr '\n' ' ')" = "async cpu memory syscall " ]
	[ "$("$HOTDRIFT" query --db results/hotspots.db --csv 'SELECT COUNT(*), COUNT(DISTINCT session) FROM run' |
		tail -n 1)" = 4,1 ]
	contains "$output" "page        results/all-"
	page=$(echo results/all-*/all.html)
	[ "$(grep -o 'class="mode" role="tabpanel"[^>]*data-name="[a-z]*"' "$page" | sed 's/.*name=//' |
		tr -d '"\n')" = cpumemoryasyncsyscall ]
	[ "$(grep -c '<svg' "$page")" -ge 6 ]
	[ -f "${page%/*}/$(sed -n 's/.*<a href="\([^"]*perf\.data\)".*/\1/p' "$page" | head -n 1)" ]
	[ -z "$(find "$TMPDIR" -name 'hotdrift-*')" ]
	# The last step ranks the symbols of the session; its command lists more.
	contains "$output" "1 target, 3 runs; weights cpu 0.6, memory 0.2, syscall 0.2"
	suggested=$(sed -n 's/^next  *hotdrift //p' <<<"$output")
	contains "$suggested" "opportunities --db results/hotspots.db --session all-"
	eval "run -0 \"\$HOTDRIFT\" $suggested --json"
	[ "$(jq -c '[.runs, .targets, .runs_excluded.not_selected]' <<<"$output")" = '[3,1,0]' ]
}

@test "all takes the options of any of its modes, and rejects contradictory ones before anything is recorded" {
	run -0 profile.sh all --freq 499 --call-graph fp --interval 4K --no-db -- ./waits 10
	[ "$(cat results/*/run.json | jq -c 'select(.mode == "cpu") | [.freq, .interval]')" = '[499,null]' ]
	[ "$(cat results/*/run.json | jq -r 'select(.mode == "memory") | .interval')" = 4096 ]
	[ "$(cat results/*/run.json | jq -r .mode | sort | tr '\n' ' ')" = "async cpu memory syscall " ]
	rm -r results
	run -2 profile.sh all --exact --interval 4K -- ./waits 10
	contains "$output" "--exact and --interval exclude each other"
	[ ! -e results ]
}

@test "all keeps what the other modes recorded when one fails" {
	cat >"$BATS_TEST_TMPDIR/fakes/perf" <<-END
		#!/bin/sh
		case "\$*" in *sched_switch* | *dummy*) echo 'Error: No permission' >&2; exit 255 ;; esac
		exec $(command -v perf) "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/fakes/perf"
	run profile.sh all -- ./waits 10
	[ "$status" = 6 ]
	contains "$output" "these modes failed, see above: async; the others are kept"
	[ "$(cat results/*/run.json | jq -r .mode | sort | tr '\n' ' ')" = "cpu memory syscall " ]
	# The page shows the other modes, and the reason why async is missing.
	grep -q 'data-name="async"' results/all-*/all.html
	grep -q -e '<p class="reason">perf_event_open is refused' \
		-e '<p class="reason">kernel.perf_event_paranoid' results/all-*/all.html
	[ "$(grep -c 'class="mode"' results/all-*/all.html)" = 4 ]
}

@test "without the right to record stacks async still tells times" {
	cat >"$BATS_TEST_TMPDIR/fakes/perf" <<-END
		#!/bin/sh
		case "\$*" in *sched_switch*) echo 'Error: No permission' >&2; exit 255 ;; esac
		exec $(command -v perf) "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/fakes/perf"
	run profile.sh async -- ./waits 10
	[ "$status" = 0 ]
	contains "$output" "recording switches without stacks"
	grep -q 'sleeper' "$(only_run)/threads.txt"
	[ "$(of_run '[.freq, .period, .call_graph] | tojson')" = '[null,null,"none"]' ]
}

@test "without tokio-console async says how to get it, and records" {
	PATH=$(dirname "$(command -v perf)"):$PATH
	run profile.sh async --tokio-console --no-db -- ./waits 5
	[ "$status" = 0 ]
	contains "$output" "tokio-console"
}

@test "all says it in one line when no mode worked" {
	run -6 profile.sh all -- ./is-not-there
	[ "${lines[-1]}" = "profile.sh: error: all modes failed, see above" ]
}

# Make a fake perf, whose end is read from standard input.  It writes the commands that it gets on its control FIFO to
# the file `told`; its function `word COMMAND` waits for one.  For a workload other than ./waits it runs the real perf.
told_perf() {
	{
		cat <<-END
			#!/bin/bash
			case "\$*" in *./waits*) ;; *) exec $(command -v perf) "\$@" ;; esac
			told=$BATS_TEST_TMPDIR/told
		END
		cat <<-'END'
			while [ $# -gt 0 ]; do
				case $1 in
				fifo:*) control=${1#fifo:} ;;
				-o) out=$2 ;;
				esac
				shift
			done
			exec 7<>"$control"
			grow() { truncate -s "+$1" "$out"; }	# one step: no check sees a part of it
			word() {
				while read -r -t 30 line <&7; do
					echo "$line" >>"$told"
					[ "$line" != "$1" ] || return 0
				done
				echo "never told: $1" >>"$told"
				exit 1
			}
		END
		cat
		echo 'exit 1'
	} >"$BATS_TEST_TMPDIR/fakes/perf"
	chmod +x "$BATS_TEST_TMPDIR/fakes/perf"
}

@test "async takes fewer stacks while the recording grows too fast, and all of them again when it is calm" {
	told_perf <<-'END'
		grow 1000
		word 'disable sched_wakeup_400'
		# The recording grows more than twenty times as fast as allowed, so two levels are taken at once.  It
		# must not reach a fifth of its limit, so it grows seldom: on a busy machine a check of its size can be
		# late.
		while ! read -r -t 0.25 line <&7; do grow 2000000; done
		echo "$line" >>"$told"
		word 'enable sched_wakeup_400'
		word 'enable sched_wakeup_20'
		word 'enable sched_wakeup_1'
	END
	run profile.sh async --max-size 100M -- ./waits 10
	[ "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/told")" = "disable sched_switch_20 disable sched_wakeup_20 \
disable sched_switch_400 disable sched_wakeup_400 disable sched_switch_1 disable sched_wakeup_1 \
enable sched_switch_400 enable sched_wakeup_400 \
disable sched_switch_400 disable sched_wakeup_400 enable sched_switch_20 enable sched_wakeup_20 \
disable sched_switch_20 disable sched_wakeup_20 enable sched_switch_1 enable sched_wakeup_1 " ]
}

@test "async takes fewer stacks from a fifth and from the half of its limit on" {
	told_perf <<-'END'
		grow 3000000
		word 'enable sched_wakeup_20'
		grow 3000000
		word 'enable sched_wakeup_400'
	END
	run profile.sh async --max-size 10M -- ./waits 10
	[ "$(grep -c '^enable' "$BATS_TEST_TMPDIR/told")" = 4 ]
	lacks "$(cat "$BATS_TEST_TMPDIR/told")" never
}

@test "async --freq has stacks paused, and recorded again, where the recording grows too fast" {
	told_perf <<-'END'
		grow 3000000
		word 'enable sched:sched_wakeup'
	END
	run profile.sh async --freq 999 --max-size 10M -- ./waits 10
	[ "$(cat "$BATS_TEST_TMPDIR/told")" = "disable sched:sched_switch
disable sched:sched_wakeup
enable sched:sched_switch
enable sched:sched_wakeup" ]
}

# How long stacks are recorded at each thinning level depends on the speed of the machine.
@test "a storm of switches has stacks of the first kind, and of one that stands for more switches" {
	"${CC:-gcc}" -O2 -pthread "$TOP/tests/waits/storm.c" -o storm
	run -0 profile.sh async --no-db --result-path path -- ./storm 200000
	"$HOTDRIFT" info --json "$(cat path)/perf.data" >info.json
	[ "$(jq '[.events[] | select(.name == "sched_switch_1") | .samples > 0] | all' info.json)" = true ]
	[ "$(jq '[.events[] | select(.name | test("^sched_switch_(20|400)$")) | .samples > 0] | length == 2 and any' \
		info.json)" = true ]
	[ "$(jq .freq "$(cat path)/run.json")" = null ]
	[ "$(jq -r .event "$(cat path)/run.json")" = sched:sched_switch,sched:sched_wakeup ]
}
