# shellcheck shell=bash
# grid_setting.sh - run one setting of a grid, keep its files, and add it to the history
#
#     settings.csv           setting,lambda,tau,status,run
#     csv/SETTING*.csv       latency, -memory, -power, -quality
#     config/SETTING.json    the configuration, which `hotdrift hash` fingerprints
#     log/SETTING.log        the output of CMD
#     witness/SETTING.jsonl  its chain; bundle.jsonl: all runs
#
#     status  ok           CMD ended with 0 and wrote its latencies
#             failed       CMD failed, or wrote none
#             interrupted  ended by a signal to this script
#             skipped      not run
# shellcheck disable=SC2034,SC2154	# shared with run_bench.sh

latency_header=sample_id,wall_time_us,kernel_time_us,seq_len
signals=0 signal_name='' child='' judged=no add_failed=no setting_reasons=() dir='' power_used=none power_reason=''

# Wait until the child has ended, also if signals end `wait`, and return its exit status.
wait_for_child() {
	local status=0

	wait "$child" || status=$?
	while kill -0 "$child" 2>/dev/null; do
		status=0
		wait "$child" || status=$?
	done
	return "$status"
}

cleanup_grid() {
	local status=$?

	trap : HUP INT TERM	# not '': bash 5.2 can loop for ever if an ignored SIGINT arrives when `wait` begins
	if [ -n "$child" ]; then
		kill -TERM "$child" 2>/dev/null || :
		wait_for_child 2>/dev/null || :
	fi
	trap '' HUP INT TERM
	rm -rf -- "$tmp"
	[ ${#made[@]} = 0 ] || give_to_caller "${made[@]}"
	[ -z "$dir" ] || [ ! -d "$dir" ] || give_to_caller "$dir"
	# An unexpected failure of a tool, whose message has been printed, must not look like a verdict.
	case $status in
	0 | 2 | 4 | 5 | 6) ;;
	*) [ "$judged" = yes ] || exit 6 ;;
	esac
}

# Interrupt the child.  Before it executes `hotdrift sample`, it is a copy of this shell with the same command line,
# which ignores SIGINT, and is killed.
interrupt_child() {
	kill -INT "$child" 2>/dev/null || return 0
	if cmp -s "/proc/$$/cmdline" "/proc/$child/cmdline"; then
		kill -KILL "$child" 2>/dev/null || :
	fi
}

# The first signal interrupts the running setting, and no other one starts.  The second ends it, the third kills it.
on_grid_signal() {
	signals=$((signals + 1))
	signal_name=$1
	if [ -z "$child" ]; then
		[ "$signals" -lt 3 ] || exit 6
		return 0
	fi
	case $signals in
	1) interrupt_child ;;
	2) kill -TERM "$child" 2>/dev/null || : ;;
	*) kill -KILL "$child" 2>/dev/null || : ;;
	esac
}

# Set `power_words` for `hotdrift sample`.
power_words=()
find_power() {
	case $power_asked in
	none) power_reason='--power none was given'; return ;;
	auto) power_words=(--power) ;;
	*) power_words=("--power=$power_asked") ;;
	esac
	if "$hotdrift" sample "${power_words[@]}" -q -o "$tmp/probe" -- true >/dev/null 2>"$tmp/power.err"; then
		power_used=$power_asked
		return
	fi
	[ "$power_asked" = auto ] || { cat -- "$tmp/power.err" >&2; exit 6; }
	power_words=()
	power_reason='no power source can be read here; energy is 0 in results.csv'
}

disk() { die 6 "cannot write into '$dir' (is the disk full?)"; }

write_settings() {
	local i

	if ! {
		printf 'setting,lambda,tau,status,run\n'
		for i in "${!setting_names[@]}"; do
			printf '%s,%s,%s,%s,%s\n' "${setting_names[i]}" "${setting_lambdas[i]}" "${setting_taus[i]}" \
				"${setting_status[i]}" "${setting_runs[i]}"
		done
	} >"$dir/settings.csv.new" || ! mv -f -- "$dir/settings.csv.new" "$dir/settings.csv"; then
		disk
	fi
}

