#!/bin/bash
# run-corpus.sh [DIR] - recordings with reference answers, compared through `hotdrift info --json`
#
# DIR (argument, environment, default ../shared/corpus) holds NAME.perf.data or NAME.perf.data.xz and
# NAME.ref/counts.tsv, structure.txt, notes.txt; its README.md says how the answers were made.  Compared are
#   - samples and periods, in all and for each event,
#   - records by type, lost events and lost samples,
#   - what the header says about the machine,
#   - samples and periods by event, comm and dso (through `hotdrift report`): records, maps and time order together.
# An event may be called as perf or as the structural walk calls it; modifiers after the colon are left out,
# since they change with perf's version.  hostile-* files must end in time, with an error or without samples.
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
DIR=${1:-${DIR:-../shared/corpus}}
prog=$O/hotdrift
name=corpus

if [ ! -d "$DIR" ] || ! ls "$DIR"/*.perf.data* > /dev/null 2>&1; then
	echo "skipped: $name: no recordings in $DIR"
	echo "$name: 0 passed, 0 failed, 1 skipped"
	exit 0
fi
for tool in jq xz; do
	if ! command -v $tool > /dev/null; then
		echo "skipped: $name: no $tool"
		echo "$name: 0 passed, 0 failed, 1 skipped"
		exit 0
	fi
done
if [ ! -x "$prog" ]; then
	echo "$name: no $prog: run make first" >&2
	echo "$name: 0 passed, 1 failed, 0 skipped"
	exit 1
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0
skipped=0

# What the program found, as lines of the same kind as counts.tsv.
flatten='
	def base: sub("^ +"; "") | sub(":[ukhHGpPSDIWeb]+$"; "");
	(.events | to_entries[] | ["event", (.key | tostring), (.value.name | base), .value.samples, .value.weight]),
	(.records | to_entries[] | ["record", .key, .value]),
	["lost_events", (.lost.events // ([.events[].lost // 0] | add // 0))],
	["lost_samples", (.lost.samples // 0)],
	["mode", .file.mode], ["endian", .file.endian],
	["osrelease", .header.os_release // ""], ["arch", .header.arch // ""],
	["version", .header.perf_version // ""], ["cpudesc", .header.cpudesc // ""],
	["cmdline", ((.header.cmdline // []) | join(" "))]
	| map(tostring) | join("\t")'

# compare OURS COUNTS STRUCTURE KEPT - prints differences, nothing when all agree
compare() {
	awk -F '\t' -v CONVFMT=%.17g -v kept="$4" '
	function base(s) { sub(/^ +/, "", s); sub(/:[ukhHGpPSDIWeb]+$/, "", s); return s }
	function tell(s) { print "  " s }
	FILENAME == ARGV[1] {
		if ($1 == "event") {
			n = $2 + 1; ours_name[$2] = $3; ours_n[$2] = $4; ours_w[$2] = $5
			total_n += $4; total_w += $5
			by_n[$3] += $4; by_w[$3] += $5
		} else if ($1 == "record") records[$2] = $3
		else ours[$1] = $2
		next
	}
	FILENAME == ARGV[2] {
		if ($1 == "what") {
			for (i = 3; i <= NF; i++) if ($i == kept) col = i
			if (!col) { tell("counts.tsv has no column " kept); exit }
			next
		}
		if ($1 == "samples_total" && $col != total_n) tell("samples: " total_n ", expected " $col)
		if ($1 == "period_total" && $col != total_w) tell("periods: " total_w ", expected " $col)
		if ($1 == "samples_attr" || $1 == "period_attr") {
			at = $2; sub(/ .*/, "", at); what = $2; sub(/^[0-9]+ /, "", what)
			walk_name[at] = base(what)
			if ($1 == "samples_attr") walk_n[at] = $3; else walk_w[at] = $3
		}
		if ($1 == "samples_event" && $col != "") want_n[base($2)] += $col
		if ($1 == "period_event" && $col != "") want_w[base($2)] += $col
		if ($1 == "lost_events" && $3 != ours["lost_events"]) tell("lost events: " ours["lost_events"] ", expected " $3)
		if ($1 == "lost_samples" && $3 != ours["lost_samples"]) tell("lost samples: " ours["lost_samples"] ", expected " $3)
		if ($1 == "records" && $3 + 0 > 0) {
			told[$2] = 1
			if ($3 != records[$2] + 0) tell("records " $2 ": " records[$2] + 0 ", expected " $3)
		}
		next
	}
	# structure.txt cuts long lines
	$1 ~ /^(mode|endian|osrelease|arch|version|cpudesc|cmdline)$/ {
		found = length($2) < 300 ? ours[$1] : substr(ours[$1], 1, length($2))
		if ($2 != found) tell($1 ": \"" found "\", expected \"" $2 "\"")
	}
	END {
		for (r in records) if (!(r in told)) tell("records " r ": " records[r] ", expected none")
		for (i = 0; i < n; i++) {
			if (!ours_n[i]) continue
			b = ours_name[i]
			if ((b in want_n) && want_n[b] == by_n[b] && want_w[b] == by_w[b]) { seen[b] = 1; continue }
			if (walk_name[i] == b && walk_n[i] == ours_n[i] && walk_w[i] == ours_w[i]) { by_place = 1; continue }
			tell("event " i " " b ": " ours_n[i] " samples, " ours_w[i] " in all, expected " \
			     (b in want_n ? want_n[b] ", " want_w[b] : walk_n[i] ", " walk_w[i] " of " walk_name[i]))
		}
		for (b in want_n) if (want_n[b] && !(b in seen) && !by_place) tell("event " b ": none, expected " want_n[b])
	}' "$1" "$2" "$3"
}

