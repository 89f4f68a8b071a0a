#!/bin/bash
# run-suggestions.sh [CASE.sh...] - test that every command that hotdrift suggests works when it is pasted
#
# A suggestion is a complete command line in the output of a golden command line (tests/cli):
#
#     next    hotdrift diff 4f1c2e8a1b2c 9a0b1c2d3e4f --symbol parse_row      after "next", and on the lines below it
#     ...; 'hotdrift log --db h.db' lists them                                in single quotes
#       hotdrift top perf.data                  the five costliest            an example of --help, up to two blanks
#
# This suite runs the cases whose expected output has a suggestion.  Instead of hotdrift they run a wrapper, which runs
# the program, extracts the suggestions from its output, and runs each one at once: in a copy of the case's folder, so
# that repository, database, files and environment are those of the moment.  A suggestion works if its exit status is an
# answer (0, 1 or 3).  Every suggestion in an expected output must have been run; what cannot be run is listed with its
# reason in tests/suggestions.tsv.  Examples of all commands run in a folder with the files that they name.
set -eu

cd "$(dirname "$0")/.."
suite=suggestions
# shellcheck source=tests/golden.sh
. tests/golden.sh
mkdir "$tmp/wrapper" "$tmp/program"
ln -s "$program" "$tmp/program/hotdrift"

cat >"$tmp/extract" <<'END'
#!/usr/bin/awk -f
# Read the output of commands and print each suggestion of a file once.  In the text of --help only the examples are
# suggestions (-v examples=1).  -v named=1 prints the name of the file and a tab before it.
function suggest(line) {
	if (!seen[FILENAME, line]++)
		print (named ? FILENAME "\t" : "") line
}
FNR == 1 { help = 0; in_examples = 0; next_block = 0 }
/^usage: hotdrift/ { help = 1 }
help && examples && /^examples:/ { in_examples = 1; next }
help && in_examples && /^  [^ ]/ { line = substr($0, 3); sub(/   *.*/, "", line); suggest(line); next }
help { next }
/^next +hotdrift / || (next_block && /^ +hotdrift /) { next_block = 1; sub(/^(next)? +/, ""); suggest($0); next }
{
	next_block = 0
	line = $0
	while (match(line, /'(hotdrift|git) [^']*'/)) {
		suggest(substr(line, RSTART + 1, RLENGTH - 2))
		line = substr(line, RSTART + RLENGTH)
	}
}
END

cat >"$tmp/wrapper/hotdrift" <<'END'
#!/bin/bash
# Run the program, then each suggestion in its output.  It runs thousands of times, so it starts few programs.
out=$SUGGEST/out.$$ err=$SUGGEST/err.$$

# paste LINE: run a suggestion in a copy of the case's folder, and record its status
paste() {
	local pattern reason status=0 why

	while IFS=$'\t' read -r pattern reason; do
		case $pattern in '' | '#'*) continue ;; esac
		# shellcheck disable=SC2254
		case $1 in
		$pattern) printf 'skip\t%s\t%s\n' "$1" "$reason" >>"$SUGGEST/results"; return ;;
		esac
	done <"$SUGGEST/exceptions"
	rm -rf "$SUGGEST/copy"
	cp -a "$SUGGEST/work" "$SUGGEST/copy"
	(cd "$SUGGEST/copy${PWD#"$SUGGEST/work"}" && PATH=$SUGGEST/program:$PATH exec timeout 300 bash -c "$1") \
		>"$SUGGEST/said" 2>&1 </dev/null || status=$?
	case $status in
	0 | 1 | 3) printf 'pass\t%s\n' "$1" ;;
	*) why=$(tail -n 1 "$SUGGEST/said"); printf 'fail\t%s\tstatus %s: %s\n' "$1" "$status" "$why" ;;
	esac >>"$SUGGEST/results"
}

