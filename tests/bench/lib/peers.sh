# shellcheck shell=bash
# peers.sh - define the commands that are timed, and their short names
#
# The names of our commands begin with `our-`.  The name of a peer that is not installed is printed once, and the
# peer is skipped.
# shellcheck disable=SC2034	# argv: for the caller

if [ -z "${PERFPARSER:-}" ]; then
	PERFPARSER=$(command -v hotspot-perfparser || :)
	for candidate in /usr/lib/*/libexec/hotspot-perfparser /usr/libexec/hotspot-perfparser \
		/usr/lib/libexec/hotspot-perfparser; do
		[ -n "$PERFPARSER" ] || [ ! -x "$candidate" ] || PERFPARSER=$candidate
	done
fi
if [ -z "$FLAMEGRAPH" ] && command -v stackcollapse-perf.pl >/dev/null; then
	FLAMEGRAPH=$(dirname "$(command -v stackcollapse-perf.pl)")
fi

# Print a line `SHORT NAME|NAME IN THE TABLES` for each command.
command_rows() {
	cat <<-'END'
		cat|cat (reading alone)
		our-all|hotdrift analyze
		our-all-1|hotdrift analyze --threads 1
		our-three|hotdrift analyze --threads 1 --only folded.txt,flamegraph.svg,top5.txt
		our-all-2|hotdrift analyze --threads 2
		our-fold|hotdrift fold --no-inline
		our-fold-1|hotdrift fold --threads 1
		our-top|hotdrift top
		script-plain|perf script --no-inline
		script|perf script (inlines)
		report-folded|perf report -g folded --no-inline
		report-flat|perf report -g none
		perfparser|hotspot-perfparser
		flamegraph|perf script --no-inline, stackcollapse-perf.pl, flamegraph.pl
		script2-plain|second perf: script --no-inline
		report2-folded|second perf: report -g folded --no-inline
	END
}

missing_peers() {
	[ -x "$PERFPARSER" ] || skipped perfparser "hotspot-perfparser is not installed (Debian: hotspot)"
	[ -x "$FLAMEGRAPH/flamegraph.pl" ] ||
		skipped flamegraph "FLAMEGRAPH= names no folder with stackcollapse-perf.pl and flamegraph.pl"
	[ -n "${PERF2:-}" ] || skipped script2-plain,report2-folded "PERF2= names no second perf"
}

# Select the commands for a recording: at 1 GB, perf takes hours for inlined frames on all workloads but cpp.
timed_commands() {	# NAME
	echo cat our-all our-fold our-top
	case $(size_of "$1") in m | l) echo our-three our-all-1 our-all-2 our-fold-1 ;; esac
	echo script-plain
	case $1 in *.l) case $1 in cpp.dw.l) echo script ;; esac ;; *) echo script ;; esac
	echo report-folded report-flat
	case $1 in *.z.*) ;; *) [ ! -x "$PERFPARSER" ] || echo perfparser ;; esac	# skips compressed records
	[ ! -x "$FLAMEGRAPH/flamegraph.pl" ] || echo flamegraph
	[ -z "${PERF2:-}" ] || echo script2-plain report2-folded
}

# Set the array `argv` to the command line.
command_line() {	# COMMAND FILE SCRATCH
	local file=$2 out=$3
	# shellcheck disable=SC2054	# perf's commas
	local folded=(report --stdio -g folded,0,caller,count,function --no-children --no-inline -s comm -i "$file")

	case $1 in
	cat) argv=(cat "$file") ;;
	our-all) argv=("$HOTDRIFT" analyze "$file" -o "$out/all") ;;
	our-all-1) argv=("$HOTDRIFT" analyze "$file" -o "$out/all-1" --threads 1) ;;
	our-three) argv=("$HOTDRIFT" analyze "$file" -o "$out/three" --threads 1 \
		--only "folded.txt,flamegraph.svg,top5.txt") ;;
	our-all-2) argv=("$HOTDRIFT" analyze "$file" -o "$out/all-2" --threads 2) ;;
	our-fold) argv=("$HOTDRIFT" fold --no-inline "$file") ;;
	our-fold-1) argv=("$HOTDRIFT" fold --threads 1 "$file") ;;
	our-top) argv=("$HOTDRIFT" top "$file") ;;
	script-plain) argv=("$PERF" script --no-inline -i "$file") ;;
	script) argv=("$PERF" script -i "$file") ;;
	report-folded) argv=("$PERF" "${folded[@]}") ;;
	report-flat) argv=("$PERF" report --stdio --no-children --no-inline --sort=symbol -g none -i "$file") ;;
	perfparser) argv=("$PERFPARSER" --input "$file" --output /dev/null) ;;
	flamegraph)
		argv=(bash -c '"$PERF" script --no-inline -i "$1" | "$FLAMEGRAPH/stackcollapse-perf.pl" |
			"$FLAMEGRAPH/flamegraph.pl" >"$2/flame.svg"'
			flamegraph "$file" "$out")
		;;
	script2-plain) argv=("$PERF2" script --no-inline -i "$file") ;;
	report2-folded) argv=("$PERF2" "${folded[@]}") ;;
	*) return 1 ;;
	esac
}
