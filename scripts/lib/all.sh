# shellcheck shell=bash
# all.sh - implement profile.sh all: record in every mode in turn, and write a page about all of them
#
# A mode that fails does not affect the others; the exit status is the worst one.  A mode that cannot work, such as gpu
# on a machine without a GPU, or that hotdrift.ini excludes, is skipped with one message (MODE.absent).  Each mode is a
# separate profile.sh, which writes the path of its results (MODE.dir), its session (MODE.session), the database with
# its run (MODE.db) and the reason of a failure (MODE.why) into our temporary folder.
#
# A signal ends the current mode, whose recording is kept and marked interrupted.  No other mode is started, the page
# shows the recorded modes, and the exit status is 0, or the worst one if all modes failed, or 6 if
# nothing was recorded before.
# shellcheck disable=SC2154	# shared with profile.sh

mode_pid='' all_signals=0 all_signal=''

# Pass the signal to the mode that runs.  SIGINT is not passed: a terminal sends it to the whole foreground group.
on_all_signal() {
	all_signals=$((all_signals + 1)) all_signal=$1
	[ "$1" != INT ] || [ ${#plain_signals[@]} = 0 ] || return 0
	[ -z "$mode_pid" ] || kill -TERM "$mode_pid" 2>/dev/null || :
}

# run_mode MODE ARGUMENTS...: run one mode in the background, so that signals to this script are handled at once.
# Returns its status.
run_mode() {
	local seen status

	HOTDRIFT_DOOR=$door HOTDRIFT_OUTCOME=$tmp/$1 exec_plain "$here/profile.sh" "$@" <&3 3<&- &
	mode_pid=$!
	while :; do
		seen=$all_signals status=0
		wait "$mode_pid" || status=$?
		[ "$seen" != "$all_signals" ] || break
	done
	mode_pid=''
	return "$status"
}

profile_all() {
	local m status worst=0 done=0 failed='' group dirs=() page_options=() dir why

	TZ=UTC0 printf -v group 'all-%(%Y%m%dT%H%M%SZ)T-%s' -1 $$
	case ${1:-} in -h | --help) usage; exit 0 ;; esac
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-all.XXXXXX")
	trap 'rm -rf -- "$tmp"' EXIT
	trap 'on_all_signal HUP' HUP
	trap 'on_all_signal INT' INT
	trap 'on_all_signal TERM' TERM
	exec 3<&0
	for m in $row_modes; do
		[ "$all_signals" = 0 ] || break
		status=0
		run_mode "$m" --session "$group" "$@" || status=$?
		[ "$status" != 2 ] || exit 2	# the options are the same for all
		[ ! -e "$tmp/$m.absent" ] || continue	# the mode has printed why
		done=$((done + 1))
		[ "$status" = 0 ] || failed="$failed $m"
		if dir=$(cat -- "$tmp/$m.dir" 2>/dev/null) && [ -s "$dir/run.json" ]; then
			dirs+=("$dir")
		else
			why=$(cat -- "$tmp/$m.why" 2>/dev/null) || why="it ended with status $status"
			page_options+=(--failed "$m=$why")
		fi
		[ "$status" -le 6 ] || status=6		# killed by a signal
		[ "$status" -le "$worst" ] || worst=$status
	done
	[ ${#dirs[@]} = 0 ] || write_page
	show_opportunities
	if [ "$all_signals" != 0 ]; then
		[ ${#dirs[@]} != 0 ] || die 6 "interrupted by SIG$all_signal before anything was recorded"
		say "interrupted by SIG$all_signal; what was recorded until then is kept"
		[ "$(wc -w <<<"$failed")" = "$done" ] || worst=0
		exit "$worst"
	fi
	[ "$done" != 0 ] || die 6 "no mode was recorded, see above"
	[ -n "$failed" ] || exit 0
	[ "$(wc -w <<<"$failed")" != "$done" ] || die "$worst" "all modes failed, see above"
	die "$worst" "these modes failed, see above:$failed; the others are kept"
}

# Print the first opportunities of the session, and the command that lists more.  A session without a run in the
# database, or with failed runs only, has none.
show_opportunities() {
	local databases sessions

	databases=("$tmp"/*.db) sessions=("$tmp"/*.session)
	[ -s "${databases[0]}" ] || return 0
	find_hotdrift
	set -- --db "$(shown "$(cat -- "${databases[0]}")")" --session "$(cat -- "${sessions[0]}")"
	"$hotdrift" opportunities "$@" -n 3 >"$tmp/opportunities" 2>/dev/null || return 0
	printf '\nopportunities\n\n'
	cat -- "$tmp/opportunities"
	printf '\nnext        hotdrift opportunities%s\n' "$(printf ' %q' "$@")"
}

# Write the page of all modes next to their folders.  If that fails, the results are kept.
write_page() {
	local page=${dirs[0]%/*}/$group/all.html session file

	file=("$tmp"/*.session)		# all modes have the same session; the file has no line end
	session=$(cat -- "${file[0]}")
	find_hotdrift
	if mkdir -p -- "${page%/*}" && { [ ! -e "${dirs[0]}/.gitignore" ] ||
		cp -- "${dirs[0]}/.gitignore" "${page%/*}/"; } &&
		"$hotdrift" html "${dirs[@]}" --session "$session" "${page_options[@]+"${page_options[@]}"}" \
		-o "$page" >/dev/null; then
		give_to_caller "${page%/*}"
		printf '\npage        %s\n' "$(shown "$page")"
	else
		warn "the page of all modes could not be written"
	fi
}
