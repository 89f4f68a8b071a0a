#!/bin/bash
# run-corpus.sh [DIR] - compare recordings with reference answers, through `hotdrift info` and `hotdrift report`
#
# DIR (argument, environment, default ../shared/corpus) contains NAME.perf.data or NAME.perf.data.xz, and the answers
# NAME.ref/counts.tsv, structure.txt, notes.txt, ...; README.md there describes how they were made.  The suite compares
#   counts  samples and periods, in total and per event; records by type; lost events and samples; machine and command
#           as in structure.txt and perf's header.txt (tests/corpus/counts.awk)
#   sums    samples and periods by event, comm and dso, which need records, maps and time order (sums.awk)
#   top     perf's first 20 rows by self cost of each event, by comm, dso and address, without any file (top.awk)
#
# tests/corpus-explained.tsv lists the differences that are due to perf, each with its section of docs/peers.md; every
# other difference fails.  hostile-* files must end in time, with an error or without samples.  perf's script text
# (script.sha256) is not compared, because no command writes such text.
#
# With DIR or V=1, a line per file is printed: its properties, and the answers that it agrees with.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite corpus
cd "$top" || exit 1
[ -z "${1:-}${DIR:-}" ] || V=1
DIR=${1:-${DIR:-${HD_SHARED:-../shared}/corpus}}
prog=$hotdrift
explained=tests/corpus-explained.tsv

if [ ! -d "$DIR" ] || ! ls "$DIR"/*.perf.data* > /dev/null 2>&1; then
	skip corpus "no recordings in $DIR"
	finish
fi
needs corpus jq xz
needs_built "$prog"
temporary_folder
mkdir "$tmp/empty"
differences=0 explanations=0

# Print what the program found, in the form of counts.tsv; then what perf prints of the header.
flatten='
	(.events | to_entries[] | ["event", (.key | tostring), .value.name, .value.samples, .value.weight]),
	(.records | to_entries[] | ["record", .key, .value]),
	["lost_events", (.lost.events // ([.events[].lost // 0] | add // 0))],
	["lost_samples", (.lost.samples // 0)],
	["mode", .file.mode], ["endian", .file.endian],
	["osrelease", .header.os_release // ""], ["arch", .header.arch // ""],
	["version", .header.perf_version // ""], ["cpudesc", .header.cpudesc // ""],
	["cmdline", ((.header.cmdline // []) | join(" "))],
	(.header | to_entries[] | select(.value != null) |
		select(.key as $k |
			["hostname", "os_release", "perf_version", "arch", "cpudesc", "cpuid"] | index($k)) |
		[(.key | gsub("_"; " ")), .value]),
	(if .header.nrcpus != null
		then ["nrcpus online", .header.nrcpus], ["nrcpus avail", .header.nrcpus_available] else empty end),
	(if .header.total_mem_kib != null then ["total memory", .header.total_mem_kib] else empty end)
	| map(tostring) | join("\t")'
describe='[(.file.mode + " " + .file.endian), (.header.arch // "-"),
	([.events[].samples] | add // 0), (.events | length)] | map(tostring) | join("\t")'

# rows KEYS JQ-ARRAY: print the report by these keys as lines; on failure set $why and return 1
rows() {
	(ulimit -t 20; exec "$prog" report --symfs "$tmp/empty" --json --by "$1" "$data") > "$tmp/rows.json" 2> \
		"$tmp/err"
	status=$?
	if [ $status != 0 ]; then
		why="report: exit $status: $(tail -1 "$tmp/err")"
	elif ! jq -r ".rows[] | $2 | @tsv" "$tmp/rows.json" > "$tmp/rows.tsv"; then
		why="report: output is no JSON of the right shape"
	fi
	[ -z "$why" ]
}

# differ AWK-FILE ARGUMENT...: set $why to the differences that are not explained; return 1 if there are any
differ() {
	local script=$1 said
	shift
	said=$(awk -f "tests/corpus/$script" -v recording="$case" -v kept="$kept" -v CONVFMT=%.17g "$@" 2>&1) ||
		said="the comparison itself failed: $said"
	why=$(grep -v '^explained: ' <<< "$said")
	if [[ $said == *'explained: '* ]]; then
		explanations=$((explanations + 1))
		notes+="; $(sed -n 's/^explained: //p' <<< "$said" | paste -sd ';')"
	fi
	[ -z "$why" ]
}

compare() {
	kept=$(sed -n '1s/^answers kept: \([a-z0-9]*\).*/\1/p' "$ref/notes.txt")
	[ "$kept" = source ] && kept=walk
	header=/dev/null
	[ ! -f "$ref/header.txt" ] || header=$ref/header.txt
	same=$kept:
	differ counts.awk "$tmp/ours.tsv" "$ref/counts.tsv" "$ref/structure.txt" "$explained" "$header" || return
	same+=" counts"
	sums=$ref/samples_by_event_comm_dso.tsv
	if [ -f "$sums" ] && [ "$(wc -l < "$sums")" -gt 1 ]; then
		rows event,comm,dso '[.event, .comm, .dso, .samples, .self]' || return
		differ sums.awk "$tmp/rows.tsv" "$sums" "$explained" || return
		same+=" sums"
	fi
	if [ -f "$ref/top20.tsv" ] && [ "$(wc -l < "$ref/top20.tsv")" -gt 1 ]; then
		rows event,comm,dso,symbol '[.event, .comm, .dso, .symbol, .self, .samples]' || return
		differ top.awk "$tmp/rows.tsv" "$ref/top20.tsv" "$explained" || return
		[[ $notes == *"not compared"* ]] || same+=" top"
	fi
}

