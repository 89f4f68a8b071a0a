# shellcheck shell=bash
# record.sh - begin and end the recording, and derive the status of the run
#
#     status       ok           CMD ended with 0, or the recording ended after --duration
#                  failed       CMD failed, the recording reached --max-size in mode cpu, the server ended, the
#                               recordings of the processes could not be concatenated, or the analysis failed
#                  interrupted  the user ended it by a signal; the exit is 0
#                  fixture      the recording was made elsewhere (--from)
#     run.log      a copy of the output of CMD and perf
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

perf_pid='' watch_pid='' timer_pid='' log_pid='' run_dir='' recording='' recorded=no finished=no signals=0 forking=no
log_bytes=10485760

# ---- exit, on every path

cleanup() {
	local status=$?

	trap '' HUP INT TERM
	if [ -n "$perf_pid" ]; then
		kill -TERM "$perf_pid" 2>/dev/null || :
		until_gone "$perf_pid"
	fi
	stop_server
	end_timer
	end_rss
	close_log
	drop_uprobe
	restore_paranoid || :
	rm -rf -- "$tmp"
	if [ -n "$run_dir" ] && [ "$finished" = no ] && [ ! -s "$run_dir/$artifact" ] && [ -z "$nsys_report" ] &&
		[ -z "$(ls -A -- "$run_dir/parts" 2>/dev/null)" ]; then
		rm -rf -- "$run_dir"		# nothing was recorded
	fi
	if [ -n "$run_dir" ]; then
		[ ! -d "$run_dir" ] || give_to_caller "$run_dir"
		[ ${#made[@]} = 0 ] || give_to_caller "${made[@]}"
		[ ! -f "$results/.gitignore" ] || give_to_caller "$results/.gitignore"
		[ ! -d "$results/.plans" ] || give_to_caller "$results/.plans"
		if [ -f "${db_used:-}" ]; then
			give_to_caller "$db_used"
		fi
	fi
	# An unexpected failure of a tool: its message has been printed.
	case $status in
	0 | 2 | 5 | 6) ;;
	*) exit 6 ;;
	esac
}

# Wait until a process has ended, by polling.  If a child ends at the moment of a signal, bash may miss it, and `wait`
# for it then blocks while other children exist.  So `wait` is used only if the child's status is needed.
until_gone() {
	while kill -0 "$1" 2>/dev/null; do
		read -r -t 0.05 <>"$tmp/pause" || :
	done
}

# Interrupt the recorder.  Before the child executes it, the child is a copy of this shell with the same command line,
# which may wait at a FIFO and lose signals until it has set its traps.  SIGKILL, which is never lost, ends such a copy.
interrupt_recorder() {
	kill -INT "$perf_pid" 2>/dev/null || return 0
	if cmp -s "/proc/$$/cmdline" "/proc/$perf_pid/cmdline"; then
		kill -KILL "$perf_pid" 2>/dev/null || :
	fi
}

# A signal ends the recording, which is kept.  The first signal sends SIGINT to the recorder, the second SIGTERM, the
# third SIGKILL.  After the recording, the first signal only changes the status.
on_signal() {
	signals=$((signals + 1))
	signal_name=$1
	[ "$forking" = no ] || return 0		# record() interrupts the process when it knows its id
	if [ -z "$perf_pid" ]; then
		[ "$recorded:$signals" = yes:1 ] || exit 6
		return 0	# `return` alone would return the status of the interrupted command
	fi
	case $signals in
	1) interrupt_recorder ;;
	2) kill -TERM "$perf_pid" 2>/dev/null || : ;;
	*) kill -KILL "$perf_pid" 2>/dev/null || : ;;
	esac
}

# ---- run.log

