# shellcheck shell=bash
# modes.sh - what profile.sh records and asks for in each of its modes
#
#     cpu       samples of a processor event: where the time on a CPU goes
#     async     switches away from the CPU, with the stack of who leaves, and wake-ups with the stack of the
#               waker; -F thins the stacks, never the kernel's own records of switches, so that times stay exact
#     syscall   every system call's beginning and end, with its stack
#     faults    memory --faults: page faults, each with its stack while they are few, and then about 10,000 of them a second
#               (each counts for those between it and the next); one in 64 without privileges.  Major ones, which read from
#               a disk, are an event of their own besides
#
# What these record grows with what the program does, not with time.  So perf is told to stop when the recording
# reaches --max-size, and the program goes on: the run is good, and says that its end is not in it.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# What the analysis and the database are asked for, and the tables that are written beside its files: NAME OPTIONS...
analysis_options=() mode_tables=() mode_records=() stack_events=() every=''

# At most what the kernel allows, which lowers that itself when it finds itself too slow.
allowed_rate() {
	local most=''

	read -r most 2>/dev/null </proc/sys/kernel/perf_event_max_sample_rate || :
	if [ "${most:-$1}" -lt "$1" ]; then printf '%s' "$most"; else printf '%s' "$1"; fi
}

# hotdrift.ini's event is that of the cpu mode.
settle_mode() {
	case $mode in
	async)
		if [ "$event_on_line" = no ]; then
			stack_events=(sched:sched_switch sched:sched_wakeup)
			event=sched:sched_switch,sched:sched_wakeup
		fi
		[ "$call_graph_given" = yes ] || call_graph=dwarf
		[ "$freq_on_line" = yes ] || freq=$(allowed_rate 19999)
		compress=${compress:-1}
		mode_records=(-e dummy:u --switch-events)	# the first event has the switches, and is never told to pause
		analysis_options=(--weight off-cpu --no-kernel)
		[ "$wall" = no ] || wall_clock
		mode_tables=('reasons --by reason,waker' 'threads --by comm,tid,reason' 'futures --by future,reason')
		;;
	syscall)
		[ "$event_on_line" = yes ] || event=raw_syscalls:sys_enter,raw_syscalls:sys_exit
		[ "$call_graph_given" = yes ] || call_graph=dwarf,1024	# by frame pointers, libc's callers are lost
		compress=${compress:-1}
		every=1
		analysis_options=(--weight syscalls --no-kernel)
		mode_tables=('syscalls --by syscall,error' 'callers --by syscall,symbol')
		;;
	faults) settle_faults ;;
	esac
}

# All of them would be some hundred MB a second in a program that does nothing else, of which perf loses some.
settle_faults() {
	[ "$call_graph_given" = yes ] || call_graph=dwarf,2048
	compress=${compress:-1}
	[ "$event_on_line" = yes ] || event=page-faults,major-faults
	mode_tables=('faults --by comm,symbol --event page-faults' 'major-faults --by comm,symbol --event major-faults')
	[ "$freq_on_line" = no ] || return 0
	freq=$(allowed_rate 9973)
	if [ "$(id -u)" != 0 ] && [[ $(paranoid_now) =~ ^[2-9]$ ]]; then
		every=64
		[ "$event_on_line" = yes ] || event=page-faults:u,major-faults:u
	fi
}

# On and off the CPU in one picture: the clock's samples, too.
wall_clock() {
	event=cpu-clock/freq=997/,$event
	analysis_options=(--weight wall --no-kernel)
}

# perf's own --max-size would end the program, and no plan by time holds for what grows with what it does.  Sets `soft_bytes`,
# and `stack_bytes` for run.json.
soft_bytes='' ended_at=''
soften_limit() {
	soft_bytes=$(size_bytes "${max_size:-100M}")
	case $call_graph in
	dwarf) stack_bytes=8192 call_graph=dwarf,8192 ;;	# perf's own default
	dwarf,*) stack_bytes=${call_graph#dwarf,} ;;
	esac
	mkfifo -- "$tmp/control" "$tmp/quiet" || die 6 "cannot make a FIFO in '$tmp'"
	mode_records+=(-q --control "fifo:$tmp/control")	# it would tell of each pause
	[ "$(id -u)" != 0 ] || mode_records+=(-m 4M)	# bursts; without privileges so much may not be locked
}

