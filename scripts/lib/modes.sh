# shellcheck shell=bash
# modes.sh - what profile.sh records and asks for in each of its modes
#
#     cpu       samples of a processor event: where the time on a CPU goes
#     async     switches away from the CPU, with the stack of who leaves, and wake-ups with the stack of the
#               waker; stacks are thinned (thinning.sh), never the kernel's own records of switches, so that times stay exact
#     syscall   every system call's beginning and end, with its stack
#     faults    memory --faults: page faults, each with its stack while they are few, and then about 10,000 of them a second
#               (each counts for those between it and the next); one in 64 without privileges.  Major ones, which read from
#               a disk, are an event of their own besides
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Set `recorder` to who records, `artifact` to the file with the recording, and `mode_event` to what is shown of it.
recorder=perf artifact=perf.data mode_event=''
settle_recorder() {
	case $mode in
	memory) recorder=heap artifact=heap.data mode_event=allocated ;;
	gpu) settle_gpu ;;
	power) settle_power ;;
	esac
}

# The mode cannot work on this machine, see `why` and `fix`.  Among the modes of `all` that is no error.
mode_is_absent() {
	[ -n "$told" ] || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	printf '%s' "$why" >"$told.absent"
	say "$why"
	exit 0
}

# What the analysis and the database are asked for, and the tables that are written beside its files: NAME OPTIONS...
analysis_options=() mode_tables=() mode_records=() stack_events=() every='' skip=''

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
		[ "$freq_on_line" = yes ] || freq=$(allowed_rate 19999)	# where stacks have no levels
		compress=${compress:-1}
		mode_records=(-e dummy:u --switch-events)	# the first event has the switches, and is always on
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
	case $mode in
	memory | async | syscall) [ -z "$skip" ] || analysis_options+=(--skip "$skip") ;;
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

# Where stacks may not be recorded, an unprivileged user's own switches still may.
async_without_stacks() {
	event_used=dummy:u stack_events=()
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
	[ "$mode" != memory ] || "$hotdrift" convert "${symfs_options[@]}" "$recording" --to dhat -o "$run_dir/dhat-heap.json" 2>/dev/null ||
		rm -f -- "$run_dir/dhat-heap.json"
	write_joined
	[ "$mode" != faults ] || "$hotdrift" flame "${symfs_options[@]}" --event major-faults "$recording" -o "$run_dir/flamegraph-major.svg" \
		2>/dev/null || rm -f -- "$run_dir/flamegraph-major.svg"
}

show_mode_tables() {
	local table name

	for table in "${mode_tables[@]+"${mode_tables[@]}"}"; do
		name=${table%% *}
		[ ! -s "$run_dir/$name.txt" ] || printf '%-11s %s\n' "$name" "$(shown "$run_dir/$name.txt")"
	done
	[ ! -s "$run_dir/dhat-heap.json" ] || printf '%-11s %s\n' dhat "$(shown "$run_dir/dhat-heap.json")"
}
