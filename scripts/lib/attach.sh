# shellcheck shell=bash
# attach.sh - record running processes: --pid, or --server, which starts a server first
#
# The server runs in a new session (setsid), which identifies its processes; it must stay in the foreground.  When it is
# ready, perf is attached and records it while the workload runs: `perf record -p PIDS -- WORKLOAD`.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

server_pid='' server_command=() attached='' ready_seconds=60 stop_seconds=10

check_pids() {
	local pid

	for pid in ${pids//,/ }; do
		[ -d "/proc/$pid" ] || die 6 "there is no process $pid"
	done
}

# Print a line for each process: its id, parent, process group, session, and more of its stat file.
processes() {
	# Processes may end while this reads /proc.
	{ cat /proc/[0-9]*/stat 2>/dev/null || :; } | sed -n 's/^\([0-9]*\) (.*) [^ZX] /\1 /p'
}

# server_pids [other]: print the process ids of the server, one per line; only those in other process groups
server_pids() {
	processes |
		awk -v session="$server_pid" -v group="${1:+$server_pid}" '$4 == session && $3 != group { print $1 }'
}

# Return 0 if one of the server's sockets is listening.
server_listens() {
	local pid inodes=''

	for pid in $(server_pids); do
		inodes+=" $(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l ' 2>/dev/null || :)"
	done
	{ cat "/proc/$server_pid/net/tcp" "/proc/$server_pid/net/tcp6" "/proc/$server_pid/net/unix" \
		2>/dev/null || :; } |
		awk -v inodes="$inodes" '
			BEGIN { n = split(inodes, all, /[^0-9]+/); for (i = 1; i <= n; i++) own[all[i]] = 1 }
			$4 == "0A" && $10 in own { found = 1 }
			$4 == "00010000" && $7 in own { found = 1 }
			END { exit !found }'
}

server_is_ready() {
	if [ -n "$ready" ]; then
		[ ${#within[@]} = 0 ] || within[2]=$((end - SECONDS + 1))
		(cd -- "$work_dir" && exec "${within[@]+"${within[@]}"}" sh -c "$ready") >/dev/null 2>&1 </dev/null
	else
		server_listens
	fi
}

# Start the server and wait until it is ready.  Its output goes to server.log in the results folder.
start_server() {
	local end status=0 is_ready=no within=()

	(
		wait_at_gate
		cd -- "$work_dir" || exit 6
		run_server
	) </dev/null 3<&- >"$run_dir/server.log" 2>&1 &
	server_pid=$!
	[ "$mode" != memory ] || begin_rss "$server_pid"
	exec 13<>"$tmp/pause"
	# In the foreground, so that an interrupt from a terminal reaches the command of --ready.
	! timeout --foreground 1 true 2>/dev/null || within=(timeout --foreground)
	end=$((SECONDS + ready_seconds))
	while [ "$SECONDS" -lt "$end" ]; do
		if ! kill -0 "$server_pid" 2>/dev/null; then
			wait "$server_pid" || status=$?
			tail -n 10 -- "$run_dir/server.log" >&2
			[ -n "$(server_pids)" ] || server_pid=''	# cleanup() stops the processes that it left
			die 6 "the server ended with status $status before it was ready; its last output is above"
		fi
		if server_is_ready; then
			is_ready=yes
			break
		fi
		read -r -t 0.05 -u 13 || :	# nothing is written there: a pause that a signal ends
	done
	exec 13<&-
	[ "$is_ready" = yes ] ||
		die 6 "the server was not ready within $ready_seconds s" \
			"--ready 'CMD'   names a shell command that succeeds when it is"
}

# Stop the server: send SIGTERM to all its processes, and SIGKILL to those that remain after ten seconds.
stop_server() {
	local i

	[ -n "$server_pid" ] || return 0
	# shellcheck disable=SC2046
	kill -TERM -- "-$server_pid" $(server_pids other) 2>/dev/null || kill -TERM "$server_pid" 2>/dev/null || :
	exec 13<>"$tmp/pause"
	for ((i = 0; i < stop_seconds * 20; i++)); do
		[ -n "$(server_pids)" ] || break
		read -r -t 0.05 -u 13 || :
	done
	exec 13<&-
	# Kill remaining processes one by one, because they may be in other process groups.
	# shellcheck disable=SC2046
	[ -z "$(server_pids)" ] || kill -KILL $(server_pids) 2>/dev/null || :
	until_gone "$server_pid"
	server_pid=''
}

# Print the processes that perf attaches to.
subject_pids() {
	if [ -n "$server" ]; then
		server_pids | paste -s -d , -
	else
		printf '%s' "$pids"
	fi
}