# Open descriptors 10 and 11, which write to stdout or stderr and also to the log.  The log keeps the first 10 MiB.
open_log() {
	exec 10>&1
	exec 11>&2
	if [ "$keep_log" = no ] || [ "$tokio_console" = yes ]; then
		return 0
	fi
	exec 12<>"$tmp/logged"
	# Both ends of the FIFO are opened here, read-write first, because only that does not wait for the other end.  A
	# process that opened it itself could start after those at the other end have ended, and would never end.
	exec 13<>"$tmp/log"
	exec 14<"$tmp/log"
	exec 15>"$tmp/log"
	exec 13>&-
	(
		trap '' HUP INT TERM
		exec 3<&- 10>&- 11>&- 14<&- 15>&-
		# unbuffered, because a process left by CMD may hold the FIFO open
		stdbuf -o0 head -c "$log_bytes" >"$run_dir/run.log" 2>/dev/null
		! read -r -N 1 || cat >/dev/null	# more than the log keeps
		echo >&12
	) <&14 &
	log_pid=$!
	exec 14<&-
	exec 10> >(trap '' HUP INT TERM; exec tee -- /dev/fd/15 3<&- 11>&- 12>&-)
	exec 11> >(trap '' HUP INT TERM; exec tee -- /dev/fd/15 3<&- 10>&- 12>&- >&2)
	exec 15>&-
}

# Wait until all output has reached the log.  Processes left by CMD may hold it open: wait for these at most 2 s.
close_log() {
	local line

	[ -n "$log_pid" ] || return 0
	exec 10>&- 11>&-
	read -r -t 2 -u 12 line || :
	exec 12>&-
	log_pid=''
	[ -s "$run_dir/run.log" ] || rm -f -- "$run_dir/run.log"
}

# ---- --duration

# End the recording after --duration.  The recorder ends CMD with SIGTERM and waits for it, so kill a CMD that ignores
# that: it is the recorder itself if it is recorded from within.
begin_timer() {	# PID SIGNAL
	[ -n "$duration" ] || return 0
	(
		trap 'exit 0' TERM
		exec 6<>"$tmp/pause"
		read -r -t "$duration" -u 6 || :
		: >"$tmp/over"
		kill "-$2" "$1"
		read -r -t "$stop_seconds" -u 6 || :
		: >"$tmp/killed"
		case $recorder in
		heap | cuda) kill -KILL "$1" ;;
		*)
			# shellcheck disable=SC2046
			kill -KILL $(processes | awk -v parent="$1" '$2 == parent { print $1 }') ;;
		esac
	) 3<&- 10>&- 11>&- 2>/dev/null &
	timer_pid=$!
}

end_timer() {
	[ -n "$timer_pid" ] || return 0
	kill -TERM "$timer_pid" 2>/dev/null || :
	until_gone "$timer_pid"
	timer_pid=''
}

# ---- recording

# now_us VARIABLE: set VARIABLE to the time in microseconds.
now_us() { local t=${EPOCHREALTIME:-$(date +%s.%6N)}; printf -v "$1" %s "${t//[!0-9]/}"; }

# Set `children_ms` to the CPU time of all reaped child processes.
read_children() {
	local line='' pair ms=0

	times >"$tmp/times"
	{ read -r line; read -r line; } <"$tmp/times"
	for pair in $line; do
		[[ $pair =~ ^([0-9]+)m([0-9]+)[.,]([0-9]{3})s$ ]] &&
			ms=$((ms + BASH_REMATCH[1] * 60000 + 10#${BASH_REMATCH[2]} * 1000 + 10#${BASH_REMATCH[3]}))
	done
	children_ms=$ms
}

# Replace this shell by the program whose allocations are recorded.
run_preloaded() {
	local preload=$heap_library${LD_PRELOAD:+:$LD_PRELOAD}

	unset HOTDRIFT_HEAP_BUDGET HOTDRIFT_HEAP_MMAP
	export HOTDRIFT_HEAP=$parts/r HOTDRIFT_HEAP_INTERVAL=$heap_interval
	[ "$adaptive" = no ] || export HOTDRIFT_HEAP_BUDGET=3
	[ "$count_maps" = no ] || export HOTDRIFT_HEAP_MMAP=1
	# shellcheck disable=SC2016	# sh expands it
	case $1 in
	*=*) set -- sh -c 'export LD_PRELOAD="$0"; exec "$@"' "$preload" "$@" ;;	# as in exec_plain()
	*) set -- "LD_PRELOAD=$preload" "$@" ;;
	esac
	exec "${own_session[@]+"${own_session[@]}"}" env "${plain_signals[@]:1}" "$@"
}

run_server() {
	local own_session=(setsid)

	[ "$mode" != memory ] || run_preloaded "${server_command[@]}"
	exec_plain "${own_session[@]}" "${server_command[@]}"
}

