# shellcheck shell=bash
# rss.sh - record resident memory over time next to a recording of allocations: memory.csv
#
# Two sources of resident memory run next to the command (docs/memory.md compares them):
#
#     rss_stat   perf, attached before the command starts, records each change with -c 1, because a sampled series is
#                wrong once memory is released.  At 16 MiB perf stops, and the second source continues
#     statm      `hotdrift rss` reads /proc every 10 ms, and less often in a long run
#
# The command waits at a FIFO until both have started.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

rss_source='' rss_pids=() rss_perf='' rss_gate='' rss_limit=16M

# Create the FIFO at which the command waits.
prepare_rss() {
	[ "$rss_how" != none ] || return 0
	absolute rss_gate "$tmp/gate"
}

wait_at_gate() { [ -z "$rss_gate" ] || { : <"$rss_gate"; } 2>/dev/null || :; }

# Attach perf to PID.  Returns 1 if that is not permitted; `why` has the reason.
attach_rss() {
	local i answer=''

	why="perf may not record kmem:rss_stat here"
	find_perf || return 1
	exec 8<>"$tmp/rss.control" 9<>"$tmp/rss.ack"
	# shellcheck disable=SC2094	# perf's own
	LC_ALL=C "$perf" record -N -q -k CLOCK_MONOTONIC -e kmem:rss_stat -c 1 -z1 -m 2M --max-size "$rss_limit" \
		--control "fifo:$tmp/rss.control,$tmp/rss.ack" -p "$1" -o "$tmp/rss.data" \
		</dev/null >/dev/null 2>"$tmp/rss.err" 3<&- 8<&- 9<&- &
	rss_perf=$!
	printf 'ping\n' >&8
	for ((i = 0; i < 50 && signals == 0; i++)); do
		if read -r -t 0.1 -u 9 answer; then
			rss_pids+=("$rss_perf")
			exec 8<&- 9<&-
			return 0
		fi
		kill -0 "$rss_perf" 2>/dev/null || break
	done
	exec 8<&- 9<&-
	kill -TERM "$rss_perf" 2>/dev/null || :
	until_gone "$rss_perf"
	rss_perf=''
	return 1
}

# begin_rss PID: start the selected sources, then let the command run.
begin_rss() {
	local i poll

	[ -n "$rss_gate" ] || return 0
	case $rss_how in
	auto | rss_stat)
		if attach_rss "$1"; then
			rss_source=rss_stat
		elif [ "$rss_how" = rss_stat ] && [ "$signals" = 0 ]; then
			die 6 "--rss rss_stat: $why; it needs root, or CAP_PERFMON and a readable tracefs" \
				"$(grep -v '^ *$' "$tmp/rss.err" 2>/dev/null | head -n 1)"
		fi
		;;
	esac
	[ "$signals" = 0 ] || return 0		# the process was ended at the FIFO
	rss_source=${rss_source:-statm}
	"$hotdrift" rss "$1" </dev/null >"$tmp/rss.csv" 2>"$tmp/statm.err" 3<&- 7<&- &
	poll=$!
	rss_pids+=("$poll")
	for ((i = 0; i < 100 && signals == 0; i++)); do
		if [ -s "$tmp/rss.csv" ] || ! kill -0 "$poll" 2>/dev/null; then
			break
		fi
		read -r -t 0.02 <>"$tmp/pause" || :
	done
	exec 7<>"$rss_gate"	# stays open, so that later processes pass too
}

# Stop both sources when the command has ended.  Processes that it left may continue.
end_rss() {
	local pid

	for pid in "${rss_pids[@]+"${rss_pids[@]}"}"; do
		kill -TERM "$pid" 2>/dev/null || :
		until_gone "$pid"
	done
	rss_pids=()
	[ -z "$rss_gate" ] || exec 7<&-
}

# Set the class rules as options of `hotdrift timeline`.
class_words() {
	words=()
	[ -z "$kv_cache" ] || words+=(--kv-cache "$kv_cache")
	[ -z "$activation" ] || words+=(--activation "$activation")
	[ -z "$temp_buffer" ] || words+=(--temp-buffer "$temp_buffer")
}

# Write memory.csv and make it a series of the run.  If the command wrote a file of that name, write timeline.csv.
write_timeline() {
	local words name=memory.csv most

	class_words
	size_bytes most "$rss_limit"
	if [ -s "$tmp/rss.data" ]; then
		words+=(--rss "$tmp/rss.data")
		if stopped_at "$tmp/rss.data" "$most"; then
			words+=(--rss "$tmp/rss.csv")
			rss_source=rss_stat,statm
			warn "resident memory is from kmem:rss_stat until its recording reached $rss_limit," \
				"then from statm"
		fi
	elif [ -s "$tmp/rss.csv" ]; then
		words+=(--rss "$tmp/rss.csv")
	fi
	[ ${#words[@]} -gt 0 ] || return 0
	[ ! -e "$run_dir/$name" ] || name=timeline.csv
	if ! "$hotdrift" timeline "${symfs_options[@]}" "$recording" "${words[@]}" -o "$run_dir/$name" \
		2>>"$tmp/messages"; then
		warn "$name was not written; the message of hotdrift is below"
		rss_source=''
	elif [ "$name" = memory.csv ]; then
		series_words+=(--memory "$run_dir/$name")
	else
		series_words+=(--series "timeline=$run_dir/$name")
	fi
	timeline=$run_dir/$name
}

show_timeline() {
	[ -s "${timeline:-}" ] || return 0
	printf 'timeline    %s%s\n' "$(shown "$timeline")" "${rss_source:+  (resident memory from $rss_source)}"
}
