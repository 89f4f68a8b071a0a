# shellcheck shell=bash
# power.sh - measure the energy of this machine while a command runs: profile.sh power
#
# `hotdrift sample` runs the command and reads the power sources meanwhile (docs/power.md): power.csv has the samples,
# power.json the summary.  There is no recording, so that the run has no hotspots: it has the series and its joules.
# The same files, and gpu.csv, come from mode gpu where NVML is all that there is (gpu.sh).
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Run nothing with the options.  1: nothing can be read here, and `why` names each source with its reason.
check_sampler() {	# OPTION...
	local status=0

	"$hotdrift" sample "$@" -o "$tmp/probe" -- true >/dev/null 2>"$tmp/probe.err" </dev/null || status=$?
	[ "$status" != 0 ] || return 0
	why=$(sed -n 's/^hotdrift: error: //p' "$tmp/probe.err" | tail -n 1)
	case $why in
	*" was not run ("*) why="nothing to sample can be read here (${why#* was not run (}" ;;
	'') why="hotdrift sample ended with status $status" ;;
	esac
	fix=("$(shown_program) doctor   tries what recording needs here, and explains each")
	return 1
}

settle_power() {
	recorder=sample artifact=power.csv mode_event='' sample_options=(--power --quiet)
	if ! check_sampler --power; then
		why=${why/#nothing to sample can be read here/no power can be measured here}
		mode_is_absent
	fi
	[ "$check" = yes ] || return 0
	say "power is measured here: $(sed -n 's/^power  .* of //p' "$tmp/probe.err")"
	exit 0
}
sample_options=()

# Replace this shell by the sampler, which runs the command.
run_sampler() {
	exec "${plain_signals[@]+"${plain_signals[@]}"}" "$hotdrift" sample "${sample_options[@]}" -o "${recording%/*}" -- "$@"
}

# The end of the command as the sampler saw it: its own status is another one.
take_end() {
	local status signal

	status=$(of_json exit_status "$run_dir/sample.json") signal=$(of_json signal "$run_dir/sample.json")
	case $status:$signal in
	[0-9]*:*) cmd_status=$status ;;
	*:[0-9]*) cmd_status=$((128 + signal)) ;;
	esac
}

# power.csv beside gpu.csv is a series of the run, too.
keep_measured() {
	[ "$recorder:$mode" = sample:gpu ] && [ -s "$run_dir/power.csv" ] || return 0
	series_words+=(--power "$run_dir/power.csv")
}

# Joules and watts, in all and of each domain, and by which method.
show_energy() { "$hotdrift" energy "$run_dir/power.csv" 2>>"$tmp/messages"; }
