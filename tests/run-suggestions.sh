#!/bin/bash
# run-suggestions.sh [CASE.sh...] - every command that hotdrift suggests works when it is pasted
#
# A suggestion is a complete command line in the output of a golden command line (tests/cli):
#
#     next    hotdrift diff 4f1c2e8a1b2c 9a0b1c2d3e4f --symbol parse_row      after `next`, and on the lines below it
#     ...; 'hotdrift log --db h.db' lists them                                in single quotes
#       hotdrift top perf.data                  the five costliest            an example of --help, up to two blanks
#
# This suite runs the cases whose expected output has one.  In place of hotdrift they find a wrapper, which runs the
# program, extracts the suggestions from its output, and runs each one at once: in a copy of the case's folder, so that
# repository, database, files and environment are those of the moment.  A suggestion works if its exit status is an
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
# Read the output of a command and print its suggestions.  In the text of --help only the examples are suggestions
# (-v examples=1).
FNR == 1 { help = 0; in_examples = 0; next_block = 0 }
/^usage: hotdrift/ { help = 1 }
help && examples && /^examples:/ { in_examples = 1; next }
help && in_examples && /^  [^ ]/ { line = substr($0, 3); sub(/   *.*/, "", line); print line; next }
help { next }
/^next    hotdrift / { next_block = 1; print substr($0, 9); next }
next_block && /^        hotdrift / { print substr($0, 9); next }
{
	next_block = 0
	line = $0
	while (match(line, /'(hotdrift|git) [^']*'/)) {
		print substr(line, RSTART + 1, RLENGTH - 2)
		line = substr(line, RSTART + RLENGTH)
	}
}
END

cat >"$tmp/wrapper/hotdrift" <<'END'
#!/bin/bash
# Run the program, then each suggestion in its output.
out=$(mktemp "$SUGGEST/out.XXXXXX") err=$(mktemp "$SUGGEST/err.XXXXXX")
status=0
"$SUGGEST/program/hotdrift" "$@" >"$out" 2>"$err" || status=$?
cat "$out" 2>/dev/null
cat "$err" >&2
awk -v examples="${EXAMPLES:-0}" -f "$SUGGEST/extract" "$out" "$err" 2>/dev/null | sort -u | while IFS= read -r line; do
	printf '%s\n' "$line" >>"$SUGGEST/met"
	! grep -qxF "$line" "$SUGGEST/known" || continue
	printf '%s\n' "$line" >>"$SUGGEST/known"
	"$SUGGEST/paste" "$line" "$PWD"
done
rm -f "$out" "$err"
exit "$status"
END

cat >"$tmp/paste" <<'END'
#!/bin/bash
# paste LINE FOLDER: run a suggestion in a copy of the case's folder, and record its status
while IFS=$'\t' read -r pattern reason; do
	case $pattern in '' | '#'*) continue ;; esac
	# shellcheck disable=SC2254
	case $1 in
	$pattern) printf 'skip\t%s\t%s\n' "$1" "$reason" >>"$SUGGEST/results"; exit ;;
	esac
done <"$SUGGEST/exceptions"
rm -rf "$SUGGEST/copy"
cp -a "$SUGGEST/work" "$SUGGEST/copy"
cd "$SUGGEST/copy${2#"$SUGGEST/work"}" || exit
status=0
PATH=$SUGGEST/program:$PATH timeout 60 bash -c "$1" >"$SUGGEST/said" 2>&1 </dev/null || status=$?
case $status in
0 | 1 | 3) printf 'pass\t%s\n' "$1" ;;
*) printf 'fail\t%s\tstatus %s: %s\n' "$1" "$status" "$(tail -n 1 "$SUGGEST/said")" ;;
esac >>"$SUGGEST/results"
END
chmod +x "$tmp/wrapper/hotdrift" "$tmp/paste"
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
for case; do
	base=${case%.sh}
	name=${base#tests/cli/}
	for stream in stdout stderr; do
		[ ! -f "$base.$stream" ] || awk -f "$tmp/extract" "$base.$stream"
	done | sort -u >"$tmp/expected"
	[ -s "$tmp/expected" ] || continue
	: >"$tmp/met"
	fresh
	in_case sh -eu "$top/$case"
	# Cases replace values that differ from run to run, so suggestions are compared without ids.
	sed -E 's/[0-9a-fX]{8,}/ID/g' "$tmp/met" | sort -u >"$tmp/met.masked"
	sed -E 's/[0-9a-fX]{8,}/ID/g' "$tmp/expected" | sort -u | comm -23 - "$tmp/met.masked" >"$tmp/missed"
	while IFS= read -r line; do
		printf 'fail\t%s\tis in the expected output, but no hotdrift in PATH printed it\n' "$line" \
			>>"$tmp/results"
	done <"$tmp/missed"
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