for file in "$DIR"/*.perf.data "$DIR"/*.perf.data.xz; do
	[ -f "$file" ] || continue
	case=$(basename "${file%.xz}" .perf.data)
	ref=$DIR/$case.ref
	if [ ! -f "$ref/counts.tsv" ]; then
		echo "skipped: $case: no reference answers"
		skipped=$((skipped + 1))
		continue
	fi
	data=$file
	if [ "$file" != "${file%.xz}" ]; then
		data=$tmp/$case.perf.data
		xz -dc "$file" > "$data" || { failed=$((failed + 1)); continue; }
	fi
	(ulimit -t 10; exec "$prog" info --symfs "$tmp/empty" --json "$data") > "$tmp/out.json" 2> "$tmp/err"
	status=$?
	why='' same='' notes='' about="-	-	-	-"
	if [ $status = 0 ] && { ! jq -r "$flatten" "$tmp/out.json" > "$tmp/ours.tsv" ||
		! about=$(jq -r "$describe" "$tmp/out.json"); } 2> "$tmp/jq"; then
		why="output is no JSON of the right shape: $(head -1 "$tmp/jq")"
	elif [ "${case#hostile-}" != "$case" ]; then
		if [ $status = 0 ]; then
			n=$(jq '[.events[].samples] | add // 0' "$tmp/out.json")
			[ "$n" = 0 ] || why="$n samples out of a hostile file"
			same="hostile: no samples"
		elif [ $status != 5 ]; then
			why="exit $status: $(tail -1 "$tmp/err")"
		elif ! [ -s "$tmp/err" ]; then
			why="exit 5 without a message"
		else
			same="hostile: exit 5"
		fi
	elif [ $status != 0 ]; then
		why="exit $status: $(tail -1 "$tmp/err")"
	else
		compare
	fi
	if [ -n "$why" ]; then
		differences=$((differences + $(wc -l <<< "$why")))
		echo "FAILED: $case"
		printf '  %s\n' "${why//$'\n'/$'\n'  }"
		failed=$((failed + 1))
	else
		pass
	fi
	if [ -n "${V:-}" ]; then
		IFS=$'\t' read -r form arch samples events <<< "$about"
		magic=$(head -c 8 "$data" | tr -c '[:alnum:]' '.')
		printf '%-46s %-8s %-12s %-8s %7s samples %3s events  %s%s\n' "$case" "$magic" "$form" "$arch" \
			"$samples" "$events" \
			"${why:+DIFFERS from }$same" "$notes"
	fi
	[ "$data" = "$file" ] || rm -f "$data"
done
[ -z "${V:-}" ] || echo "$differences unexplained differences, $explanations files with explained ones (docs/peers.md)"
finish
