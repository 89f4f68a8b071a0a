# shellcheck shell=bash
# thinning.sh - keeping small what grows with what a program does, not with time
#
# perf stops recording when the recording reaches --max-size, and the program goes on.  In the modes async, syscall and
# memory --faults the run is good all the same, and says that its end is not in it; in mode cpu it is marked failed (plan.sh).
#
# The stacks of async are thinned before that.  Each of its tracepoints is recorded by three events, of which one is on:
# of every switch, of one in 20, of one in 400.  While the recording grows so fast that it would reach its limit within five
# minutes, and from a fifth and from the half of the limit on, the next is taken; when it is calm for two seconds, the one
# before.  A sample's period says what it stands for.  (A frequency would do it alone, but what raises perf's period is a
# burst, new threads inherit it, and those that seldom switch lose their stacks.)
# With --freq, or a perf that cannot do so, stacks are instead recorded for 0.02 s out of each 0.22 s meanwhile.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

ended_at=''
stack_periods=(1 20 400) levels=no

# perf's own --max-size would end the program, too.  Set `max_bytes`, `limit` and `limit_options`: watch_size sends perf
# `disable` through a FIFO instead.
limit=none limit_options=() max_bytes=''
soften_limit() {
	max_bytes=$(size_bytes "${max_size:-100M}")
	mkfifo -- "$tmp/control" "$tmp/quiet" || die 6 "cannot make a FIFO in '$tmp'"
	limit=control limit_options=(--control "fifo:$tmp/control")
}

# What grows with what a program does is not planned by time.  Set `stack_bytes` for run.json.
settle_copies() {
	case $call_graph in
	dwarf) stack_bytes=8192 call_graph=dwarf,8192 ;;	# perf's own default
	dwarf,*) stack_bytes=${call_graph#dwarf,} ;;
	esac
	mode_records+=(-q)	# perf would print a line for each pause
	[ "$(id -u)" != 0 ] || mode_records+=(-m 4M)	# bursts; without privileges so much may not be locked
}

# The number of a tracepoint that the probe recorded.
probed_config() {
	LC_ALL=C "$perf" evlist -v -i "$tmp/probe.data" 2>/dev/null </dev/null | sed -n "s/^$1: .* config: \\(0x[0-9a-f]*\\).*/\\1/p"
}

# After a trial recording that worked.  Set `levels`, and `event_recorded` to what perf gets for `event_used`.
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
		for period in "${stack_periods[@]}"; do list+=,tracepoint/config=$config,period=$period,name=${e#*:}_$period/; done
	done
	event_recorded=${event_used/"$plain"/${list#,}}
	record_options+=(-R)	# the fields, as perf does itself where a tracepoint has its name
	if try_perf "$event_recorded"; then
		levels=yes freq_used=''
	else
		unset 'record_options[-1]'
		event_recorded=''
	fi
}

# Tell perf to record these events, or not to: enable or disable.
tell_perf() {	# WORD SUFFIX: of the names of stack_events
	local e

	for e in "${stack_events[@]}"; do
		[ "$levels" = no ] || e=${e#*:}
		printf '%s %s%s\n' "$1" "$e" "$2" >&9
	done
}

# One step to fewer stacks, or to more; $1 is the level.
take_level() {
	[ "$level" != "$1" ] || return 0
	tell_perf disable "_${stack_periods[level]}"
	level=$1
	tell_perf enable "_${stack_periods[level]}"
}

# By how much the recording grew, out of how much it may, and its size: another level?
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

# Or a pause, once in each look.
choose_pause() {	# GREW ALLOWED BYTES
	thin=$((thin - (thin > 0)))
	if [ "$1" -gt "$2" ] || [ "$3" -ge $((max_bytes / 5)) ]; then thin=10; fi
	if [ "$paused" = yes ]; then
		tell_perf enable ''
		paused=no
	fi
	[ "$thin" != 0 ] || return 0
	read -r -t 0.02 -u 8 || :
	tell_perf disable ''
	paused=yes
}

# A program that keeps all CPUs busy keeps perf from writing, too, and then the kernel drops what finds no room.  Its
# child, the program, is not meant: once the recording has bytes, it has been forked.
go_before() {	# PID
	[ "$(id -u)" != 0 ] || renice -n -10 -p "$1" "$BASHPID" >/dev/null 2>&1 || :
}

# Beside perf, until it ends; $tmp/ended says when perf was told to stop.
watch_size() {	# RECORDING PID
	local bytes before='' begin looks=0 allowed choose period level=0 calm=0 paused=no thin=0

	if [ "$levels" = yes ]; then choose=choose_level; else choose=choose_pause; fi
	begin=$(now_us)
	exec 8<>"$tmp/quiet" 9<>"$tmp/control"
	[ "$levels" = no ] || for period in "${stack_periods[@]:1}"; do tell_perf disable "_$period"; done
	while kill -0 "$2" 2>/dev/null; do
		# Nobody writes there before perf ends: a fifth of a second, which some 3 ms of a CPU are spent on; at first more often.
		if [ "$mode" = cpu ]; then
			read -r -t 1 -u 8 || :		# the plan is that it takes long
			allowed=0
		elif [ "$((looks++))" -lt 10 ] && [ "$levels" = yes ]; then
			read -r -t 0.02 -u 8 || :
			allowed=$((max_bytes / 3000))
		else
			read -r -t 0.2 -u 8 || :
			allowed=$((max_bytes / 1500))
		fi
		bytes=$(stat -c %s -- "$1" 2>/dev/null) || continue
		if [ "$bytes" -ge $((max_bytes * 95 / 100)) ]; then
			printf 'disable\n' >&9
			printf '%s' $(($(now_us) - begin)) >"$tmp/ended"
			return
		fi
		[ -n "$before" ] || [ "$bytes" = 0 ] || [ "$row_planned" = yes ] || go_before "$2"
		if [ "${#stack_events[@]}" != 0 ] && [ -n "$before" ]; then "$choose" $((bytes - before)) "$allowed" "$bytes"; fi
		[ "$bytes" = 0 ] || before=$bytes
	done
}

# Sets `ended_at`, in seconds, when the limit was reached.
read_ended() {
	local us

	[ -s "$tmp/ended" ] || return 0
	read -r us <"$tmp/ended" || :
	ended_at=$((us / 1000000)).$((us / 100000 % 10))
	if [ "$row_planned" = yes ]; then
		stopped=true
	else
		warn "the recording reached $(shown_size "$max_bytes") after $ended_at s and ends there; $subject ran on (--max-size SIZE takes more of it)"
	fi
}
