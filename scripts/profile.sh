#!/usr/bin/env bash
# profile.sh - record a workload, analyse the recording, and add the run to the database
#
# Builds the target if hotdrift.ini has a build line, tests whether perf can record here, records, writes a results
# folder, adds the run to the database, and prints the costliest symbols and what changed since the last run of the
# same target.  It never prompts and changes no setting of the system, except kernel.perf_event_paranoid with
# --allow-sysctl, which it restores on every exit, or at the next start after a SIGKILL.
set -euo pipefail
# Without a trap, bash ignores an interrupt that arrives while it waits for a program that then exits normally.
trap 'exit 6' HUP INT TERM

# `hotdrift profile` runs this script and sets HOTDRIFT_DOOR, which is hidden from the recorded program.
door=${HOTDRIFT_DOOR:-$0} me=${HOTDRIFT_DOOR:-$0} me=${me##*/}
unset HOTDRIFT_DOOR
here=$(readlink -f -- "${BASH_SOURCE[0]}")
here=${here%/*}
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"
# shellcheck source=scripts/lib/usage.sh
. "$here/lib/usage.sh"
# shellcheck source=scripts/lib/state.sh
. "$here/lib/state.sh"
# shellcheck source=scripts/lib/options.sh
. "$here/lib/options.sh"
# shellcheck source=scripts/lib/target.sh
. "$here/lib/target.sh"
# shellcheck source=scripts/lib/perf.sh
. "$here/lib/perf.sh"
# shellcheck source=scripts/lib/objects.sh
. "$here/lib/objects.sh"
# shellcheck source=scripts/lib/plan.sh
. "$here/lib/plan.sh"
# shellcheck source=scripts/lib/memory.sh
. "$here/lib/memory.sh"
# shellcheck source=scripts/lib/rss.sh
. "$here/lib/rss.sh"
# shellcheck source=scripts/lib/results.sh
. "$here/lib/results.sh"
# shellcheck source=scripts/lib/series.sh
. "$here/lib/series.sh"
# shellcheck source=scripts/lib/gpu.sh
. "$here/lib/gpu.sh"
# shellcheck source=scripts/lib/power.sh
. "$here/lib/power.sh"
# shellcheck source=scripts/lib/modes.sh
. "$here/lib/modes.sh"
# shellcheck source=scripts/lib/thinning.sh
. "$here/lib/thinning.sh"
# shellcheck source=scripts/lib/attach.sh
. "$here/lib/attach.sh"
# shellcheck source=scripts/lib/record.sh
. "$here/lib/record.sh"
# shellcheck source=scripts/lib/all.sh
. "$here/lib/all.sh"

# shown PATH: print the path relative to the current folder, if it is below it.
shown() { printf '%s' "${1#"$PWD"/}"; }

# ---- the command line

# Set if `profile.sh all` runs this mode: prefix of the files to which the outcome of the mode is written (all.sh).  The
# recorded program must not see the variable.
outcome=${HOTDRIFT_OUTCOME:-}
unset HOTDRIFT_OUTCOME
read_mode "$@"
shift "$mode_words"
[ "$mode" != all ] || profile_all "$@"
read_command_line take_flag take_value "$@"
check_options

tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-profile.XXXXXX")
trap cleanup EXIT
trap 'on_signal INT' INT
trap 'on_signal TERM' TERM
trap 'on_signal HUP' HUP
# Nothing is written to `pause`: reading it with a timeout is a sleep without a process.
mkfifo -- "$tmp"/{control,quiet,pause,log,logged,gate,rss.control,rss.ack} || die 6 "cannot make a FIFO in '$tmp'"

# ---- the analysis

# The recording is read once for all files.
analysis_status=0 add_status=0

# Analyse the recording, and meanwhile make a bundle with its symbols, which stays readable after a rebuild, and the
# page.
analyse() {
	local of="$target" bundle_pid='' page_pid

	[ -z "$commit" ] || of="$target at ${commit:0:12}"
	if [ "$keep_bundle" = yes ] && [ "$artifact" = perf.data ]; then
		"$hotdrift" bundle "${symfs_options[@]}" "$recording" -o "$run_dir/perf.hdb" 2>"$tmp/bundle.err" &
		bundle_pid=$!
	fi
	if [ "$recorder" = sample ]; then	# there is no recording
		show_energy >"$tmp/top" || : >"$tmp/top"
		return 0
	fi
	"$hotdrift" report --html "${symfs_options[@]}" "${analysis_options[@]+"${analysis_options[@]}"}" "$recording" \
		--title "$of" -o "$run_dir/report.html" 2>"$tmp/page.err" &
	page_pid=$!
	"$hotdrift" analyze "${symfs_options[@]}" "${analysis_options[@]+"${analysis_options[@]}"}" "$recording" \
		--title "$of" -n "$top" -o "$run_dir" >"$tmp/top" 2>>"$tmp/messages" || analysis_status=$?
	if [ "$analysis_status" != 0 ] && [ "$run_status" != failed ] && [ "$signals" = 0 ]; then
		run_status=failed reason='the analysis failed'
	fi
	write_mode_tables
	if ! wait "$page_pid" && [ "$analysis_status" = 0 ]; then
		warn "no page of the recording was written: $(tail -n 1 -- "$tmp/page.err")"
	fi
	if [ -n "$bundle_pid" ] && ! wait "$bundle_pid" && [ "$analysis_status" = 0 ]; then
		warn "no bundle of the recording was written: $(tail -n 1 -- "$tmp/bundle.err")"
	fi
}

# ---- the database

run='' db_used=''
add_run() {
	local sum name names line="$command_line" \
		words=(--target "$target" --mode "$mode" --status "$run_status" --recorded "$started" --db "$db")

	[ "$use_db" = yes ] && [ "$analysis_status" = 0 ] || return 0
	case $db in
	*://*) ;;
	*/*) make_folder "${db%/*}/" || : ;;
	esac
	[ -z "$config" ] || words+=(--config "$config")
	[ -z "$work" ] || words+=(--work "$work")
	words+=("${series_words[@]+"${series_words[@]}"}")
	[ ! -s "$run_dir/perf.hdb" ] || words+=(--artifact "$run_dir/perf.hdb")
	[ -z "$session" ] || words+=(--session "$session")
	[ -z "$cmd_status" ] || words+=(--exit-status "$cmd_status")
	[ ! -e "$tmp/over" ] || words+=(--duration "$duration")
	[ -z "$load_average" ] || words+=(--load-average "$load_average")
	IFS=$', \t\n' read -r -d '' -a names <<<"$env_named" || :
	for name in "${names[@]+"${names[@]}"}"; do
		[ -z "$name" ] || [ -n "$from" ] || words+=(--env "$name")
	done
	[ -n "$commit" ] || words+=(--commit none)
	case $recorder in
	nsys | cuda | sample) [ -n "$from" ] || words+=(--machine here) ;;	# their files may not name the machine
	esac
	if [ ${#line} -gt 30000 ]; then		# an argument is limited to 128 KiB; run.json has the whole line
		sum=$(printf '%s' "$line" | sha256sum)
		line="${line:0:30000} ... ${sum:0:16}"	# distinguishes commands that differ after that
	fi
	[ -z "$line" ] || words+=(--command "$line")
	"$hotdrift" add "${symfs_options[@]}" "${analysis_options[@]+"${analysis_options[@]}"}" "$recording" \
		"${words[@]}" --json >"$tmp/add" 2>>"$tmp/messages" ||
		add_status=$?
	if [ "$add_status" = 0 ]; then
		read_json "$tmp/add"
		run=${json[run]:-} run=${run//\"/}
		db_used=$db
		[ -z "$outcome" ] || printf '%s' "$db" >"$outcome.db"
	fi
}

# Print each message once, although both steps read the same recording.
print_messages() { [ ! -s "$tmp/messages" ] || awk '!seen[$0]++' "$tmp/messages" >&2; }

show_result() {
	local head dir=${run_dir#"$PWD"/} lack=''

	visible head "${target//\\/\\\\}  $mode"
	[ -z "$event_used" ] || head="$head  $event_used"
	[ -z "$commit" ] || head="$head  commit ${commit:0:12}"
	[ "$dirty" != true ] || head="$head, modified"
	printf '\n%s\n\n' "$head"
	cat -- "$tmp/top"
	if [ -n "$run" ] && [ "$recorder" != sample ]; then
		printf '\n'
		"$hotdrift" show "$run" --no-pager --against last --db "$db" 2>&1 || :
	fi
	printf '\nresults     %s\n' "$dir"
	show_mode_tables
	show_timeline
	show_gpu
	case $quality in
	fair | poor)
		[ "$hidden" = 0 ] || lack=", $hidden lack a caller"
		# In other locales, %f may take and print a decimal comma.
		LC_ALL=C printf 'stacks      %s: %.1f%% reach their root%s, %.1f%% of the frames have no symbol; ' \
			"$quality" "$root_pct" "$lack" "$unknown_pct"
		printf 'see hotdrift info %s\n' "$dir/$artifact" ;;
	esac
	[ ! -s "$run_dir/report.html" ] || printf 'page        %s\n' "$dir/report.html"
	for picture in "$run_dir"/flamegraph*.svg; do
		[ ! -s "$picture" ] || printf 'flamegraph  %s\n' "${picture#"$PWD"/}"
	done
	[ ! -s "$run_dir/perf.hdb" ] || printf 'bundle      %s\n' "$dir/perf.hdb"
	[ -z "$run" ] || printf 'run         %s in %s\n' "$run" "${db#"$PWD"/}"
}

# ---- the run

exec 3<&0
event_on_line=$event_given freq_on_line=$freq_given
recover_paranoid
[ "$check" = yes ] || settle_target
if [ "$faults" = yes ]; then
	mode=faults
	load_mode "$mode"
fi
call_graph_asked=$call_graph
[ "$call_graph" != auto ] || call_graph_given=no
settle_mode

settle_recorder
run_status=ok reason='' stopped=false cmd_status='' cpu_seconds='' seconds='' symfs_options=()
if [ -z "$from" ] && [ "$check" = no ]; then
	[ "$recorder" != perf ] || find_perf || die 6 "$why" "${fix[@]}"
	build_target
	check_commands
fi
case $recorder:$row_planned in
perf:yes)
	if [ -n "$from" ] || [ "$check" = yes ]; then
		[ "$call_graph" != auto ] || call_graph=fp
	else
		plan_recording
	fi ;;
perf:*) [ -n "$from" ] || [ "$check" = yes ] || { soften_limit; settle_copies; } ;;
esac
call_graph_used=${call_graph%%,*}
rate=(-F "$freq") freq_used=$freq period_used=''
[ -z "$every" ] || { rate=(-c "$every") freq_used='' period_used=$every; }
# -N: make no copies of programs in ~/.debug, because the bundle has the symbols.
record_options=(-N "${rate[@]}" --call-graph "$call_graph" "${mode_records[@]+"${mode_records[@]}"}")
[ "$all_cpus" = no ] || record_options+=(-a)
[ -z "$compress" ] || record_options+=("-z$compress")
# perf's thread for BPF programs delays the end of every recording by up to a second, so it runs only with --all-cpus.
extras=(--buildid-mmap)
[ "$all_cpus" = yes ] || extras+=(--no-bpf-event)
event_asked=$event event_recorded=''

