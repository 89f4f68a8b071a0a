#!/usr/bin/env bats
# doctor.bats - compare hotdrift doctor with perf's own results, as root, as nobody and behind seccomp filters

load helper

setup() {
	in_empty_folder
	# A folder that all users can read.
	open=$(mktemp -d /tmp/hotdrift-doctor-test.XXXXXX)
	mkdir -m 1777 "$open/tmp"
	chmod 755 "$open"
	cp "$HOTDRIFT" "$open/hotdrift"
	cp "${HOTDRIFT%/*}/libhotdrift-heap.so" "$open/" 2>/dev/null || :
	cd "$open/tmp" || return 1
	export TMPDIR=$open/tmp
}

teardown() { rm -rf -- "${open:?}"; }

need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
need_perf() { command -v perf >/dev/null || skip "perf is not installed"; }

build_refuse() {
	cc -O1 "$TOP/tests/script/refuse.c" -o "$open/refuse" -lseccomp 2>/dev/null ||
		skip "cc cannot build with libseccomp"
}

# Print the names in the folder, each followed by a blank.
in_folder() { find "$open/tmp" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' '; }

# probe NAME KEY, mode NAME KEY: print a value of doctor.json
probe() { jq -r --arg n "$1" ".probes[] | select(.name == \$n) | .$2" doctor.json; }
mode() { jq -r --arg n "$1" ".modes[] | select(.mode == \$n) | .$2" doctor.json; }

# Print true if perf records a sample of an event, else false.
# The workload sleeps several times: on a busy machine a sleep can end before the kernel has switched to another task.
perf_records() {
	if "${as[@]}" perf record -q -o "$open/tmp/perf.data" -c 1 -e "$1" -- \
		sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' >/dev/null 2>&1 &&
		[ "$("${as[@]}" perf script -F comm -i "$open/tmp/perf.data" 2>/dev/null | wc -l)" -gt 0 ]; then
		echo true
	else
		echo false
	fi
	rm -f "$open"/tmp/perf.data*
}

# Compare every result about one event with perf's.
agrees_with_perf() {
	need_perf
	"${as[@]}" "$open/hotdrift" doctor --json >doctor.json || [ $? = 6 ]
	[ "$(jq -r .format doctor.json)" = hotdrift.doctor ]
	for pair in sched_switch=sched:sched_switch sys_enter=raw_syscalls:sys_enter rss_stat=kmem:rss_stat \
		page_faults=page-faults:u; do
		ours=$(probe "${pair%%=*}" works) theirs=$(perf_records "${pair#*=}")
		[ "$ours" = "$theirs" ] || {
			echo "$pair: doctor reports $ours, perf $theirs"
			jq -c --arg n "${pair%%=*}" '.probes[] | select(.name == $n)' doctor.json
			return 1
		} >&2
	done
	[ "$(probe record_async works)" = "$(perf_records sched:sched_switch)" ]
	[ "$(probe record_syscall works)" = "$(perf_records raw_syscalls:sys_enter)" ]
	if "${as[@]}" perf record -q -a -o "$open/tmp/perf.data" -e cpu-clock -- sleep 0.01 >/dev/null 2>&1; then
		[ "$(probe all_cpus works)" = true ]
	else
		[ "$(probe all_cpus works)" = false ]
	fi
	rm -f "$open"/tmp/perf.data* doctor.json
	[ "$(in_folder)" = "" ]		# doctor left no files behind
}

@test "doctor answers as perf does, as root" {
	need_root
	as=(env)
	agrees_with_perf
}

# perf mounts tracefs when it needs it.  On a machine that has just started, nothing else has mounted it.
@test "doctor answers as perf does where tracefs is not mounted, as root and as a user without rights" {
	need_root
	unshare --mount true 2>/dev/null || skip "mount namespaces may not be made here"
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	as=(unshare --mount sh -c 'umount -a -t tracefs; ! grep " tracefs " /proc/mounts >&2 && exec "$@"' -)
	agrees_with_perf
	as+=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	agrees_with_perf
}

@test "doctor answers as perf does, as a user without rights" {
	as=(env)
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	agrees_with_perf
}

@test "doctor answers as perf does, as root of a user namespace" {
	as=(unshare --user --map-root-user)
	"${as[@]}" true 2>/dev/null || skip "user namespaces may not be made here"
	agrees_with_perf
}

@test "doctor answers as perf does, as root without capabilities" {
	need_root
	as=(setpriv --bounding-set=-all --inh-caps=-all)
	"${as[@]}" true 2>/dev/null || skip "setpriv cannot drop capabilities here"
	agrees_with_perf
}

@test "what root may and a user may not is explained by the setting" {
	need_root
	need_perf
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "kernel.perf_event_paranoid is not 2"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$open/hotdrift" doctor --json >doctor.json
	[ "$(probe cpu_clock_kernel errno)" = EACCES ]
	contains "$(probe cpu_clock_kernel why)" "kernel.perf_event_paranoid is 2 and must be 1"
	[ "$(probe cpu_clock_kernel fix)" = "sudo sysctl kernel.perf_event_paranoid=1" ]
	[ "$(mode cpu state)" = reduced ]
	contains "$(mode cpu how)" "the kernel's share is not recorded"
	[ "$(mode async state)" = reduced ]
	[ "$(jq -r .ready doctor.json)" = true ]
}