# Tell perf to record stacks, or not to: enable or disable.
switch_stacks() {
	[ "$stacks" != "$1" ] || return 0
	stacks=$1
	printf "$1 %s\n" "${stack_events[@]}" >&9
}

# Beside perf, until it ends.  While it writes more than would fill the limit in five minutes, and from a fifth of
# the limit on, stacks are recorded for 0.02 s of each 0.22 s; switches always are.  At the limit
# perf is told to stop.  $tmp/ended says when.
watch_size() {	# RECORDING PID
	local bytes before=0 begin stacks=enable thin=0

	begin=$(now_us)
	exec 8<>"$tmp/quiet" 9<>"$tmp/control"
	while kill -0 "$2" 2>/dev/null; do
		read -r -t 0.2 -u 8 || :	# nobody writes there: a fifth of a second; looking takes some 3 ms of a CPU
		bytes=$(stat -c %s -- "$1" 2>/dev/null) || continue
		if [ "$bytes" -ge $((soft_bytes * 95 / 100)) ]; then
			printf 'disable\n' >&9
			printf '%s' $(($(now_us) - begin)) >"$tmp/ended"
			return
		fi
		[ "${#stack_events[@]}" != 0 ] || continue
		thin=$((thin - (thin > 0)))
		if [ $((bytes - before)) -gt $((soft_bytes / 1500)) ] || [ "$bytes" -ge $((soft_bytes / 5)) ]; then thin=10; fi
		before=$bytes
		switch_stacks enable
		[ "$thin" != 0 ] || continue
		read -r -t 0.02 -u 8 || :
		switch_stacks disable
	done
}

# Sets `ended_at`, in seconds, when the limit was reached.
read_ended() {
	local us

	[ -s "$tmp/ended" ] || return 0
	read -r us <"$tmp/ended" || :
	ended_at=$((us / 1000000)).$((us / 100000 % 10))
	warn "the recording reached $(shown_size "$soft_bytes") after $ended_at s and ends there; ${command[0]} ran on (--max-size SIZE takes more of it)"
}

# Where stacks may not be recorded, an unprivileged user's own switches still may.
async_without_stacks() {
	event_used=dummy:u
	record_options=(--switch-events) freq_used=''
	try_perf "$event_used" || return 1
	warn "$why"
	say "recording switches without stacks: how long each thread was off the CPU, not where"
	call_graph_used=none
}

# Until its user leaves it; the program is recorded on.
run_console() {
	if ! type -P tokio-console >/dev/null; then
		warn "tokio-console is not installed: cargo install --locked tokio-console"
	elif ! [ -t 0 ] || ! [ -t 1 ]; then
		warn "tokio-console needs a terminal; it was not started"
	else
		tokio-console || warn "tokio-console ended with status $?"
	fi
}

# Tables beside the analysis's files; what one has nothing to say about is not written.
write_mode_tables() {
	local table words name

	for table in "${mode_tables[@]+"${mode_tables[@]}"}"; do
		read -r -a words <<<"$table"
		name=${words[0]}
		"$hotdrift" report "${symfs_options[@]}" "${analysis_options[@]}" "${words[@]:1}" -n 500 --no-stitch "$recording" \
			-o "$run_dir/$name.txt" 2>/dev/null || rm -f -- "$run_dir/$name.txt"
	done
	[ "$mode" != faults ] || "$hotdrift" flame "${symfs_options[@]}" --event major-faults "$recording" -o "$run_dir/flamegraph-major.svg" \
		2>/dev/null || rm -f -- "$run_dir/flamegraph-major.svg"
}

show_mode_tables() {
	local table name

	for table in "${mode_tables[@]+"${mode_tables[@]}"}"; do
		name=${table%% *}
		[ ! -s "$run_dir/$name.txt" ] || printf '%-11s %s\n' "$name" "$(shown "$run_dir/$name.txt")"
	done
}
