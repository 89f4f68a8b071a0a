# shellcheck shell=bash
# thinning.sh - limit recordings whose size depends on the number of events, not on time
#
# perf stops recording at --max-size, and the program continues.  In the modes async, syscall and memory --faults the
# run is still valid and states that its end is missing; in mode cpu it is marked failed (plan.sh).
#
# Mode async records fewer stacks (thinning) before the limit is reached.  There are three levels: the stack of every
# context switch, of one in 20, and of one in 400.  perf has an event for each level of each tracepoint, and only the
# events of the current level are enabled.  The next level is taken while the recording grows so fast that it would
# reach its limit within five minutes (the last level at once if it grows 20 times as fast), and when it reaches a fifth
# and half of the limit.  (In the first ten checks, which follow each other faster, within one minute.)  After two
# seconds in which it grew at less than a tenth of that rate, the previous level is restored.  The period of a sample is
# the number of switches that it represents.  (perf's frequency mode is not used: a burst raises its period, new threads
# inherit it, and threads that seldom switch lose their stacks.)
# With --freq, or if perf cannot switch events during a recording, there are no levels.  While the recording grows too
# fast, and from a fifth of its limit on, stacks are then recorded during 0.02 s of each 0.22 s only.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

ended_at=''
stack_periods=(1 20 400) levels=no

# Set `max_bytes`, `limit` and `limit_options`.  perf's --max-size would end the program too, so watch_size sends perf
# `disable` through a FIFO instead.
limit=none limit_options=() max_bytes=''
soften_limit() {
	size_bytes max_bytes "${max_size:-100M}"
	limit=control limit_options=(--control "fifo:$tmp/control")
}

# Called for modes whose recordings this file limits.  Set the size of stack copies, `stack_bytes` for run.json, and
# options of perf record.
settle_copies() {
	case $call_graph in
	dwarf) stack_bytes=8192 call_graph=dwarf,8192 ;;	# the default of perf
	dwarf,*) stack_bytes=${call_graph#dwarf,} ;;
	esac
	mode_records+=(-q)	# perf would print a line for each pause
	[ "$uid" != 0 ] || mode_records+=(-m 4M)	# a larger ring buffer, for bursts; only root may lock so much
}

# Print the ID of tracepoint $1 (`config`, in hexadecimal), which the trial recording contains.
probed_config() {
	LC_ALL=C "$perf" evlist -v -i "$tmp/probe.data" 2>/dev/null </dev/null |
		sed -n "s/^$1: .* config: \\(0x[0-9a-f]*\\).*/\\1/p"
}