@test "a filter that answers EPERM or ENOSYS, or kills, is called a filter" {
	build_refuse
	for how in EPERM ENOSYS KILL; do
		run "$open/refuse" "$how" "$open/hotdrift" doctor --json
		[ "$status" = 6 ]
		printf '%s\n' "$output" | sed '/^hotdrift: error/d' >doctor.json
		[ "$(jq -r .ready doctor.json)" = false ]
		[ "$(jq -r .rights.seccomp doctor.json)" = filter ]
		contains "$(probe perf_event_open why)" "a seccomp filter forbids perf_event_open"
		[ "$(probe cycles_user why)" = "perf_event_open does not work at all" ]
		[ "$(mode cpu state)" = no ]
		[ ! -e "$open/libhotdrift-heap.so" ] || [ "$(mode memory state)" = full ]
	done
}

@test "perf that is not there, fails or hangs is told so, and cpu does not work" {
	cat >broken <<-'END'
	#!/bin/sh
	[ "$1" != --version ] || exec echo perf version 1.2
	echo "E: no kernel for this" >&2; exit 1
	END
	chmod +x broken
	run "$open/hotdrift" doctor --perf ./broken
	[ "$status" = 6 ]
	contains "$output" "E: no kernel for this"
	run "$open/hotdrift" doctor --perf ./is-not-there --json
	[ "$status" = 6 ]
	printf '%s\n' "$output" | sed '/^hotdrift: error/d' >doctor.json
	[ "$(probe perf works)" = false ]
	contains "$(probe perf why)" "No such file or directory"
	[ ! -e "$open/libhotdrift-heap.so" ] || [ "$(mode memory how)" = "allocations; resident memory every 10 ms" ]
}

@test "the words of perf and hostile names reach the terminal in their visible form" {
	cat >broken <<-'END'
	#!/bin/sh
	[ "$1" != --version ] || exec printf "perf version \033[31mred\n"
	printf "Error: \033]0;title\007\n" >&2; exit 1
	END
	chmod +x broken
	mkdir "$(printf 'a\033b')"
	run "$open/hotdrift" doctor --perf ./broken --results "$(printf 'a\033b')/file/not"
	[ "$status" = 6 ]
	lacks "$output" "$(printf '\033')"
	contains "$output" 'perf \x1b[31mred'
}

@test "a results folder that does not exist yet is replaced by its nearest parent that does" {
	for folder in new=. new/sub=. ./new=. "$PWD/new=$PWD" /hotdrift-is-not-there=/; do
		"$open/hotdrift" doctor --json --results "${folder%=*}" >doctor.json || [ $? = 6 ]
		[ "$(probe database text)" = "${folder#*=}" ]
	done
}

# x86-64 kernels before 6.15 list per-CPU data first, from the address 0 on.
@test "kernel symbols are found also if the first ones have the address 0" {
	unshare --mount true 2>/dev/null || skip "mount namespaces may not be made here"
	as=(unshare --mount sh -c 'mount --bind symbols /proc/kallsyms && exec "$@"' -)
	printf '%016x A %s\n' 0 fixed_percpu_data 0 __per_cpu_start 4096 cpu_debug_store >symbols
	"${as[@]}" "$open/hotdrift" doctor --json >doctor.json || [ $? = 6 ]
	[ "$(probe kallsyms works)" = true ]
	printf '%016x A %s\n' 0 fixed_percpu_data 0 __per_cpu_start 0 cpu_debug_store >symbols
	"${as[@]}" "$open/hotdrift" doctor --json >doctor.json || [ $? = 6 ]
	[ "$(probe kallsyms works)" = false ]
}

@test "the text is short, and each fix is a line of its own" {
	run "$open/hotdrift" doctor
	[ "$(printf '%s\n' "$output" | wc -l)" -le 60 ]
	contains "$output" "modes of hotdrift profile"
	run --separate-stderr "$open/hotdrift" doctor --fix-lines
	! printf '%s\n' "$output" | grep -v '^#' |
		grep -v -E '^(sudo |setarch |make$|apt-get |mount |docker run |echo |$)' || false
}

@test "a signal ends doctor, and nothing of it is left" {
	printf '%s\n' '#!/bin/sh' '[ "$1" != --version ] || exec echo perf version 1.2' 'echo >>starts' \
		'printf x >began' 'exec sleep 60' >slow
	chmod +x slow
	mkfifo began
	"$open/hotdrift" doctor --perf ./slow >/dev/null 2>told &
	pid=$!
	head -c 1 began >/dev/null
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 6 ]
	contains "$(cat told)" "ended by SIGTERM"
	[ "$(wc -l <starts)" = 1 ]
	[ "$(in_folder)" = "began slow starts told " ]
}

@test "profile.sh points to doctor where perf is refused" {
	fake perf
	FAKE_PERF=denied run profile.sh cpu --check
	[ "$status" = 6 ]
	contains "$output" "doctor   tries what recording needs here"
}
