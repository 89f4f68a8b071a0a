#!/bin/bash
# run-same.sh OLD [DIR] - compare what two builds of hotdrift write, byte by byte
#
# OLD is the earlier program, for example one built in another worktree; the other one is $O/hotdrift.  Each input of
# fixtures/ and DIR (default: ../shared) goes through fold, flame, top, report, info, analyze and every form of convert
# with both programs.  Standard output, the files of `analyze` and the exit status must be equal.  Messages are not
# compared, so that wording can be improved.  A change of behaviour is expected to fail here: this is a tool for
# changes that must not have any, and not one of the suites of `make check`.
set -u
cd "$(dirname "$0")/.." || exit 1
old=${1:-}
new=${O:-build}/hotdrift
dir=${2:-${HD_SHARED:-../shared}}
if [ ! -x "$old" ] || [ ! -x "$new" ]; then
	echo "usage: tests/run-same.sh OLD-PROGRAM [DIR]   (and $new must be built)" >&2
	exit 2
fi
old=$(realpath "$old")
new=$(realpath "$new")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export HOTDRIFT_DB=/nonexistent/none.db HOME=$tmp TZ=UTC LC_ALL=C COLUMNS=120 old new tmp

formats="pprof chrome perfetto dhat"
export formats

# Remove what may be reworded: the sentences of a JSON file, the comments of a picture's script and style.
without_words() {
	case $1 in
	*.svg | */a | */b) sed -z 's,/[*][^*]*[*]\+\([^/*][^*]*[*]\+\)*/,,g' "$1" |
		sed 's/[ \t]*$//; /^$/d' > "$1.new" && mv "$1.new" "$1" ;;
	esac
	jq 'del(.warnings[]?.text, .warnings[]?.fix, (.. | .problem?))' "$1" > "$1.new" 2> /dev/null && mv "$1.new" "$1"
}
export -f without_words

# Compare the output of each command for one input.  Print "differs: FILE: COMMAND" for each difference, then the
# counts.
one() {
	file=$1
	work=$(mktemp -d "$tmp/w.XXXXXX")
	input=$file
	case $file in
	*.xz)	input=$work/$(basename "$file" .xz)
		timeout 60 xz -dc "$file" > "$input" 2> /dev/null || return ;;
	esac
	symfs=$(dirname "$file")/symfs
	[ -d "$symfs" ] || symfs=$work/empty
	mkdir -p "$work/empty"
	p=0 f=0
	for cmd in "fold --symfs $symfs" "fold --no-inline --symfs $symfs" "flame --symfs $symfs" "top --symfs $symfs" \
		"top --json --inline --symfs $symfs" \
		"report --json --by comm,dso,symbol --symfs $symfs" "report --by symbol --symfs $symfs" "info --json" \
		$(for w in $formats; do echo "convert@--to@$w@--symfs@$symfs@-o@-"; done); do
		case $cmd in convert@*) cmd=${cmd//@/ } ;; esac
		# shellcheck disable=SC2086	# the words of a command
		timeout 120 "$old" ${cmd%% *} "$input" ${cmd#"${cmd%% *}"} > "$work/a" 2> /dev/null; ra=$?
		# shellcheck disable=SC2086
		timeout 120 "$new" ${cmd%% *} "$input" ${cmd#"${cmd%% *}"} > "$work/b" 2> /dev/null; rb=$?
		case $cmd in info* | flame*) without_words "$work/a"; without_words "$work/b" ;; esac
		if [ $ra = $rb ] && cmp -s "$work/a" "$work/b"; then p=$((p + 1)); else f=$((f + 1));
		echo "differs: $file: $cmd ($ra, $rb)"; fi
	done
	timeout 120 "$old" analyze "$input" --symfs "$symfs" -o "$work/out" > "$work/a" 2> /dev/null; ra=$?
	mv "$work/out" "$work/out.old" 2> /dev/null
	timeout 120 "$new" analyze "$input" --symfs "$symfs" -o "$work/out" > "$work/b" 2> /dev/null; rb=$?
	for d in "$work/out.old" "$work/out"; do
		for w in "$d"/info.json "$d"/*.svg; do
			if [ -f "$w" ]; then without_words "$w"; fi
		done
	done
	# report.md and standard output contain the same messages.
	if [ $ra = $rb ] && { [ ! -d "$work/out" ] || diff -r -q -x report.md "$work/out.old" "$work/out" > /dev/null;
	}; then
		p=$((p + 1))
	else
		f=$((f + 1)); echo "differs: $file: analyze ($ra, $rb)"
	fi
	echo "counts $p $f"
	rm -rf "$work"
}
export -f one
# shellcheck disable=SC2016	# bash -c expands it
{
	find fixtures/recordings -name '*.data' -o -name '*.heap'
	find "$dir/corpus" "$dir/gpu" -type f \( -name '*.perf.data' -o -name '*.perf.data.xz' -o -name '*.folded' \
		-o -name '*.folded.xz' \
		-o -name '*.sqlite' -o -name '*.sqlite.xz' -o -name '*.json' -o -name '*.json.xz' -o -name '*.json.gz' \
		\) 2> /dev/null
	[ -z "${EXTRA:-}" ] || find "$EXTRA" -type f
} | sort | xargs -P "$(nproc)" -I{} bash -c 'one "$1"' _ {} > "$tmp/lines"
grep '^differs' "$tmp/lines"
awk '/^counts/ { p += $2; f += $3 }
	END { printf "same: %d passed, %d failed, 0 skipped\n", p, f; exit f > 0 || p == 0 }' "$tmp/lines"
