# shellcheck shell=bash
# modes.sh - what profile.sh records and asks for in each of its modes
#
#     cpu       samples of a processor event: where the time on a CPU goes
#     async     switches away from the CPU, with the stack of who leaves, and wake-ups with the stack of the
#               waker; -F thins the stacks, never the kernel's own records of switches, so that times stay exact
#     syscall   every system call's beginning and end, with its stack
#
# What these two record grows with what the program does, not with time.  So perf is told to stop when the recording
# reaches --max-size, and the program goes on: the run is good, and says that its end is not in it.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# The modes of `profile.sh all`, in their order.
all_modes=(cpu memory async syscall)

# What the analysis and the database are asked for, and the tables that are written beside its files: NAME OPTIONS...
analysis_options=() mode_tables=() mode_records=()

# hotdrift.ini's event is that of the cpu mode.
settle_mode() {
	case $mode in
	async)
		[ "$event_on_line" = yes ] || event=sched:sched_switch,sched:sched_wakeup
		[ "$call_graph_given" = yes ] || call_graph=dwarf
		[ "$freq_on_line" = yes ] || freq=499
		compress=${compress:-1}
		mode_records=(--switch-events)
		analysis_options=(--weight off-cpu --no-kernel)
		[ "$wall" = no ] || wall_clock
		mode_tables=('reasons --by reason,waker' 'threads --by comm,tid,reason' 'futures --by future,reason')
		;;
	syscall)
		[ "$event_on_line" = yes ] || event=raw_syscalls:sys_enter,raw_syscalls:sys_exit
		[ "$call_graph_given" = yes ] || call_graph=dwarf,1024	# by frame pointers, libc's callers are lost
		compress=${compress:-1}
		analysis_options=(--weight syscalls --no-kernel)
		mode_tables=('syscalls --by syscall,error' 'callers --by syscall,symbol')
		;;
	esac
}

# On and off the CPU in one picture: the clock's samples, too.
wall_clock() {
	event=cpu-clock,$event
	analysis_options=(--weight wall --no-kernel)
}

# perf's own --max-size would end the program.  Sets `soft_bytes`.
soft_bytes='' ended_at=''
soften_limit() {
	soft_bytes=$(size_bytes "${max_size:-100M}")
	max_bytes=''
	mkfifo -- "$tmp/control" "$tmp/quiet" || die 6 "cannot make a FIFO in '$tmp'"
	mode_records+=(--control "fifo:$tmp/control")
	[ "$(id -u)" != 0 ] || mode_records+=(-m 4M)	# bursts; without privileges so much may not be locked
}

# Beside perf, until it ends: at the limit it is told to stop recording.  $tmp/ended says when.
watch_size() {	# RECORDING PID
	local bytes begin

	begin=$(now_us)
	exec 8<>"$tmp/quiet" 9<>"$tmp/control"
	while kill -0 "$2" 2>/dev/null; do
		read -r -t 0.1 -u 8 || :	# nobody writes there: a tenth of a second
		bytes=$(stat -c %s -- "$1" 2>/dev/null) || continue
		[ "$bytes" -ge $((soft_bytes * 95 / 100)) ] || continue
		printf 'disable\n' >&9
		printf '%s' $(($(now_us) - begin)) >"$tmp/ended"
		return
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
	record_options=(--switch-events)
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
}

show_mode_tables() {
	local table name

	for table in "${mode_tables[@]+"${mode_tables[@]}"}"; do
		name=${table%% *}
		[ ! -s "$run_dir/$name.txt" ] || printf '%-11s %s\n' "$name" "$(shown "$run_dir/$name.txt")"
	done
}
