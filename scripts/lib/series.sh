# shellcheck shell=bash
# series.sh - keep the CSV files that a workload writes while it is recorded
#
# Each file is copied into the results folder, so that the content of the database can be traced, and passed to
# `hotdrift add`.  A file that is older than the run was written by another run: it is dropped with a warning.
#
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

series_words=()

# Record the start time: later files belong to this run.
note_time() { : >"$tmp/begin"; }

# Copy FILE into the folder of the run as NAME, and add it to `series_words`.  SERIES is the name of a --series.
keep_one() {	# OPTION FILE NAME [SERIES], such as --latency out/l.csv latency.csv
	local option=$1 prefix=''

	[ -n "$2" ] || return 0
	[ "$option" != --series ] || prefix=$4=
	if [ ! -f "$2" ]; then
		warn "there is no file '$2' for $option, so the run has no such series"
	elif [ -z "$from" ] && [ "$tmp/begin" -nt "$2" ]; then
		warn "'$2' for $option was not written by this run, so the run has no such series"
	elif cp -- "$2" "$run_dir/$3"; then
		series_words+=("$option" "$prefix$run_dir/$3")
	else
		die 6 "cannot copy '$2' to '$run_dir'"
	fi
}

keep_series() {
	local one n=0

	keep_one --latency "$latency_csv" latency.csv
	keep_one --memory "$memory_csv" memory.csv
	# `hotdrift sample` has measured the power itself, into the file of this name.
	[ "$recorder" = sample ] || keep_one --power "$power_csv" power.csv
	keep_one --results "$results_csv" results.csv
	for one in "${series_csv[@]+"${series_csv[@]}"}"; do
		n=$((n + 1))
		keep_one --series "${one#*=}" "series-$n.csv" "${one%%=*}"
	done
}
