# shellcheck shell=bash
# flamegraphs.sh - compare the geometry of flamegraphs; sourced by run-folded.sh
#
# draw_folded FILE...: `flame` draws each file, and name, x, width and depth of every frame are those that the rules of
# flame graphs give (geometry.py), and those of flamegraph.pl or of an expected SVG:
#
#   NAME.svg beside NAME.txt          an expected picture; in a folder `results` or `expected` too
#   flamegraph.pl                     in $FLAMEGRAPH, in PATH, or of the Debian package libdevel-nytprof-perl
# shellcheck disable=SC2154	# tmp, hotdrift and top are those of suite.sh

find_flamegraph_pl() {
	for peer in "${FLAMEGRAPH:-/nowhere}/flamegraph.pl" "$(command -v flamegraph.pl)" \
		/usr/share/perl5/Devel/NYTProf/flamegraph.pl; do
		[ ! -f "$peer" ] || { echo "$peer"; return; }
	done
}

draw_folded() {
	local file name peer frames=0 expected n=0 what count differences
	command -v python3 >/dev/null || { skip "the geometry of flamegraphs" "no python3"; return; }
	peer=$(find_flamegraph_pl)
	if [ -z "$peer" ] || ! command -v perl >/dev/null; then
		skip "the geometry of flamegraph.pl" "it is not installed"
		peer=''
	fi
	: >"$tmp/pictures"
	for file; do
		name=$(basename "$file") n=$((n + 1))
		if ! grep -q '[^ ] *[0-9.]*[1-9][0-9.]*$' "$file"; then	# nothing to draw
			"$hotdrift" flame "$file" -o "$tmp/$n.svg" 2>/dev/null
			ok $(($? != 5)) "$name: an input without stacks is refused"
			continue
		fi
		if ! "$hotdrift" flame --width 1200 --no-vanished "$file" -o "$tmp/$n.svg" 2>"$tmp/errors"; then
			fail "$name" "$(cat "$tmp/errors")"
			continue
		fi
		printf '%s\t%s\t%s\t\n' "$name: geometry" "$tmp/$n.svg" "$file" >>"$tmp/pictures"
		for expected in "${file%.txt}.svg" "$(dirname "$file")/results/${name%.txt}.svg" \
			"$(dirname "$file")/expected/${name%.txt}.svg"; do
			[ ! -f "$expected" ] || printf '%s\t%s\t%s\t%s\n' "$name: geometry of the expected SVG" \
				"$tmp/$n.svg" "$file" "$expected" >>"$tmp/pictures"
		done
		[ -n "$peer" ] || continue
		if grep -q ' [0-9]*\.[0-9]*[1-9][0-9]*$' "$file"; then
			skip "$name: geometry of flamegraph.pl" "it draws the decimals of counts"
		elif ! same_order "$file"; then
			skip "$name: geometry of flamegraph.pl" "it sorts whole lines, and draws functions twice"
		elif perl "$peer" --width=1200 "$file" >"$tmp/$n.peer.svg" 2>/dev/null; then
			printf '%s\t%s\t%s\t%s\n' "$name: geometry of flamegraph.pl" "$tmp/$n.svg" "$file" \
				"$tmp/$n.peer.svg" >>"$tmp/pictures"
		fi
	done
	python3 "$top/tests/folded/geometry.py" <"$tmp/pictures" >"$tmp/geometry" ||
		fail "geometry.py" "it ended with an error"
	while IFS="$(printf '\t')" read -r what count differences; do
		if [ -z "$differences" ]; then pass; else fail "$what" "$differences"; fi
		frames=$((frames + count))
	done <"$tmp/geometry"
	echo "geometry: $frames frames compared"
}

# same_order FILE: return 0 if sorting the lines and sorting frame by frame give the same order of stacks
same_order() {
	grep '[^ ] [0-9.]*$' "$1" | LC_ALL=C sort | sed 's/\( [0-9.]*\)*$//' >"$tmp/by-line"
	tr ';' '\001' <"$tmp/by-line" | LC_ALL=C sort | tr '\001' ';' >"$tmp/by-frame"
	cmp -s "$tmp/by-frame" "$tmp/by-line"
}
