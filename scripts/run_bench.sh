#!/usr/bin/env bash
# run_bench.sh - run a command once as the baseline and once for each setting of a grid, compare, and keep the history
#
#     run_bench.sh [options] [--] [CMD ARGS...]
#
# The settings are the pairs of --lambda and --tau.  docs/grids.md describes how CMD gets its setting and what it
# writes.  It never prompts and changes no setting of the system.
set -euo pipefail

me=run_bench.sh door=$0
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"
# options.sh sets the variables that target.sh reads.
# shellcheck source=scripts/lib/options.sh
. "$here/lib/options.sh"
# shellcheck source=scripts/lib/target.sh
. "$here/lib/target.sh"
# shellcheck source=scripts/lib/results.sh
. "$here/lib/results.sh"
# shellcheck source=scripts/lib/grid_options.sh
. "$here/lib/grid_options.sh"
# shellcheck source=scripts/lib/grid_setting.sh
. "$here/lib/grid_setting.sh"

read_command_line take_grid_flag take_grid_option "$@"
check_grid_options
find_hotdrift

tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-grid.XXXXXX") || die 6 "cannot make a temporary folder in ${TMPDIR:-/tmp}"
trap cleanup_grid EXIT
trap 'on_grid_signal INT' INT
trap 'on_grid_signal TERM' TERM
trap 'on_grid_signal HUP' HUP

settle_grid_target
find_power
build_target
(cd -- "$work_dir" && type -P -- "${command[0]}" >/dev/null) || die_without_command "${command[0]}" run
find_commit "$work_dir"
make_grid_dir
say "$target: the baseline and ${#lambdas[@]} x ${#taus[@]} settings, $samples samples each, into $dir"

# ---- the runs

setting_names=(baseline) setting_lambdas=('') setting_taus=('') setting_status=(skipped) setting_runs=('')
for lambda in "${lambdas[@]}"; do
	for tau in "${taus[@]}"; do
		setting_names+=("mincut_l${lambda}_t${tau}")
		setting_lambdas+=("$lambda") setting_taus+=("$tau") setting_status+=(skipped) setting_runs+=('')
	done
done
write_settings
for i in "${!setting_names[@]}"; do
	[ "$signals" = 0 ] || break
	run_setting "$i"
	add_setting "$i"
	write_settings
	[ "${setting_status[0]}" = ok ] || break		# without a baseline there is nothing to compare
done

# ---- the report

grid_status=0
if [ "${setting_status[0]}" = ok ]; then
	"$hotdrift" grid "$dir" --write --json "${criteria[@]+"${criteria[@]}"}" -o "$dir/grid.json" \
		2>"$tmp/grid.err" || grid_status=$?
	case $grid_status in
	0 | 1 | 3) ;;
	*)
		cat -- "$tmp/grid.err" >&2
		die "$grid_status" "the grid could not be evaluated; what was measured is kept in $dir" ;;
	esac
	add_results
	"$hotdrift" grid "$dir" "${criteria[@]+"${criteria[@]}"}" >"$tmp/table" 2>/dev/null || :
fi
export_witnesses
give_to_caller "$dir"
[ ! -f "$db" ] || give_to_caller "$db"

if [ -s "$tmp/table" ]; then
	printf '\n%s  %s settings, %s samples each%s\n\n' "$target" "$((${#setting_names[@]} - 1))" "$samples" \
		"${commit:+, commit ${commit:0:12}}"
	cat -- "$tmp/table"
	printf '\n'
	printf 'results  %s\n' "$dir/csv/results.csv" "$dir/csv/results-ci.csv"
	for figure in "$dir"/figs/*.svg; do
		[ ! -f "$figure" ] || printf 'figure   %s\n' "$figure"
	done
fi
[ ! -f "$dir/witness/bundle.jsonl" ] || printf 'witness  %s\n' "$dir/witness/bundle.jsonl"
printf 'history  session %s in %s\n' "$session" "$db"
[ -z "$result_path" ] || printf '%s\n' "$dir" >"$result_path" || die 6 "cannot write '$result_path'"
[ "$power_used" != none ] || say "power was not measured: $power_reason"
if [ -s "$tmp/grid.err" ]; then
	cat -- "$tmp/grid.err" >&2
fi

for i in "${!setting_names[@]}"; do
	[ "${setting_status[i]}" != failed ] ||
		die 6 \
		"setting ${setting_names[i]} failed: ${setting_reasons[i]}; its files are kept in $dir, marked failed"
done
[ "$add_failed" = no ] || die 6 "not every run could be added to $db; the files are kept in $dir"
judged=yes
if [ "$signals" != 0 ]; then
	die 3 "interrupted by SIG$signal_name; what was measured is kept in $dir, and the interrupted setting is marked"
fi
exit "$grid_status"
