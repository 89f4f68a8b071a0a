# shellcheck shell=bash
# shellcheck disable=SC2154	# here, work: set by run.sh
# tables.sh - print results.tsv as Markdown

table() {	# RESULTS AWK-FILE OPTION...
	local results=$1 name=$2

	shift 2
	awk -v goals_file="$here/goals.tsv" "$@" -f "$here/lib/results.awk" -f "$here/lib/$name.awk" "$results"
}

# goals.tsv is read first; results.awk recognises it by its path.
goal_table() {
	awk -v goals_file="$here/goals.tsv" -f "$here/lib/results.awk" -f "$here/lib/goals.awk" "$here/goals.tsv" "$1"
}

# Sort the results by recording, in whatever order they were measured.
ordered() {	# RESULTS
	ONLY='' SIZES='s m l' recording_names |
		awk -F'\t' 'NR == FNR { rank[$1] = NR; next } { print (($2 in rank) ? rank[$2] : 0) "\t" $0 }' - "$1" |
		sort -s -n -k 1,1 | cut -f 2-
}

heading() { printf '\n### %s\n\n' "$1"; }

tables() {	# RESULTS
	local results=$1.ordered

	ordered "$1" >"$results"
	set -- "$results"
	awk -F'\t' '$1 == "run" { v[$2] = $3 } END {
		printf "perf %s, %d cores of %s; medians of %d runs, in turn; `>`: stopped after %d s\n",
			v["perf"], v["cpus"], v["cpu"], v["runs"], v["limit"] }' "$1"
	heading "Goals"
	goal_table "$1"
	heading "Ratios: how many times what we need the peer needs"
	table "$1" ratios
	heading "Accuracy"
	table "$1" accuracy
	if grep -q '^stitch' "$1"; then
		heading "Smaller stack copies, stitched"
		awk -f "$here/lib/stitching.awk" "$1"
	fi
	heading "Growth"
	table "$1" growth
	heading "CPU"
	table "$1" times -v what=cpu
	heading "Wall"
	table "$1" times -v what=wall
	heading "Memory"
	table "$1" times -v what=rss
	if grep -q '^count' "$1"; then
		heading "Instructions"
		table "$1" counts
	fi
	printf '\n'
	command_rows | awk -F'|' '{ printf "%s`%s` %s", (NR > 1) ? "; " : "", $1, $2 } END { print "." }'
	rm -f "$results"
}
