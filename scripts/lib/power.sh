# shellcheck shell=bash
# power.sh - measure the energy of this machine while a command runs: profile.sh power
#
# `hotdrift sample` runs the command and reads the power sources (docs/power.md): power.csv has the samples, power.json
# the summary.  There is no recording, so the run has a series and joules but no hotspots.  Mode gpu makes the same
# files and gpu.csv if only NVML is available (gpu.sh).
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Sample `true` with the options.  Returns 1 if no source can be read here; `why` lists the reasons.
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
	exec_plain "$hotdrift" sample "${sample_options[@]}" \
		-o "${recording%/*}" -- "$@"
}

# Set `cmd_status` from the summary of the sampler, whose exit status differs from the command's.
take_end() {
	local status signal

	read_json "$run_dir/sample.json"
	status=${json[exit_status]:-} signal=${json[signal]:-}
	case $status:$signal in
	[0-9]*:*) cmd_status=$status ;;
	*:[0-9]*) cmd_status=$((128 + signal)) ;;
	esac
}

# power.csv next to gpu.csv is also a series of the run.
keep_measured() {
	[ "$recorder:$mode" = sample:gpu ] && [ -s "$run_dir/power.csv" ] || return 0
	series_words+=(--power "$run_dir/power.csv")
}

# Print joules and watts, in total and per domain, and the method.
show_energy() { "$hotdrift" energy "$run_dir/power.csv" 2>>"$tmp/messages"; }