# Replace this shell by the recorder, or by the command if it is recorded from within.
run_recorder() {
	local words=("${command[@]+"${command[@]}"}")

	[ "$recorder" = perf ] || [ ${#words[@]} -gt 0 ] || words=(sleep infinity)	# until --duration is over
	case $recorder in
	heap)
		[ -n "$server" ] || run_preloaded "${words[@]}"
		exec_plain "${words[@]}" ;;
	nsys) run_nsys "${words[@]}" ;;
	cuda) run_injected "${words[@]}" ;;
	sample) run_sampler "${words[@]}" ;;
	esac
	[ ${#words[@]} = 0 ] || words=(-- "${words[@]}")
	[ -z "$attached" ] || words=(-p "$attached" "${words[@]+"${words[@]}"}")
	exec_plain "$perf" record "${record_options[@]}" \
		"${extras[@]+"${extras[@]}"}" "${limit_options[@]+"${limit_options[@]}"}" \
		-e "${event_recorded:-$event_used}" -o "$recording" "${words[@]+"${words[@]}"}"
}

record() {
	local begin end took pid heap_pid gathered=0 before unseen

	absolute recording "$run_dir/$artifact"
	absolute parts "$run_dir/parts"
	case $recorder in
	heap | cuda) mkdir -- "$parts" || die 6 "cannot make the folder '$parts'" ;;
	esac
	[ "$recorder" != heap ] || prepare_rss
	[ -z "$server" ] || start_server
	[ "$recorder" != perf ] || attached=$(subject_pids)
	open_log
	TZ=UTC0 printf -v started '%(%Y-%m-%dT%H:%M:%SZ)T' -1
	read -r load_average _ </proc/loadavg || load_average=''
	now_us begin
	read_children
	before=$children_ms
	# The recorder runs in the background, so that this script handles signals at once.  It gets the script's input.
	forking=yes
	(
		# background processes ignore SIGINT; a trap restores the default for the executed program
		trap 'exit 130' INT
		[ -n "$server" ] || wait_at_gate
		cd -- "$work_dir" || exit 6
		run_recorder
	) <&3 3<&- >&10 2>&11 10>&- 11>&- 12>&- &
	perf_pid=$! pid=$! heap_pid=${server_pid:-$!} forking=no
	[ "$signals" = 0 ] || interrupt_recorder
	[ "$recorder" != heap ] || [ -n "$server" ] || begin_rss "$pid"
	if [ "$recorder" = heap ]; then begin_timer "$pid" TERM; else begin_timer "$pid" INT; fi
	if [ "$limit" = control ]; then
		watch_size "${recording/%gpu.trace/perf.data}" "$perf_pid" 3<&- 10>&- 11>&- 12>&- &
		watch_pid=$!
	fi
	[ "$mode" != async ] || [ "$tokio_console" = no ] || run_console
	cmd_status=0
	{ wait "$perf_pid" || cmd_status=$?; } 2>/dev/null
	[ "$signals" = 0 ] || until_gone "$perf_pid"
	perf_pid='' recorded=yes
	now_us end
	took=$((end - begin))
	printf -v seconds '%d.%06d' $((took / 1000000)) $((took % 1000000))
	read_children
	end_timer
	if [ -n "$watch_pid" ]; then
		echo 1<>"$tmp/quiet"	# wakes it from the pause before its next check
		until_gone "$watch_pid"
		watch_pid=''
	fi
	if [ -n "$server" ] && ! kill -0 "$server_pid" 2>/dev/null; then
		run_status=failed reason='the server ended while it was recorded; its last output is in '
		reason+=$(shown "$run_dir/server.log")
	fi
	stop_server
	close_log
	restore_paranoid || :
	drop_uprobe
	if [ "$recorder" = heap ]; then
		end_rss
		gather_parts "$parts" "$heap_pid" || gathered=$?
		[ "$gathered" != 1 ] || [ "$signals" = 0 ] ||
			die 6 "interrupted by SIG$signal_name before anything was recorded"
		[ "$gathered" != 1 ] || ! disk_is_full "$recording" || die 6 "$why" "${fix[@]}"
		unseen='it ended before its first one, is linked statically, contains an allocator,'
		unseen+=" or runs with another user's rights"
		[ "$gathered" != 1 ] ||
			die 6 "no allocation of $subject was seen: $unseen"
	elif [ "$recorder" != perf ]; then
		gather_measured || { gathered=1; [ "$signals" = 0 ] ||
			die 6 "interrupted by SIG$signal_name before anything was recorded"; }
		[ "$gathered" != 1 ] || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	else
		if [ ! -s "$recording" ]; then
			[ "$signals" = 0 ] || die 6 "interrupted by SIG$signal_name before anything was recorded"
			explain_no_recording
			die 6 "$why" "${fix[@]+"${fix[@]}"}"
		fi
		if stopped_at_size; then
			stopped=true
		fi
	fi
	read_ended
	judge_end "$gathered" $((children_ms - before))
}