if [ "$recorder" != perf ]; then
	event_asked='' event_used=$mode_event freq_used='' call_graph_used='' perf_version=''
fi
if [ "$recorder" = heap ]; then
	[ -n "$from" ] || check_memory || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	if [ "$check" = yes ]; then
		say "$heap_library records allocations here"
		exit 0
	fi
fi
[ "$recorder" != cuda ] || [ -n "$from" ] || settle_launches
if [ -z "$from" ] && [ "$recorder" = perf ]; then
	check_perf || { [ "$mode" = async ] && async_without_stacks; } || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	if [ "$check" = yes ]; then
		say "perf $perf_version records $event_used here"
		exit 0
	fi
	settle_levels
	keep_probe
	say_plan
fi
# A recording made elsewhere has no commit of this repository.
commit='' dirty=false
[ -n "$from" ] || find_commit "$work_dir"
make_run_dir
if [ -n "$outcome" ]; then
	printf '%s' "$session" >"$outcome.session"
	printf '%s' "$run_dir" >"$outcome.dir"
fi
note_time
if [ -n "$from" ]; then
	take_recording
else
	record
	[ "$run_status" = failed ] || keep_plan
fi
keep_series
[ "$recorder" = perf ] || keep_measured
[ "$mode" != memory ] || write_timeline
analyse
add_run
write_run_json
finished=yes
print_messages
warn_few_samples
show_result
[ -z "$result_path" ] || printf '%s\n' "$run_dir" >"$result_path"

if [ "$run_status" = interrupted ] && [ "$analysis_status" != 5 ]; then
	say "$reason; what was recorded is kept in $(shown "$run_dir"), marked interrupted: it is never a baseline"
	exit 0
fi
# 5: damaged input, 6: other failures; hotdrift's message is above.
if [ "$analysis_status" != 0 ] && [ -n "$cmd_status" ] && [ "$cmd_status" != 0 ]; then
	die 6 "$reason; its recording is kept in $(shown "$run_dir") and could not be analysed"
fi
case $analysis_status in
0) ;;
5) die 5 "the recording could not be analysed; it is kept in $(shown "$run_dir")" ;;
*) die 6 "the recording could not be analysed; it is kept in $(shown "$run_dir")" ;;
esac
case $add_status in
0) ;;
5) die 5 "the run could not be added to $(shown "$db"); its results are in $(shown "$run_dir")" ;;
*) die 6 "the run could not be added to $(shown "$db"); its results are in $(shown "$run_dir")" ;;
esac
[ "$run_status" != failed ] || die 6 "$reason; what was recorded is kept in $(shown "$run_dir"), marked failed"
