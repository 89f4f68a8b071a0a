# shellcheck shell=bash
# shellcheck disable=SC2154	# here, work: set by run.sh
# measure.sh - time every command on a recording, in turn
#
# Writes lines of results.tsv, fields between tabs:
#
#   run    KEY        VALUE
#   rec    RECORDING  BYTES    SAMPLES
#   time   RECORDING  COMMAND  CPU_S  WALL_S  RSS_KIB  RUNS  ok|limit|failed
#   same   RECORDING  yes|no    are all files the same with 1 and with 2 threads?
#   acc    RECORDING  KEY      VALUE                              accuracy.sh
#   stitch RECORDING  KIB      WHOLE  BARE%  STITCHED%  RIGHT%  BARE_WRONG  STITCHED_WRONG   stitch.sh
#   count  RECORDING  COMMAND  INSTRUCTIONS                       count.sh

# A command that takes longer than this runs once, because its time is far above the noise.
SLOW_SECONDS=10

median() { sort -g | awk \
	'{ a[NR] = $1 } END { if (NR) print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }

line() {	# FIELD...
	local IFS=$'\t'

	printf '%s\n' "$*"
}

describe_machine() {
	line run perf "$("$PERF" --version 2>/dev/null | sed 's/perf version //')"
	line run cpus "$(nproc)"
	line run cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
	line run runs "$RUNS"
	line run limit "$LIMIT"
}

describe() {	# NAME
	local file=$RECORDINGS/$1.data

	line rec "$1" "$(stat -L -c %s "$file")" "$("$HOTDRIFT" info --json "$file" 2>/dev/null | jq .samples.read)"
}

run_once() {	# NAME COMMAND TIMES
	local argv=()

	command_line "$2" "$RECORDINGS/$1.data" "$work/out" || return
	# Run in an empty folder, because hotspot-perfparser searches the current folder for objects.
	(cd "$work/empty" && "$work/bin/cpu" "$3" "$LIMIT" "${argv[@]}" >/dev/null 2>"$work/out/$2.err" </dev/null)
}

# Summarise the runs of a command in one line of the results: medians, and the worst status.
summary() {	# NAME COMMAND TIMES
	line time "$1" "$2" "$(awk '{ print $1 }' "$3" | median)" "$(awk '{ print $2 }' "$3" | median)" \
		"$(awk '{ print $3 }' "$3" | median)" "$(wc -l <"$3" | tr -d ' ')" \
		"$(awk '{ s[$4] = 1 } END { print "failed" in s ? "failed" : "limit" in s ? "limit" : "ok" }' "$3")"
}

measure() {	# NAME
	local name=$1 commands command i times=$work/out/times
	local again=()

	read -r -a commands <<<"$(timed_commands "$name" | tr '\n' ' ')"
	note "measuring $name ..."
	rm -rf "$times"
	mkdir -p "$times"
	for command in "${commands[@]}"; do	# the run that is not counted, unless it is slow
		run_once "$name" "$command" "$times/$command"
		if awk -v slow="$SLOW_SECONDS" '{ exit !($2 < slow && $4 == "ok") }' "$times/$command"; then
			rm -f "$times/$command"
			again+=("$command")
		fi
	done
	for ((i = 0; i < RUNS; i++)); do
		for command in "${again[@]}"; do
			run_once "$name" "$command" "$times/$command"
		done
	done
	for command in "${commands[@]}"; do
		summary "$name" "$command" "$times/$command"
	done
	if [ -d "$work/out/all-1" ] && [[ " ${commands[*]} " = *" our-all-1 "* ]]; then
		if diff -r "$work/out/all-1" "$work/out/all-2" >/dev/null; then
			line same "$name" yes
		else
			line same "$name" no
		fi
	fi
}

# Replace the lines of these kinds by standard input; with ONLY, only the lines about the same recordings.
replace_lines() {	# FILE KIND...
	local file=$1

	shift
	[ -f "$file" ] || : >"$file"
	cat >"$file.add"
	awk -F'\t' -v kinds="$*" -v only="${ONLY:-}" '
		BEGIN { n = split(kinds, k, " "); for (i = 1; i <= n; i++) kind[k[i]] = 1 }
		NR == FNR { told[$1, $2] = 1; next }
		!($1 in kind) || (only != "" && !(($1, $2) in told))' "$file.add" "$file" >"$file.new"
	cat "$file.add" >>"$file.new"
	mv "$file.new" "$file"
	rm -f "$file.add"
}