# compare_sums OURS SUMS - the same for sums by event, comm and dso
compare_sums() {
	awk -F '\t' -v CONVFMT=%.17g '
	function base(s) { sub(/^ +/, "", s); sub(/:[ukhHGpPSDIWeb]+$/, "", s); return s }
	function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
	# A kernel module is a path or [name], by perf version.
	function object(s) {
		if (s !~ /\.ko(\.[a-z0-9]+)?$/) return s
		sub(/\.ko(\.[a-z0-9]+)?$/, "", s); sub(/.*\//, "", s); gsub(/-/, "_", s)
		return "[" s "]"
	}
	function key(event) { return (only ? "" : event " / ") trim($2) " / " object($3) }
	FILENAME == ARGV[1] { event = base($1); if (!(event in ours_event)) { ours_event[event] = 1; events++ } rows[++n] = $0; next }
	FNR == 1 { next }
	{ event = base($1); if (!(event in want_event)) { want_event[event] = 1; wanted++ } want_rows[++m] = $0 }
	END {
		# One event is one event, whatever its name.
		only = events == 1 && wanted == 1
		for (i = 1; i <= n; i++) { $0 = rows[i]; k = key(base($1)); got_n[k] += $4; got_w[k] += $5 }
		for (i = 1; i <= m; i++) { $0 = want_rows[i]; k = key(base($1)); want_n[k] += $4; want_w[k] += $5 }
		for (k in want_n)
			if (want_n[k] != got_n[k] || want_w[k] != got_w[k]) {
				if (bad++ < 5) print "  " k ": " got_n[k] + 0 " samples, " got_w[k] + 0 " in all, expected " want_n[k] ", " want_w[k]
			}
		for (k in got_n) if (!(k in want_n) && bad++ < 5) print "  " k ": " got_n[k] " samples, expected none"
		if (bad > 5) print "  and " bad - 5 " more"
	}' "$1" "$2"
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
	(ulimit -t 10; exec "$prog" info --json "$data") > "$tmp/out.json" 2> "$tmp/err"
	status=$?
	why=
	if [ $status = 0 ] && ! jq -r "$flatten" "$tmp/out.json" > "$tmp/ours.tsv" 2> "$tmp/jq"; then
		why="  output is no JSON of the right shape: $(head -1 "$tmp/jq")"
	elif [ "${case#hostile-}" != "$case" ]; then
		if [ $status = 0 ]; then
			n=$(jq '[.events[].samples] | add // 0' "$tmp/out.json")
			[ "$n" = 0 ] || why="  $n samples out of a hostile file"
		elif [ $status != 5 ]; then
			why="  exit $status: $(tail -1 "$tmp/err")"
		elif ! [ -s "$tmp/err" ]; then
			why="  exit 5 without a message"
		fi
	elif [ $status != 0 ]; then
		why="  exit $status: $(tail -1 "$tmp/err")"
	else
		kept=$(sed -n '1s/^answers kept: \([a-z0-9]*\).*/\1/p' "$ref/notes.txt")
		[ "$kept" = source ] && kept=walk
		why=$(compare "$tmp/ours.tsv" "$ref/counts.tsv" "$ref/structure.txt" "$kept" 2>&1) ||
			why="  the comparison itself failed: $why"
		sums=$ref/samples_by_event_comm_dso.tsv
		if [ -z "$why" ] && [ -f "$sums" ] && [ "$(wc -l < "$sums")" -gt 1 ]; then
			(ulimit -t 20; exec "$prog" report --json --by event,comm,dso "$data") > "$tmp/sums.json" 2> "$tmp/err"
			status=$?
			if [ $status != 0 ]; then
				why="  report: exit $status: $(tail -1 "$tmp/err")"
			elif ! jq -r '.rows[] | [.event, .comm, .dso, .samples, .self] | @tsv' "$tmp/sums.json" > "$tmp/sums.tsv"; then
				why="  report: output is no JSON of the right shape"
			else
				why=$(compare_sums "$tmp/sums.tsv" "$sums" 2>&1) ||
					why="  the comparison itself failed: $why"
			fi
		fi
	fi
	if [ -n "$why" ]; then
		echo "FAILED: $case"
		echo "$why"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
	[ "$data" = "$file" ] || rm -f "$data"
done
echo "$name: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