# Called after a successful trial recording.  Set `levels`, and `event_recorded` to the events for perf.
settle_levels() {
	local plain period e config list=''

	if [ "$recalled" = yes ]; then
		if [ "$levels" = yes ]; then freq_used='' record_options+=(-R); fi
		return 0
	fi
	[ "${#stack_events[@]}" != 0 ] && [ "$freq_on_line" = no ] || return 0
	plain=$(IFS=,; printf '%s' "${stack_events[*]}")
	for e in "${stack_events[@]}"; do
		config=$(probed_config "$e")
		[ -n "$config" ] || return 0
		for period in "${stack_periods[@]}"; do
			list+=,tracepoint/config=$config,period=$period,name=${e#*:}_$period/
		done
	done
	event_recorded=${event_used/"$plain"/${list#,}}
	record_options+=(-R)	# raw fields, which perf enables only for tracepoints given by name
	if try_perf "$event_recorded"; then
		levels=yes freq_used=''
	else
		unset 'record_options[-1]'
		event_recorded=''
	fi
}

# Send perf the command enable or disable for these events.
control_perf() {	# WORD SUFFIX: suffix of the names of stack_events
	local e

	for e in "${stack_events[@]}"; do
		[ "$levels" = no ] || e=${e#*:}
		printf '%s %s%s\n' "$1" "$e" "$2" >&9
	done
}

# Switch to thinning level $1.
take_level() {
	[ "$level" != "$1" ] || return 0
	control_perf disable "_${stack_periods[level]}"
	level=$1
	control_perf enable "_${stack_periods[level]}"
}

# Choose a level from the growth of the recording since the last check, the allowed growth, and the recording's size.
choose_level() {	# GREW ALLOWED BYTES
	local least=0

	[ "$3" -lt $((max_bytes / 5)) ] || least=1
	[ "$3" -lt $((max_bytes / 2)) ] || least=2
	calm=$((calm + 1))
	[ $(($1 * 10)) -lt "$2" ] || calm=0
	if [ "$1" -gt $(($2 * 20)) ] && [ "$level" = 0 ]; then
		take_level 2
	elif [ "$1" -gt "$2" ] && [ "$level" -lt 2 ]; then
		take_level $((level + 1))
	elif [ "$calm" -ge 10 ] && [ "$level" -gt "$least" ]; then
		calm=0
		take_level $((level - 1))
	fi
	[ "$level" -ge "$least" ] || take_level "$least"
}

# Used if perf cannot switch levels.  If the recording is large, or grew too fast at one of the last 10 checks, record
# stacks only during 0.02 s between this check and the next.
choose_pause() {	# GREW ALLOWED BYTES
	thin=$((thin - (thin > 0)))
	if [ "$1" -gt "$2" ] || [ "$3" -ge $((max_bytes / 5)) ]; then thin=10; fi
	if [ "$paused" = yes ]; then
		control_perf enable ''
		paused=no
	fi
	[ "$thin" != 0 ] || return 0
	read -r -t 0.02 -u 8 || :
	control_perf disable ''
	paused=yes
}

# Raise the priority of perf, because a program that keeps all CPUs busy delays perf's writes, and the kernel then drops
# events.  The program keeps its priority, because perf had started it before this call.
go_before() {	# PID
	[ "$uid" != 0 ] || renice -n -10 -p "$1" "$BASHPID" >/dev/null 2>&1 || :
}

# Check the size in the background until perf ends.  At 95 % of max_bytes, disable the recording and write the
# microseconds since the start to $tmp/ended.
watch_size() {	# RECORDING PID
	local bytes before='' begin now looks=0 allowed choose period level=0 calm=0 paused=no thin=0

	if [ "$levels" = yes ]; then choose=choose_level; else choose=choose_pause; fi
	now_us begin
	exec 8<>"$tmp/quiet" 9<>"$tmp/control"
	[ "$levels" = no ] || for period in "${stack_periods[@]:1}"; do control_perf disable "_$period"; done
	while kill -0 "$2" 2>/dev/null; do
		# Pause for 0.2 s, because a check takes some 3 ms of CPU time; shorter at first.  Nothing is written
		# to `quiet` before perf ends, so that the reads time out.
		if [ "$row_planned" = yes ]; then
			read -r -t 1 -u 8 || :		# a planned recording grows slowly
			allowed=0
		elif [ "$((looks++))" -lt 10 ] && [ "$levels" = yes ]; then
			read -r -t 0.02 -u 8 || :
			allowed=$((max_bytes / 3000))
		else
			read -r -t 0.2 -u 8 || :
			allowed=$((max_bytes / 1500))
		fi
		bytes=$(exec stat -c %s -- "$1" 2>/dev/null) || continue
		if [ "$bytes" -ge $((max_bytes * 95 / 100)) ]; then
			printf 'disable\n' >&9
			now_us now
			printf '%s' $((now - begin)) >"$tmp/ended"
			return
		fi
		[ -n "$before" ] || [ "$bytes" = 0 ] || [ "$row_planned" = yes ] || go_before "$2"
		if [ "${#stack_events[@]}" != 0 ] && [ -n "$before" ]; then
			"$choose" $((bytes - before)) "$allowed" "$bytes"
		fi
		[ "$bytes" = 0 ] || before=$bytes
	done
}

# If the limit was reached, set `ended_at` to the time in seconds.
read_ended() {
	local us most

	[ -s "$tmp/ended" ] || return 0
	read -r us <"$tmp/ended" || :
	ended_at=$((us / 1000000)).$((us / 100000 % 10))
	if [ "$row_planned" = yes ]; then
		stopped=true
	else
		shown_size most "$max_bytes"
		warn "the recording reached $most after $ended_at s and ends there;" \
			"$subject ran on (--max-size SIZE takes more of it)"
	fi
}
