# shellcheck shell=bash
# modes.sh - apply the settings of a mode, which `hotdrift profile --print-mode` prints
#
# The table of modes is in the program (src/profile/mode.c).  Most settings are defaults for options that the user did
# not give.  What depends on the machine is decided here: the kernel's limit on the sampling frequency, and the form of
# a mode without privileges.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# The settings of the mode (mode.h describes them), and the tables written next to the files of the analysis: NAME
# OPTIONS...
row_recorder='' row_artifact='' row_shown_event='' row_events='' row_stack_events='' row_unprivileged_events=''
row_call_graph='' row_record_options='' row_max_frequency='' row_period='' row_unprivileged_period='' row_compress=''
row_planned='' row_weight='' row_skips_frames='' row_modes='' row_version='' mode_tables=()

# load_mode WORD: set row_* and mode_tables.  Returns 1 if there is no such mode.
load_mode() {
	local key value lines

	find_hotdrift
	if ! lines=$(exec "$hotdrift" profile --print-mode "$1" 2>/dev/null); then
		"$hotdrift" --version >/dev/null || die 6 "'$hotdrift' does not run"
		return 1
	fi
	mode_tables=()
	while IFS='=' read -r key value; do
		case $key in
		table) mode_tables+=("$value") ;;
		*) printf -v "row_$key" %s "$value" ;;
		esac
	done <<<"$lines"
}

# Set `recorder` to the program that records, `artifact` to the file name of the recording, and `mode_event` to the
# event that is shown.
recorder=perf artifact=perf.data mode_event=''
settle_recorder() {
	case $row_recorder in
	gpu) settle_gpu ;;
	power) settle_power ;;
	*) recorder=$row_recorder artifact=$row_artifact mode_event=$row_shown_event ;;
	esac
}

# The mode cannot work on this machine: exit with the reason in `why` and `fix`.  Under `all` that is not an error.
mode_is_absent() {
	[ -n "$outcome" ] || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	printf '%s' "$why" >"$outcome.absent"
	say "$why"
	exit 0
}

# Options of the analysis and of the database, further options of perf record, and the events whose stacks are thinned.
analysis_options=() mode_records=() stack_events=() every='' skip=''

# allowed_rate VARIABLE HZ: set VARIABLE to HZ, limited to the kernel's maximum, which the kernel lowers on slow
# machines.
allowed_rate() {
	local most=''

	read -r most 2>/dev/null </proc/sys/kernel/perf_event_max_sample_rate || :
	printf -v "$1" %s "$((${most:-$2} < $2 ? most : $2))"
}

# Apply the settings of the mode.  An option on the command line takes precedence.  The event of hotdrift.ini applies to
# mode cpu only.
settle_mode() {
	if [ "$event_on_line" = no ] && [ -n "$row_events" ]; then
		event=$row_events
		read -r -a stack_events <<<"$row_stack_events"
	fi
	[ "$call_graph_given" = yes ] || call_graph=${row_call_graph:-$call_graph}
	compress=${compress:-$row_compress}
	read -r -a mode_records <<<"$row_record_options"
	every=$row_period
	if [ -n "$row_max_frequency" ] && [ "$freq_on_line" = no ]; then
		allowed_rate freq "$row_max_frequency"
		[ -z "$row_unprivileged_period" ] || settle_unprivileged
	fi
	[ -z "$row_weight" ] || analysis_options=(--weight "$row_weight" --no-kernel)
	[ "$mode" != async ] || [ "$wall" = no ] || wall_clock
	[ "$row_skips_frames" != yes ] || [ -z "$skip" ] || analysis_options+=(--skip "$skip")
}

# Without privileges, record every n-th event and not the kernel's.
settle_unprivileged() {
	read_paranoid
	if [ "$uid" != 0 ] && [[ $paranoid =~ ^[2-9]$ ]]; then
		every=$row_unprivileged_period
		[ "$event_on_line" = yes ] || event=$row_unprivileged_events
	fi
}

# Record time on and off the CPU in one picture: add samples of the clock to the switches.
wall_clock() {
	event=cpu-clock/freq=997/,$event
	analysis_options=(--weight wall --no-kernel)
}

# Record switches without stacks, which needs no privileges.
async_without_stacks() {
	event_used=dummy:u stack_events=()
	record_options=(--switch-events -k CLOCK_MONOTONIC) freq_used=''
	try_perf "$event_used" || return 1
	warn "$why"
	say "recording switches without stacks: how long each thread was off the CPU, not where"
	call_graph_used=none
}

# Run tokio-console until the user leaves it.  The recording continues.
run_console() {
	if ! type -P tokio-console >/dev/null; then
		warn "tokio-console is not installed: cargo install --locked tokio-console"
	elif ! [ -t 0 ] || ! [ -t 1 ]; then
		warn "tokio-console needs a terminal; it was not started"
	else
		tokio-console || warn "tokio-console ended with status $?"
	fi
}

# Write the tables of the mode next to the files of the analysis, and for mode memory also dhat-heap.json.  A table
# without rows is not written.
write_mode_tables() {
	local table words name

	for table in "${mode_tables[@]+"${mode_tables[@]}"}"; do
		read -r -a words <<<"$table"
		name=${words[0]}
		"$hotdrift" report "${symfs_options[@]}" "${analysis_options[@]}" "${words[@]:1}" -n 500 \
			--no-stitch "$recording" \
			-o "$run_dir/$name.txt" 2>/dev/null || rm -f -- "$run_dir/$name.txt"
	done
	[ "$mode" != memory ] || "$hotdrift" convert "${symfs_options[@]}" "$recording" --to dhat \
		-o "$run_dir/dhat-heap.json" 2>/dev/null ||
		rm -f -- "$run_dir/dhat-heap.json"
	write_joined
	[ "$mode" != faults ] || "$hotdrift" flame "${symfs_options[@]}" --event major-faults "$recording" \
		-o "$run_dir/flamegraph-major.svg" \
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