# Set `run_status`, `reason`, `cmd_status` and `cpu_seconds` by how the recording ended.
judge_end() {	# STATUS-OF-GATHER_PARTS CPU-MS
	local ran_out=no what=${command[0]:-$subject} size

	[ "$limit:$stopped" != control:true ] || ran_out=yes
	if [ -n "$attached" ] && [ ${#command[@]} = 0 ]; then
		cmd_status=''		# that of perf
	elif [ "$signals" = 0 ] && [ ! -e "$tmp/over" ] && [ "$cmd_status" = 0 ] && [ -z "$attached" ]; then
		printf -v cpu_seconds '%d.%03d' $(($2 / 1000)) $(($2 % 1000))
	fi
	if [ "$1" = 2 ]; then
		run_status=failed
		reason='the recordings of processes could not be concatenated (is the disk full?), '
		reason+="the others are in $(shown "$parts")"
		[ -s "$recording" ] || die 6 "$reason"
	elif [ "$signals" -gt 0 ]; then
		run_status=interrupted reason="interrupted by SIG$signal_name" cmd_status=''
	elif [ "$run_status" = failed ]; then
		:
	elif [ "$ran_out" = yes ]; then
		forget_plan
		run_status=failed
		shown_size size "$max_bytes"
		reason="the recording reached --max-size $size"
		reason+=" after $ended_at s of ${seconds%.*} s, and $subject ran on"
		reason+=' (the next run is planned by what it took;'
		reason+=' --max-size SIZE takes more of it, --duration SECONDS ends it there)'
	elif [ "$stopped" = true ]; then
		forget_plan
		run_status=failed
		shown_size size "$max_bytes"
		reason="the recording reached --max-size $size after ${seconds%.*} s,"
		reason+=" where this perf stops and ends $subject (give --duration SECONDS, or a larger --max-size)"
	elif [ -e "$tmp/over" ]; then
		cmd_status=''		# --duration ended it
		[ ! -e "$tmp/killed" ] ||
			warn "$what ignored SIGTERM for $stop_seconds s after --duration, and was killed"
	elif [ "${cmd_status:-0}" -gt 128 ]; then
		run_status=failed reason="$what was killed by signal $((cmd_status - 128))"
	elif [ "${cmd_status:-0}" != 0 ]; then
		run_status=failed reason="$what exited with status $cmd_status"
	fi
	# If neither a signal nor a limit ended CMD or the recorder, the end of CMD must be in the recording.
	if [ "$signals$stopped$attached" = 0false ] && [ "${cmd_status:-129}" -le 128 ]; then
		analysis_options+=(--command-ended)
	fi
}

# Copy the recording of --from.  Its commit is unknown, so the run is a fixture.
take_recording() {
	absolute recording "$run_dir/$artifact"
	(umask 077 && exec cp -- "$from" "$recording") || cannot_write "$recording" "$recording"
	[ -z "$symfs" ] || symfs_options=(--symfs "$symfs")
	TZ=UTC0 printf -v started '%(%Y-%m-%dT%H:%M:%SZ)T' -1
	run_status=fixture reason='a recording made elsewhere'
	event_used='' event_asked='' freq_used='' period_used='' call_graph_used='' cmd_status='' seconds=''
}

# Warn if there are too few samples for reliable shares.
warn_few_samples() {
	local hz

	[ "$row_planned" = yes ] && [ -z "$from" ] || return 0
	[[ $samples =~ ^[0-9]+$ ]] && [ "$samples" -gt 0 ] && [ "$samples" -lt "$few_samples" ] || return 0
	allowed_rate hz 9973
	warn "only $samples samples were taken, so the shares below are rough: give $subject more work, or sample" \
		"more often (--freq $hz)"
}
few_samples=100