status=0
"$SUGGEST/program/hotdrift" "$@" >"$out" 2>"$err" || status=$?
[ ! -s "$out" ] || cat "$out" 2>/dev/null
[ ! -s "$err" ] || cat "$err" >&2
# Read the NUL-terminated strings on stdin.
mapfile -d '' text <"$out"
mapfile -d '' -O "${#text[@]}" text <"$err"
case "${text[*]}" in
*hotdrift\ * | *"'git "*)
	awk -v examples="${EXAMPLES:-0}" -f "$SUGGEST/extract" "$out" "$err" 2>/dev/null | {
		mapfile -t lines
		for line in "${lines[@]}"; do
			printf '%s\n' "$line" >>"$SUGGEST/met"
			known=''
			IFS= read -r -d '' known <"$SUGGEST/known"
			[[ $'\n'$known != *$'\n'"$line"$'\n'* ]] || continue
			printf '%s\n' "$line" >>"$SUGGEST/known"
			paste "$line"
		done
	} ;;
esac
rm -f "$out" "$err"
exit "$status"
END
chmod +x "$tmp/wrapper/hotdrift"
cp tests/suggestions.tsv "$tmp/exceptions"
: >"$tmp/met"
: >"$tmp/results"

in_case() {	# COMMAND...: run it as run-cli.sh runs a case, with the wrapper first in PATH
	(in_work "$tmp/wrapper" SUGGEST="$tmp" LC_ALL=C.UTF-8 "$@") >"$tmp/stdout" 2>"$tmp/stderr" </dev/null || true
}

fresh() {
	fresh_folders
	: >"$tmp/known"
}

report() {	# NAME
	while IFS=$'\t' read -r how line why; do
		case $how in
		pass) pass ;;
		skip) skip "$1: $line" "$why" ;;
		fail) fail "$1: $line" "$why" ;;
		esac
	done <"$tmp/results"
	: >"$tmp/results"
}

all=no
[ $# -gt 0 ] || { all=yes; set -- tests/cli/*/*.sh; }
# masked ARRAY FILE: set the elements of ARRAY to 1 that are the lines of FILE.  Cases replace values that differ from
# run to run, so suggestions are compared without ids.
masked() {
	local -n suggestions=$1
	local line

	suggestions=()
	while IFS= read -r line; do
		while [[ $line =~ [0-9a-fX]{8,} ]]; do line=${line/"${BASH_REMATCH[0]}"/ID}; done
		# shellcheck disable=SC2034	# the caller reads the array
		suggestions["$line"]=1
	done <"$2"
}
declare -A wanted met

# Extract the suggestions from the expected output of all cases by a single awk, because that is faster.
outputs=()
for case; do
	for stream in stdout stderr; do
		[ ! -f "${case%.sh}.$stream" ] || outputs+=("${case%.sh}.$stream")
	done
done
[ "${#outputs[@]}" = 0 ] || awk -v named=1 -f "$tmp/extract" "${outputs[@]}" >"$tmp/expected.all"

for case; do
	base=${case%.sh}
	name=${base#tests/cli/}
	while IFS=$'\t' read -r file line; do
		[ "${file%.*}" != "$base" ] || printf '%s\n' "$line"
	done <"$tmp/expected.all" >"$tmp/expected"
	[ -s "$tmp/expected" ] || continue
	: >"$tmp/met"
	fresh
	in_case sh -eu "$top/$case"
	masked wanted "$tmp/expected"
	masked met "$tmp/met"
	for line in "${!wanted[@]}"; do
		[ -n "${met[$line]:-}" ] || printf 'fail\t%s\t%s\n' "$line" \
			'is in the expected output, but no hotdrift in PATH printed it' >>"$tmp/results"
	done
	report "$name"
done

# Run the examples of all commands in a folder with the files that they name.
if [ "$all" = yes ]; then
	fresh
	in_case bash -eu "$top/tests/suggestions-folder.sh"
	[ -e "$tmp/work/perf.data" ] || { cat "$tmp/stderr"; failed=$((failed + 1)); }
	: >"$tmp/results"
	: >"$tmp/known"
	for command in $("$program" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
		in_case env EXAMPLES=1 hotdrift "$command" --help
		report "hotdrift $command --help"
	done
fi
[ "$passed" -gt 0 ] || failed=$((failed + 1))
finish
