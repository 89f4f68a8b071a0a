#!/bin/bash
# run-folded.sh - compare what hotdrift makes of other programs' texts with the results of FlameGraph and inferno
#
#   DIR=FOLDER   default: ../shared/corpus/folded if it exists
#
# A file of the folder may be packed with xz.  Those that exist are compared:
#
#   perf-script/NAME.txt, perf-script/results/NAME-collapsed[-OPTION].txt
#                `fold` with the options of OPTION gives this text.  inferno-NAME-... is preferred, if it exists
#   diff/before.txt, after.txt, results-default.txt, results-normalize.txt
#                `diff --format folded` gives these lines, in another order
#   recursive/NAME.txt, results-NAME-collapsed.txt
#                `fold --merge-recursion` gives this text
#   all of these texts   `flame` draws their frames where the rules of flame graphs put them (folded/flamegraphs.sh)
#   collapsed/NAME.txt
#                folding is the identity on folded text: fold(fold(x)) = fold(x), and the sums are those of the lines
#
# tests/folded/differs.tsv lists results that hotdrift does not reproduce on purpose, with the section of docs/peers.md
# that has the reason.  Such a result must differ.
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite folded
needs_built "$hotdrift"
DIR=${DIR:-$top/../shared/corpus/folded}
if [ ! -d "$DIR" ]; then
	skip "the texts of other programs" "there is no folder $DIR"
	finish
fi
needs "packed texts" xz
temporary_folder

# unpack FILE: print the path of the plain text of FILE or FILE.xz
unpack() {
	if [ -e "$1" ]; then
		echo "$1"
	elif [ -e "$1.xz" ]; then
		xz -dc "$1.xz" >"$tmp/unpacked-$(basename "$1")" && echo "$tmp/unpacked-$(basename "$1")"
	fi
}

# options OPTION: print the options of `fold` for an option of the other programs
options() {
	case $1 in
	'') ;;
	kernel) echo --annotate-kernel ;;
	pid | tid) echo "--process $1" ;;
	*) echo "--$1" ;;
	esac
}

# same WHAT EXPECTED GOT: pass if the texts are equal; if differs.tsv has a row for WHAT, pass if they differ
same() {
	local why
	why=$(awk -F '\t' -v what="$1" '$1 == what { print $2 }' "$top/tests/folded/differs.tsv")
	if cmp -s "$2" "$3"; then
		if [ -z "$why" ]; then pass; else fail "$1" "it is listed in differs.tsv, but it is equal"; fi
	elif [ -n "$why" ]; then
		pass
	else
		fail "$1" "$(diff "$2" "$3" | head -n 4 | cut -c 1-300)"
	fi
}

# fold_text FILE OPTION: write the folded text to $tmp/got
fold_text() {
	# shellcheck disable=SC2046	# options are words
	"$hotdrift" fold $(options "$2") "$1" >"$tmp/got" 2>"$tmp/errors"
}

# collapse RESULT: compare one result of a text of perf script
collapse() {
	local name option input
	name=$(basename "$1" .xz)
	name=${name%.txt}
	case $name in
	*-collapsed-*) option=${name##*-collapsed-} ;;
	*) option='' ;;
	esac
	input=${name%-collapsed*}
	case $input in
	inferno-*) input=${input#inferno-} ;;
	*) [ ! -e "$DIR/perf-script/results/inferno-$name.txt" ] || return ;;
	esac
	input=$(unpack "$DIR/perf-script/$input.txt")
	if [ -z "$input" ]; then
		fail "$name" "its input is missing"
		return
	fi
	: >"$tmp/got"
	# An empty text is an error for hotdrift and an empty result for the others.
	if [ ! -s "$input" ]; then
		: >"$tmp/got"
	elif ! fold_text "$input" "$option"; then
		fail "$name" "$(cat "$tmp/errors")"
		return
	elif ! cmp -s "$(unpack "${1%.xz}")" "$tmp/got"; then
		# stackcollapse-perf.pl ignores a sample that no blank line ends, the last one of a text.
		awk '{ text = text $0 "\n" } /^$/ { printf "%s", text; text = "" }' "$input" >"$tmp/ended"
		[ ! -s "$tmp/ended" ] || fold_text "$tmp/ended" "$option"
	fi
	same "$name" "$(unpack "${1%.xz}")" "$tmp/got"
}

for result in "$DIR"/perf-script/results/*; do
	[ -e "$result" ] && collapse "$result"
done

# differences OPTIONS RESULT: compare `diff --format folded` with the expected text RESULT
differences() {
	local name
	name=$(basename "$2" .txt)
	[ -e "$2" ] || return
	# shellcheck disable=SC2086	# options are words
	"$hotdrift" diff --format folded $1 "$DIR/diff/before.txt" "$DIR/diff/after.txt" 2>"$tmp/errors" |
		sort >"$tmp/got"
	sort "$2" >"$tmp/want"
	same "diff-$name" "$tmp/want" "$tmp/got"
}
differences '' "$DIR/diff/results-default.txt"
differences --normalize "$DIR/diff/results-normalize.txt"

for result in "$DIR"/recursive/results-*-collapsed.txt; do
	[ -e "$result" ] || continue
	name=$(basename "$result" -collapsed.txt)
	"$hotdrift" fold --merge-recursion "$(unpack "$DIR/recursive/${name#results-}.txt")" >"$tmp/got" 2>"$tmp/errors"
	# the expected text has no newline at its end
	{ cat "$result" && echo; } | sed '/^$/d' >"$tmp/want"
	same "recursive-${name#results-}" "$tmp/want" "$tmp/got"
done

# sums FILE: print the sum of the counts of a folded text, decimals dropped and invalid lines omitted
sums() {
	awk '$NF ~ /^[0-9]+(\.[0-9]*)?$/ && NF > 1 { sum += int($NF) } END { printf "%.0f\n", sum }' "$1"
}

for file in "$DIR"/collapsed/*; do
	[ -e "$file" ] || continue
	name=$(basename "$file" .xz)
	input=$(unpack "${file%.xz}")
	[ -s "$input" ] || continue
	"$hotdrift" fold --annotate "$input" >"$tmp/once" 2>"$tmp/errors" || fail "$name" "$(cat "$tmp/errors")"
	"$hotdrift" fold --annotate "$tmp/once" >"$tmp/twice" 2>"$tmp/errors" || fail "$name" "$(cat "$tmp/errors")"
	same "twice-$name" "$tmp/once" "$tmp/twice"
	sums "$input" >"$tmp/want"
	sums "$tmp/once" >"$tmp/got"
	same "sum-$name" "$tmp/want" "$tmp/got"
done

# shellcheck source=tests/folded/flamegraphs.sh
. "$top/tests/folded/flamegraphs.sh"
drawn=()
for file in "$DIR"/collapsed/* "$DIR"/perf-script/results/* "$DIR"/diff/*.txt "$DIR"/recursive/*.txt; do
	case $file in
	*.svg) continue ;;
	*.xz)
		xz -dc "$file" >"$tmp/$(basename "$file" .xz)"
		[ ! -f "${file%.txt.xz}.svg" ] || cp "${file%.txt.xz}.svg" "$tmp"
		drawn+=("$tmp/$(basename "$file" .xz)")
		;;
	*) [ ! -f "$file" ] || drawn+=("$file") ;;
	esac
done
draw_folded "${drawn[@]}"
finish