# Write the configuration: the six fields from which `hotdrift hash` computes the fingerprint.  They need a whole tau.
# With another tau, the seed is a seventh field, and `hotdrift hash` then fingerprints the configuration as JSON.
write_config() {	# NAME LAMBDA TAU
	local more=''

	[[ $3 =~ ^[0-9]+$ ]] || more=", \"seed\": $seed"
	{
		printf '{"model_commit": %s, "weights_hash": %s, ' \
			"$(json_string "$model_commit")" "$(json_string "$weights_hash")" &&
		printf '"lambda": %s, "tau": %s, "eps": %s, "compiler_flags": %s%s}\n' \
			"$2" "$3" "$eps" "$(json_string "$compiler_flags")" "$more"
	} >"$dir/config/$1.json" || disk
}

# Set `words` to the command with its placeholders replaced.
fill_command() {	# NAME LAMBDA TAU
	local word name=$1

	words=()
	for word in "${command[@]}"; do
		word=${word//'{setting}'/$name}
		word=${word//'{lambda}'/$2}
		word=${word//'{tau}'/$3}
		word=${word//'{eps}'/$eps}
		word=${word//'{seed}'/$seed}
		word=${word//'{samples}'/$samples}
		word=${word//'{latency_csv}'/"$dir/csv/$name.csv"}
		word=${word//'{memory_csv}'/"$dir/csv/$name-memory.csv"}
		word=${word//'{quality_csv}'/"$dir/csv/$name-quality.csv"}
		words+=("$word")
	done
}

fail_setting() {	# INDEX REASON
	setting_status[$1]=failed
	setting_reasons[$1]=$2
	warn "setting ${setting_names[$1]}: $2"
}

# Run one setting and set its status.  `hotdrift sample` measures its memory and power from outside.
run_setting() {	# INDEX
	local i=$1 name=${setting_names[$1]} l=${setting_lambdas[$1]:-0} t=${setting_taus[$1]:-0} status=0 words \
		reference='' outcome code rows header lines

	write_config "$name" "$l" "$t"
	fill_command "$name" "$l" "$t"
	[ "$name" = baseline ] || [ ! -s "$tmp/output" ] || reference=$tmp/output
	rm -rf -- "$tmp/sample"
	[ "$signals" = 0 ] || return 0
	setting_status[i]=interrupted
	(
		cd -- "$work_dir" || exit 6
		export HOTDRIFT_SETTING=$name HOTDRIFT_LAMBDA=$l HOTDRIFT_TAU=$t HOTDRIFT_EPS=$eps HOTDRIFT_SEED=$seed
		export HOTDRIFT_SAMPLES=$samples HOTDRIFT_LATENCY_CSV=$dir/csv/$name.csv
		export HOTDRIFT_MEMORY_CSV=$dir/csv/$name-memory.csv HOTDRIFT_QUALITY_CSV=$dir/csv/$name-quality.csv
		export HOTDRIFT_REFERENCE=$reference HOTDRIFT_OUTPUT=
		[ "$name" != baseline ] || HOTDRIFT_OUTPUT=$tmp/output
		exec_plain "$hotdrift" sample --memory "${power_words[@]}" -q -o "$tmp/sample" \
			-- "${words[@]}"
	) >"$dir/log/$name.log" 2>&1 </dev/null &
	child=$!
	[ "$signals" = 0 ] || interrupt_child
	wait_for_child || status=$?
	child=''
	json=()
	[ ! -f "$tmp/sample/sample.json" ] || read_json "$tmp/sample/sample.json"
	outcome=${json[status]:-} outcome=${outcome//\"/} code=${json[exit_status]:-} code=${code/null/}
	setting_codes[i]=$code
	keep_measured_files "$name"
	if [ "$signals" != 0 ] || [ "$outcome" = interrupted ]; then
		return 0
	elif [ "$status" != 0 ] || [ "$outcome" != ok ]; then
		tail -n 5 -- "$dir/log/$name.log" >&2
		fail_setting "$i" "the command failed${code:+ with status $code}"
	elif ! [ -s "$dir/csv/$name.csv" ]; then
		fail_setting "$i" 'the command wrote no latencies to the file that HOTDRIFT_LATENCY_CSV names'
	elif ! { IFS= read -r header <"$dir/csv/$name.csv" && [ "${header%$'\r'}" = "$latency_header" ]; }; then
		fail_setting "$i" "the latencies do not begin with the line $latency_header"
	elif ! "$hotdrift" stats --strict "$dir/csv/$name.csv" >"$tmp/stats" 2>"$tmp/stats.err"; then
		tail -n 1 -- "$tmp/stats.err" >&2
		fail_setting "$i" 'its latencies cannot be read'
	else
		setting_status[i]=ok
		mapfile -t lines <"$dir/csv/$name.csv"
		rows=$((${#lines[@]} - 1))
		[ "$rows" = "$samples" ] || warn "setting $name: $rows samples instead of $samples"
		say "$name: $rows samples"
	fi
}

# Keep the measured power, and the measured resident memory unless CMD wrote a memory file.
keep_measured_files() {	# NAME
	if ! [ -s "$dir/csv/$1-memory.csv" ] && [ -s "$tmp/sample/memory.csv" ]; then
		cp -- "$tmp/sample/memory.csv" "$dir/csv/$1-memory.csv" || disk
	fi
	if [ -s "$tmp/sample/power.csv" ]; then
		cp -- "$tmp/sample/power.csv" "$dir/csv/$1-power.csv" || disk
	fi
}

# Add a run to the history, and set `added` to its id.
added=''
add_run() {	# WORDS of `hotdrift add`
	local now

	added=''
	TZ=UTC0 printf -v now '%(%Y-%m-%dT%H:%M:%SZ)T' -1
	# Run it in the folder of the target, because `hotdrift add` stores the commit of the checkout around it.
	if (cd -- "$work_dir" && exec "$hotdrift" add --target "$target" --mode grid --session "$session" \
		--machine here --db "$db" --env "HOTDRIFT_SEED=$seed" --env "HOTDRIFT_SAMPLES=$samples" \
		--command "${command[*]}" --recorded "$now" --json "$@") >"$tmp/add" 2>"$tmp/add.err"; then
		read_json "$tmp/add"
		added=${json[run]:-} added=${added//\"/}
	else
		tail -n 1 -- "$tmp/add.err" >&2
		add_failed=yes
	fi
}

add_setting() {	# INDEX
	local i=$1 name=${setting_names[$1]} words at="$dir/csv/${setting_names[$1]}"

	words=(--status "${setting_status[i]}" --side "$name" --config "$dir/config/$name.json")
	[ -z "${setting_codes[i]:-}" ] || words+=(--exit-status "${setting_codes[i]}")
	# Files of a setting that failed may be damaged, so that only those that can be read are stored.
	is_usable "$i" "$at.csv" && words+=(--latency "$at.csv")
	is_usable "$i" "$at-memory.csv" && words+=(--memory "$at-memory.csv")
	is_usable "$i" "$at-power.csv" && words+=(--power "$at-power.csv")
	is_usable "$i" "$at-quality.csv" && words+=(--series "quality=$at-quality.csv")
	case " ${words[*]} " in
	*" $at"*) add_run "${words[@]}" ;;
	*) warn "setting $name wrote nothing that can be stored, so that the history has no run of it"; added='' ;;
	esac
	setting_runs[i]=$added
}

is_usable() {	# INDEX FILE
	[ -s "$2" ] || return 1
	[ "${setting_status[$1]}" = ok ] || "$hotdrift" stats --strict "$2" >/dev/null 2>&1
}

# Add the results of the whole grid as a run of their own.
add_results() {
	local words=(--results "$dir/csv/results.csv" --side results --status ok
		--series "ci=$dir/csv/results-ci.csv" --artifact "$dir/grid.json")

	[ "$grid_status" != 3 ] || [ "$signals" = 0 ] || words+=(--status interrupted)
	add_run "${words[@]}"
	results_run=$added
}

results_run=''
export_witnesses() {
	local i runs=()

	for i in "${!setting_names[@]}"; do
		[ -n "${setting_runs[i]}" ] || continue
		runs+=("${setting_runs[i]}")
		"$hotdrift" witness export "${setting_runs[i]}" --db "$db" \
			-o "$dir/witness/${setting_names[i]}.jsonl" || disk
	done
	[ -z "$results_run" ] || runs+=("$results_run")
	[ ${#runs[@]} = 0 ] ||
		"$hotdrift" witness export "${runs[@]}" --db "$db" -o "$dir/witness/bundle.jsonl" || disk
}
