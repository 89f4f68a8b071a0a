#!/bin/bash
# run-injection.sh - pass hostile names through commands that print names, and check how each output format escapes them
#
# A plant is a kind of place for names in the input (`comm`, `event`, `folded`); a sink is an output format (`term`,
# `md`, `json`).  tests/injection/cases.md lists names and their expected text in each sink.  make-recording plants them
# in recordings as threads, mapped files (MMAP, MMAP2), symbols (ELF, perf map, kallsyms, KSYMBOL, folded text,
# DWARF), source files and folders, events (EVENT_DESC, EVENT_UPDATE, tracepoint formats), cgroups, debug links and
# header texts, including the command line.  (NAMESPACES records contain no names, and a recording does not contain the
# environment.)
# Then info, report, top, fold and flame read these recordings, and add stores some of them for query, show, log and
# html.  These properties are checked:
#
#   - the text of each printed name is the expected one, byte by byte, and so is its number of samples; names that are
#     printed nowhere (cgroups, debug links) lose no samples;
#   - terminal output contains no byte sequence that moves the cursor, or hides or reorders text;
#   - SVG is well-formed and has as many elements as with harmless names;
#   - JSON parses, and the database passes its integrity check.
#
# DIR/injection.md (default ../shared/fuzz), if it exists, is a second list of the same form.  A test is one output
# format of one kind of name of one list.  With DIR or V=1, a table shows how many names of each kind each format wrote
# exactly.
set -u
shopt -s lastpipe	# counts made after a pipe must reach this shell
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite injection
cd "$top" || exit 1
[ -z "${DIR:-}" ] || V=1
DIR=${DIR:-${HD_SHARED:-../shared}/fuzz}
prog=$hotdrift
make_recording=$O/tests/injection/make-recording
export LC_ALL=C NO_COLOR=1 TZ=UTC

needs_built "$prog" "$make_recording"
temporary_folder
: >"$tmp/table"

have() { command -v "$1" >/dev/null; }

# Byte sequences that the output must not contain: controls except line ends, C1, bidi, zero-width, separators, BOM,
# tags.
hidden=$'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xa4\xa6-\xaf]'
hidden+=$'|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb\xbe\xbf]|\xf3\xa0[\x80\x81]'

# is_clean FILE: return 0 if the file is safe for a terminal
is_clean() {
	! grep -aqE "$hidden" "$1" && [ "$(tr -dc '\000' <"$1" | wc -c)" = 0 ] &&
		iconv -f UTF-8 -t UTF-16 "$1" >/dev/null 2>&1
}

# run STATUS ARGUMENT...: run the program, with its output in $tmp/out and $tmp/err.  If its status is not STATUS, note
# that in $tmp/trouble, which is reported once for each list of names, and return 1.
run() {
	local want=$1 status=0

	shift
	(cd "$tmp/in" && exec timeout 300 "$prog" "$@") >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	if [ "$status" != "$want" ]; then
		echo "hotdrift $1: status $status and not $want: $(tail -n 1 "$tmp/err")" >>"$tmp/trouble"
		return 1
	fi
	cat "$tmp/out" "$tmp/err" >>"$tmp/said"
}

# expect NAME PLANT SINK: test NAME.  A line on stdin is the number of a name, a tab and its text.  The lines must be
# those that are expected in this sink for this plant, in any order.
expect() {
	local name=$1 want=$tmp/in/want/$2.$3

	sort >"$tmp/got"
	sort "$want" >"$tmp/want"
	printf '%s\t%s\t%s\t%s\t%s\n' "$list" "${2/stripped/event}" "$3" "$(comm -12 "$tmp/want" "$tmp/got" | wc -l)" \
		"$(comm -23 "$tmp/want" "$tmp/got" | wc -l)" >>"$tmp/table"
	if ! [ -s "$want" ]; then
		fail "$name: nothing is wanted"
	elif cmp -s "$tmp/want" "$tmp/got"; then
		pass
	else
		fail "$name"
		diff "$tmp/want" "$tmp/got" | cat -v | cut -c 1-300 | head -n 6
	fi
}

# Each function reads the output of one format and prints a line for each row: number of samples, tab, name.
text_rows() { sed -nE 's/^ *[0-9]+\.[0-9]{2}% +([0-9]+)  (.*)$/\1\t\2/p'; }
markdown_rows() { sed -nE 's/^\| [0-9]+\.[0-9]{2}% \| ([0-9]+) \| (.*) \|$/\1\t\2/p'; }
json_rows() {
	local before='^ *\{"rank": [0-9]+, "event": ".*", '
	local after=', "self": [0-9]+, "self_pct": [0-9.]+, "samples": ([0-9]+)\},?$'

	sed -nE "s/$before\"$1\": (\".*\")$after/\2\t\1/p"
}
event_rows() { sed -nE \
	's/^(events)? *(### )?(.*): ([1-9][0-9]*) samples?, [0-9.]+ (ns|events?|'$'\xc2\xb5''s)$/\4\t\3/p'; }
svg_rows() {	# of a flame graph by samples: the title of a frame has a line for the name and one for the numbers
	sed -nE '/^<g><title>/ { s/^<g><title>//; h; n; s/^([0-9]+) samples?, .*/\1/; t row; b; :row; G; s/\n/\t/p }'
}

# ---- each plant in each sink

# each_plant PLANT KEY [OPTION...]: KEY is the key of `report --by` whose values are the names of this plant
each_plant() {
	local plant=$1 key=$2 file=$1.data

	shift 2
	[ "$plant" != folded ] || file=input.folded
	run 0 report --symfs root "$@" --by "$key" "$file" && text_rows <"$tmp/out" |
		expect "$plant: report" "$plant" term
	run 0 report --symfs root "$@" --by "$key" --format markdown "$file" &&
		markdown_rows <"$tmp/out" | expect "$plant: report in Markdown" "$plant" md
	run 0 report --symfs root "$@" --by "$key" --json "$file" &&
		json_rows "$key" <"$tmp/out" | expect "$plant: report in JSON" "$plant" json
	check_json "$plant: report"
	run 0 top --symfs root "$@" -n 1000 "$file"
	run 0 top --symfs root "$@" --json "$file" && check_json "$plant: top"
	run 0 info --symfs root "$@" --json "$file" && check_json "$plant: info"
	run 0 report --symfs root "$@" "$file"
	run 0 report --symfs root "$@" --format markdown "$file"
}

check_json() {
	if ! have jq; then
		skip "$1: JSON: no jq"
	elif jq -e 'type == "object" and has("format")' "$tmp/out" >/dev/null 2>&1; then
		pass
	else
		fail "$1: this is no JSON"
	fi
}

# In folded text, the name under test is between the first and the last separator of a line.
each_fold() {
	local plant=$1 file=$1.data

	[ "$plant" != folded ] || file=input.folded
	run 0 fold --symfs root "$file" || return
	if [ "$plant" = comm ]; then
		sed -nE 's/^([^;]*);\[unknown\] ([0-9]+)$/\2\t\1/p' "$tmp/out"
	else
		sed -nE 's/^app;([^;]*) ([0-9]+)$/\2\t\1/p' "$tmp/out"
	fi | expect "$plant: fold" "$plant" folded
	cp "$tmp/out" "$tmp/folded"
	cp "$tmp/out" "$tmp/in/again.folded"
	run 0 fold again.folded && if cmp -s "$tmp/out" "$tmp/folded"; then pass;
	else fail "$plant: fold, parse, fold is not identity"; fi
}

each_deep() {
	run 0 fold deep.folded || return
	if cmp -s "$tmp/out" "$tmp/in/deep.folded" && [ "$(tr -dc ';' <"$tmp/out" | wc -c)" = "${#names[@]}" ]; then
		pass
	else
		fail "a stack of all names: $(tr -dc ';' <"$tmp/out" | wc -c) separators for ${#names[@]}"
	fi
}

count_elements() { tr '<' '\n' <"$1" | sed -nE 's/^([a-zA-Z]+).*/\1/p' | sort | uniq -c; }

each_picture() {
	local plant=$1 file=$1.data

	[ "$plant" != folded ] || file=input.folded
	(cd "$tmp/tame" && "$prog" flame --symfs root --weight samples --minwidth 0 "$file" 2>/dev/null) \
		>"$tmp/tame.svg"
	(cd "$tmp/in" && "$prog" flame --symfs root --weight samples --minwidth 0 "$file" 2>/dev/null) >"$tmp/out.svg"
	svg_rows <"$tmp/out.svg" | grep -vE $'\t(all|app|\[unknown\])$' | expect "$plant: flame" "$plant" svg
	count_elements "$tmp/out.svg" >"$tmp/elements"
	if [ -s "$tmp/elements" ] && count_elements "$tmp/tame.svg" | cmp -s - "$tmp/elements"; then
		pass
	else
		fail "$plant: flame: other elements than with harmless names"
	fi
	if ! have xmllint; then
		skip "$plant: flame: well-formed: no xmllint"
	elif xmllint --noout "$tmp/out.svg" 2>"$tmp/err"; then
		pass
	else
		fail "$plant: flame: $(head -n 1 "$tmp/err")"
	fi
}

each_event() {
	run 0 info event.data && event_rows <"$tmp/out" | sed 's/\t */\t/' >"$tmp/rows"
	sed 's/\t */\t/' "$tmp/in/want/event.term" \
		>"$tmp/in/want/stripped.term"	# without leading blanks, which the line of `info` adds by itself
	expect "event: info" stripped term <"$tmp/rows"
	run 0 info --json event.data &&
		sed -nE 's/^ *\{"name": (".*"), "samples": ([1-9][0-9]*), "weight": .*/\2\t\1/p' "$tmp/out" |
		expect "event: info in JSON" event json
	check_json "event: info"
	run 0 report --by symbol event.data && sed -nE 's/^(.*): ([0-9]+) samples?, [0-9.]+ .*$/\2\t\1/p' "$tmp/out" |
		expect "event: report" event term
	run 0 report --by symbol --format markdown event.data && event_rows <"$tmp/out" |
		expect "event: report in Markdown" event md
	run 0 top event.data && sed -nE 's/^(.*): ([0-9]+) samples?, [0-9.]+ .*$/\2\t\1/p' "$tmp/out" |
		expect "event: top" event term
	run 0 report --by comm --json event.data && check_json "event: report"
	run 0 flame event.data -o event.svg
	run 0 fold event.data
}

# Names of events that come from later records of the file, or from the format of a tracepoint of the system `sys`.
# BEFORE is the text that precedes the name in the output.
each_late_event() {
	local plant=$1 before=$2

	# After the name of a system, `[unknown]` cannot be mistaken for hotdrift's own word, so it is not escaped.
	[ -z "$before" ] || sed -i 's/\t\\x5b\(unknown\|truncated\)\]$/\t[\1]/' "$tmp/in/want/$plant.term"
	run 0 info "$plant.data" && event_rows <"$tmp/out" | sed "s/\t *$before/\t/; s/\t */\t/" >"$tmp/rows"
	sed 's/\t */\t/' "$tmp/in/want/$plant.term" >"$tmp/in/want/late.term"	# as in each_event
	expect "$plant: info" late term <"$tmp/rows"
	run 0 info --json "$plant.data" &&
		sed -nE 's/^ *\{"name": "'"$before"'(.*"), "samples": ([1-9][0-9]*), "weight": .*/\2\t"\1/p' \
		"$tmp/out" | expect "$plant: info in JSON" "$plant" json
	check_json "$plant: info"
	run 0 report --by symbol "$plant.data" && sed -nE "s/^$before(.*): ([0-9]+) samples?, [0-9.]+ .*\$/\2\t\1/p" \
		"$tmp/out" |
		expect "$plant: report" "$plant" term
	run 0 top "$plant.data"
	run 0 fold "$plant.data"
}

# Source files in a folder that has the first name.  Inside a path, `[unknown]` is not escaped, as in each_late_event.
each_source() {
	local folder

	sed -n 's/^1\t//p' "$tmp/in/want/comm.term" >"$tmp/folder"
	folder=$(cat "$tmp/folder")
	for sink in term json md; do
		grep -vE '(unknown|truncated)\]' "$tmp/in/want/line.$sink" >"$tmp/in/want/source.$sink"
	done
	in_folder() { awk -F '\t' -v folder="$folder/" -v OFS='\t' \
		'{ if (index($2, folder) == 1) $2 = substr($2, length(folder) + 1); print }' |
		grep -vE '(unknown|truncated)\]'; }
	run 0 report --symfs root --by line line.data && text_rows <"$tmp/out" | sed 's/:1$//' |
		folder="${folder//\\/\\\\}" in_folder |
		expect "line: report" source term
	run 0 report --symfs root --by line --json line.data
	check_json "line: report"
	run 0 report --symfs root --by line --format markdown line.data
	run 0 top --symfs root --lines line.data 2>/dev/null || run 0 top --symfs root line.data
}

each_inlined() {
	each_plant inline symbol --inline
	run 0 fold --symfs root inline.data && sed -nE 's/^app;outer;([^;]*) ([0-9]+)$/\2\t\1/p' "$tmp/out" |
		expect "inline: fold" inline folded
	(cd "$tmp/in" && "$prog" flame --symfs root --weight samples --minwidth 0 inline.data 2>/dev/null) \
		>"$tmp/out.svg"
	svg_rows <"$tmp/out.svg" | grep -vE $'\t(all|app|outer|\\[unknown\\])$' | expect "inline: flame" inline svg
}

# Names that no output contains; they must not change any output.
each_silent_place() {
	for plant in cgroup link; do
		run 0 info --symfs root "$plant.data"
		run 0 report --symfs root --by dso "$plant.data"
		if run 0 fold --symfs root "$plant.data" &&
			[ "$(sed 's/.* //' "$tmp/out" | awk '{ n += $1 } END { print n }')" = "$(cat "$tmp/n")" ]; then
			pass
		else
			fail "$plant: not all samples are told"
		fi
	done
}

# For each name, there is one recording with the name in the texts of the header.
each_header() {
	local i term

	: >"$tmp/host" && : >"$tmp/wrong" && : >"$tmp/json"
	grep -v '	\\e$' "$tmp/in/want/header.term" \
		>"$tmp/in/want/texts.term"	# info prints no line for an empty text
	while read -r i; do
		term=$(sed -nE "s/^$i\t(.*)\$/\1x/p" "$tmp/in/want/header.term")
		term=${term%x}
		run 0 info "header.$i.data" || continue
		printf '%s\n' "command     perf $term" >"$tmp/lines"	# too long for arguments, perhaps
		[ "$term" = '\e' ] || printf '%s\n' "host        $term" "kernel      $term $term" "perf        $term" \
			"cpu         $term, 0 online" >>"$tmp/lines"
		grep -aE '^(host|kernel|perf|cpu|command) ' "$tmp/out" | sort | cmp -s - <(sort "$tmp/lines") ||
			echo "$i" >>"$tmp/wrong"
		sed -nE 's/^host {8}(.*)/'"$i"'\t\1/p' "$tmp/out" >>"$tmp/host"
		run 0 info --json "header.$i.data" &&
			sed -nE 's/^ *"cmdline": \["perf", (".*")\],?$/'"$i"'\t\1/p' "$tmp/out" >>"$tmp/json"
	done < <(cut -f 1 "$tmp/in/want/header.term")
	expect "header: host in info" texts term <"$tmp/host"
	expect "header: command in JSON" header json <"$tmp/json"
	if ! [ -s "$tmp/wrong" ]; then pass; else fail "header: info: cases $(tr '\n' ' ' <"$tmp/wrong")"; fi
}

stored() {	# COLUMN PLANT
	if [ "$2" = event ]; then
		echo "SELECT e.samples, e.$1 FROM event e JOIN run r ON r.id = e.run_id
			WHERE r.target = 'event' AND e.samples > 0 ORDER BY 1"
	else
		echo "SELECT h.samples, s.$1 FROM hotspot h JOIN symbol s ON s.id = h.symbol_id
			JOIN run r ON r.id = h.run_id WHERE r.target = '$2' ORDER BY 1"
	fi
}

# Print the query of stored(), but for the bytes of the names in hexadecimal digits.
stored_bytes() { stored name "$1" | sed -E 's/([se])\.name FROM/lower(hex(coalesce(\1.name_raw, \1.name))) FROM/'; }

# page_rows FILE: print `weight, tab, text` of the leaves of the page's call tree, as in the script block
page_rows() {
	awk '
		/^"s":\[$/ { on = 1; next }
		on && /^\]}$/ { on = 0 }
		on { sub(/,$/, ""); text[n++] = $0 }
		/^,"frames":/ { frames = substr($0, 13) }
		/^\{"lane":/ { sub(/^.*"f":\[/, ""); sub(/\].*/, ""); tree = $0 }
		END {
			m = split(frames, f, /\],\[/)
			for (i = 1; i <= m; i++) { gsub(/\[/, "", f[i]); at[i - 1] = f[i] + 0 }
			k = split(tree, t, ",")
			for (i = 1; i < k; i += 4)
				if (t[i + 3] > 0) print t[i + 3] "\t" text[at[t[i]]]
		}' "$1"
}

each_database() {
	local plant db=$tmp/in/db

	for plant in comm mmap elf map event; do
		run 0 add --db "$db" --commit none --symfs root --target "$plant" "$plant.data"
	done
	run 0 add --db "$db" --commit none --target folded input.folded
	for plant in elf map event folded; do
		run 0 query --db "$db" --csv "$(stored name "$plant")" &&
			sed -nE 's/^([0-9]+),(".*")$/\1\t\2/p' "$tmp/out" | expect "$plant: query in CSV" "$plant" csv
		run 0 query --db "$db" --json "$(stored name "$plant")" &&
			sed -nE 's/^ *\[([0-9]+), (".*")\],?$/\1\t\2/p' "$tmp/out" |
			expect "$plant: query in JSON" "$plant" json
		check_json "$plant: query"
		run 0 query --db "$db" "$(stored name "$plant")" &&
			sed -nE 's/^ *([0-9]+)  (.*)$/\1\t\2/p' "$tmp/out" | expect "$plant: query" "$plant" term
		run 0 show --db "$db" -n 0 "latest:$plant"
		if [ "$plant" = elf ]; then
			sed -nE 's/^ *[0-9]+ +[0-9.]+% +[0-9.]+% +([0-9]+)  (.*) \(app\)$/\1\t\2/p' "$tmp/out" |
				expect "$plant: show" "$plant" term
		fi
		run 0 show --db "$db" -n 0 --json "latest:$plant" && check_json "$plant: show"
		run 0 html --db "$db" --target "$plant" -o page.html &&
			if [ "$(grep -ac '</script>' "$tmp/in/page.html")" -le 3 ]; then pass;
			else fail "$plant: a name ends a script of the page"; fi
		[ "$plant" = event ] || page_rows "$tmp/in/page.html" | expect "$plant: page" "$plant" script
		run 0 log --db "$db" --top5 "latest:$plant" --changes
	done
	run 0 log --db "$db"
	run 0 log --db "$db" --json && check_json "log"
	if have sqlite3; then
		for plant in elf map event; do
			sqlite3 -batch -separator $'\t' "$db" \
				"$(stored name "$plant" | sed -E 's/([se]\.name) FROM/quote(\1) FROM/')" |
				expect "$plant: SQL" "$plant" sql
			sqlite3 -batch -separator $'\t' "$db" "$(stored_bytes "$plant")" |
				expect "$plant: the bytes in the database" "$plant" hex
		done
		if [ "$(sqlite3 -batch "$db" 'PRAGMA integrity_check')" = ok ]; then pass;
		else fail "the database is damaged"; fi
	else
		skip "SQL: no sqlite3"
	fi
}

# each_filter OPTION KEY PLANT: the filter OPTION must take the raw name and find exactly the samples with this name
each_filter() {
	local option=$1 key=$2 plant=$3 i=0 name

	: >"$tmp/found"
	for name in "${names[@]}"; do
		i=$((i + 1))
		grep -q "^$i	" "$tmp/in/want/$plant.term" || continue
		run 0 report --symfs root --by "$key" "$option=$name" "$plant.data" || continue
		if [ "$key" = event ]; then
			sed -nE 's/^(.*): ([0-9]+) samples?, [0-9.]+ .*$/\2\t\1/p' "$tmp/out"
		else
			text_rows <"$tmp/out"
		fi >>"$tmp/found"
	done
	expect "$plant: $option" "$plant" term <"$tmp/found"
}

# Names of commands, options, files and targets on the command line.  Messages print them escaped.
each_argument() {
	local name file i=0

	: >"$tmp/wrong"
	for name in "${names[@]}"; do
		i=$((i + 1))
		run 5 info "./no-such-folder/$name" || echo "$i" >>"$tmp/wrong"
		[ -n "$name" ] || continue
		case $name in
		-*) ;;
		*) run 2 "$name" || echo "$i" >>"$tmp/wrong" ;;
		esac
		run 2 top "--=$name" elf.data || echo "$i" >>"$tmp/wrong"
		case $name in
		*/*) continue ;;
		esac
		file="files/$name"
		ln "$tmp/in/elf.data" "$tmp/in/$file" 2>/dev/null || continue
		run 0 info --symfs root "$file" || echo "$i" >>"$tmp/wrong"
		term=$(sed -nE "s/^$i\t(.*)\$/\1x/p" "$tmp/in/want/comm.term")
		[ -n "$term" ] || continue
		[ "$name" = '[unknown]' ] ||
			grep -aqxF "file        files/${term%x}" "$tmp/out" || echo "$i" >>"$tmp/wrong"
		run 0 flame --symfs root "$file" -o named.svg || echo "$i" >>"$tmp/wrong"
		! have xmllint || xmllint --noout "$tmp/in/named.svg" 2>/dev/null || echo "$i" >>"$tmp/wrong"
	done
	if ! [ -s "$tmp/wrong" ]; then pass; else fail \
		"names of commands, options and files: cases $(sort -un "$tmp/wrong" | tr '\n' ' ')"; fi
}

# frames_in SVG: print the number of frames with different names, plus those that one frame replaces for lack of space
frames_in() {
	local hidden

	grep '^<g><title>' "$1" | sort -u >"$tmp/titles"
	hidden=$(sed -n 's/^<g><title>\([0-9]*\) deeper frames.*/\1/p' "$tmp/titles")
	echo "$(($(grep -vc ' deeper frames' "$tmp/titles") + ${hidden:-0}))"
}

# Test names of 65,532 to 70,000 bytes, each also with one byte more.
check_long() {
	local n unit

	list=long label=long
	rm -rf "$tmp/in" "$tmp/trouble"
	mkdir "$tmp/in"
	: >"$tmp/said"
	for n in 16383 16384 17500; do
		for unit in AAAA '<<<<' $'\xff\xff\xff\xff' $'\xf0\x9f\x99\x82'; do
			yes "$unit" | head -n $n | tr -d '\n' >"$tmp/name"
			printf 'app;%s 1\napp;%sz 2\n' "$(cat "$tmp/name")" "$(cat "$tmp/name")"
		done
	done >"$tmp/in/long.folded"
	run 0 fold long.folded -o once.folded && run 0 fold once.folded -o twice.folded
	# Every byte is kept: an invalid one takes four characters in text.
	if cmp -s "$tmp/in/once.folded" "$tmp/in/twice.folded" &&
		[ "$(sed 's/\\xff/\xff/g' "$tmp/in/once.folded" | sort | cksum)" = \
		"$(sort "$tmp/in/long.folded" | cksum)" ]; then
		pass
	else
		fail "fold"
	fi
	run 0 report --by symbol --json long.folded -o report.json
	run 0 add --db "$tmp/in/db" --commit none long.folded
	run 0 query --db "$tmp/in/db" --json 'SELECT name FROM symbol' -o query.json
	run 0 query --db "$tmp/in/db" --csv 'SELECT name FROM symbol' -o query.csv
	if ! have jq; then
		skip "JSON and CSV: no jq"
	elif [ "$(jq -r '.rows[].symbol' "$tmp/in/report.json" | sort -u | tee "$tmp/in/names.txt" | wc -l)" = 24 ] &&
		jq -r '.rows[][0]' "$tmp/in/query.json" | sort | cmp -s - "$tmp/in/names.txt" &&
		[ "$(sed 's/\\xff/\xff/g' "$tmp/in/names.txt" | wc -c)" -ge "$((2 * 4 * 4 * (16383 + 16384 + 17500)))" \
		] &&
		[ "$(sort -u "$tmp/in/query.csv" | wc -l)" = 25 ]; then
		pass
	else
		fail "JSON and CSV"
	fi
	run 0 flame long.folded -o long.svg
	run 0 report long.folded
	run 0 show --db "$tmp/in/db"
	# A picture may cut names, and may sum up frames for which it has no room, but two names must stay different,
	# and `<` must not take more than six bytes.
	if [ "$(frames_in "$tmp/in/long.svg")" = 26 ] &&
		[ "$(wc -c <"$tmp/in/long.svg")" -lt "$((6 * $(wc -c <"$tmp/in/long.folded")))" ]; then
		pass
	else
		fail "flame"
	fi
	if [ -s "$tmp/trouble" ]; then
		fail "$(head -n 1 "$tmp/trouble")"
	fi
}

# Print a list of long names: as long as a path, as a full record and about 64 KiB, of characters that encodings expand.
make_long_list() {
	awk 'BEGIN {
		split("A < X U", units, " "); split("4095 65400 65535 65536 70000", sizes, " ")
		for (u = 1; u <= 4; u++) for (s = 1; s <= 5; s++) {
			unit = shown = xml = script = units[u]
			if (unit == "<") { xml = "&lt;"; script = "\\u003c" }
			if (unit == "X") { unit = shown = xml = "\\xff"; script = "\\\\xff" }
			if (unit == "U") unit = shown = xml = script = "\360\237\231\202"
			width = units[u] == "U" ? 4 : 1
			n = int(sizes[s] / width); rest = substr("yyy", 1, sizes[s] % width)
			name = long(unit, n) rest; text = long(shown, n) rest
			json = units[u] == "X" ? long(script, n) rest : text
			printf "### %s %d\n\nbytes (C style): `%s`\n\n```text\n", units[u], sizes[s], name
			printf "folded  %s\nsvg     %s\nhtml    %s\n", text, long(xml, n) rest, long(xml, n) rest
			printf "script  \"%s\"\nsql     \047%s\047\ncsv     \"%s\"\n", long(script, n) rest, text, text
			printf "json    \"%s\"\nterm    %s\nmd      `%s`\n```\n\n", json, text, text
		}
	}
	function long(s, n,   half) {
		if (!n) return ""
		half = long(s, int(n / 2))
		return half half (n % 2 ? s : "")
	}'
}

# The same with recordings.  JSON, CSV and folded text must contain every byte of a long name.  A picture and a table in
# a terminal may cut names, but two different names must stay different.
check_long_names() {
	local plant

	list=long label=long
	rm -rf "$tmp/in" "$tmp/trouble"
	mkdir "$tmp/in"
	: >"$tmp/said"
	make_long_list >"$tmp/long.md"
	if ! "$make_recording" "$tmp/long.md" "$tmp/in" >"$tmp/n" || [ "$(cat "$tmp/n")" != 20 ]; then
		fail "long names cannot be made into recordings"
		return
	fi
	for plant in comm:comm mmap:dso mmap2:dso elf:symbol map:symbol; do
		each_plant "${plant%:*}" "${plant#*:}"
	done
	each_fold elf
	run 0 flame --symfs root --weight samples --minwidth 0 elf.data -o long.svg
	if [ "$(frames_in "$tmp/in/long.svg")" = 22 ] &&
		[ "$(wc -c <"$tmp/in/long.svg")" -lt "$((6 * $(wc -c <"$tmp/in/root/app")))" ]; then
		pass
	else
		fail "elf: flame: names are lost, or it grew"
	fi
	run 0 add --db "$tmp/in/db" --commit none --symfs root --target elf elf.data
	run 0 query --db "$tmp/in/db" --csv "$(stored name elf)" &&
		sed -nE 's/^([0-9]+),(".*")$/\1\t\2/p' "$tmp/out" | expect "elf: query in CSV" elf csv
	run 0 query --db "$tmp/in/db" --json "$(stored name elf)" &&
		sed -nE 's/^ *\[([0-9]+), (".*")\],?$/\1\t\2/p' "$tmp/out" | expect "elf: query in JSON" elf json
	run 0 query --db "$tmp/in/db" "$(stored name elf)" && if [ "$(sort -u "$tmp/out" | wc -l)" -ge 20 ]; then pass;
	else fail "elf: query: two names are one"; fi
	if have sqlite3; then
		sqlite3 -batch -separator $'\t' "$tmp/in/db" "$(stored_bytes elf)" |
			expect "elf: the bytes in the database" elf hex
	fi
	if [ -s "$tmp/trouble" ]; then
		fail "$(head -n 1 "$tmp/trouble" | cut -c 1-200)"
	fi
}

check_list() {
	list=$1 label=$1
	rm -rf "$tmp/in" "$tmp/tame" "$tmp/trouble" "$tmp/said"
	mkdir -p "$tmp/in/files" "$tmp/tame"
	if ! "$make_recording" "$2" "$tmp/in" >"$tmp/n" ||
		! "$make_recording" "$2" "$tmp/tame" harmless >/dev/null; then
		fail "cannot be made into recordings"
		return
	fi
	mapfile -d '' -t names <"$tmp/in/names"
	if [ "$(cat "$tmp/n")" -lt 50 ] || [ "${#names[@]}" != "$(cat "$tmp/n")" ]; then
		fail "only $(cat "$tmp/n") names, of which ${#names[@]} were read"
		return
	fi
	each_plant comm comm
	each_plant mmap dso
	for plant in elf map folded; do
		each_plant "$plant" symbol
	done
	each_plant mmap2 dso
	each_plant ksymbol symbol
	each_plant kallsyms symbol --kallsyms kallsyms
	each_late_event update ''
	each_late_event trace sys:
	each_source
	each_inlined
	each_silent_place
	for plant in comm elf map folded; do
		each_fold "$plant"
		each_picture "$plant"
	done
	each_deep
	each_event
	each_header
	each_database
	each_filter --comm comm comm
	each_filter --dso dso mmap
	each_filter --symbol symbol elf
	each_filter --event event event
	each_argument
	if is_clean "$tmp/said"; then
		pass
	else
		fail "output that is not fit for a terminal"
		grep -aE "$hidden" "$tmp/said" | cut -c 1-200 | cat -v | head -n 5
	fi
	if [ -s "$tmp/trouble" ]; then
		fail "$(wc -l <"$tmp/trouble") runs went wrong; first: $(head -n 1 "$tmp/trouble" | cat -v)"
		head -n 5 "$tmp/trouble" | cat -v
	else
		pass
	fi
}

# Text input: each invalid line is skipped, with its number and a count; with --strict the whole input is rejected.
check_plain_text() {
	local i

	list=text label=text
	rm -rf "$tmp/in" "$tmp/trouble"
	mkdir "$tmp/in"
	: >"$tmp/said"
	{
		printf '\xef\xbb\xbfa;first 1\r\n'
		for i in 1 2 3 4 5 6 7 8; do echo 'a;good 1'; done
		printf '%s\n' 'no count' 'a;negative -5' 'a;half 1.5' 'a;large 18446744073709551616' \
			'a;infinite 1e309' 'a;"open 2' 'a;'
		printf 'a;nul\0x 3\na;'
		head -c 1048576 /dev/zero | tr '\0' L
		printf ' 4\na;crlf 6\r\na;last 7'
	} >"$tmp/in/odd.folded"
	run 0 fold odd.folded
	if [ "$(cut -c 1-14 "$tmp/out" | sort | tr '\n' '|')" = \
		'a;"open 2|a;LLLLLLLLLLLL|a;crlf 6|a;first 1|a;good 8|a;half 1|a;last 7|a;nul\x00x 3|' ]; then
		pass
	else
		fail "fold: $(cut -c 1-14 "$tmp/out" | sort | tr '\n' '|')"
	fi
	if grep -q 'odd.folded: line 10 does not end in a 64-bit count and was skipped (5 in all)' "$tmp/err" &&
		grep -q 'line 12: the decimals' "$tmp/err"; then
		pass
	else
		fail "fold: $(cat "$tmp/err")"
	fi
	run 5 fold --strict odd.folded
	for i in '{"a": "open' '{"a": 1e309}' '{"a": 1,}' '{"a": 1} x' '[1' '' $'{"a": "\x01"}'; do
		printf '%s' "$i" >"$tmp/in/odd.json"
		run 5 hash odd.json
		grep -qE 'odd\.json:[0-9]+:[0-9]+: |odd\.json' "$tmp/err" || fail "hash: no place in: $(cat "$tmp/err")"
	done
	if is_clean "$tmp/said" && ! [ -s "$tmp/trouble" ]; then
		pass
	else
		fail "$(head -n 1 "$tmp/trouble")"
	fi
}

check_list cases "$top/tests/injection/cases.md"
check_long
check_long_names
check_plain_text
if [ -f "$DIR/injection.md" ]; then
	check_list "$(basename "$DIR")" "$DIR/injection.md"
else
	list=shared label=shared
	skip "no injection.md in $DIR"
fi
table() {
	awk -F '\t' -v sinks="folded svg script sql hex csv json term md" '
		BEGIN { n = split(sinks, sink, " "); printf "%-8s %-9s", "list", "plant"
			for (i = 1; i <= n; i++) printf " %9s", sink[i] == "hex" ? "bytes" : sink[i]
			print "" }
		{ if ($2 == "source") $2 = "line"
		  if ($2 == "late") next	# its names are counted in the rows of its own plants
		  row = sprintf("%-8s %-9s", $1, $2); if (!(row in seen)) { seen[row] = ++rows; name[rows] = row }
		  if (!((row, $3) in good) || $4 < good[row, $3]) good[row, $3] = $4
		  if ($5 > bad[row, $3]) bad[row, $3] = $5 }
		END { for (r = 1; r <= rows; r++) { printf "%s", name[r]
			for (i = 1; i <= n; i++) {
				at = name[r] SUBSEP sink[i]
				printf " %9s", (at in good) ? good[at] "/" bad[at] + 0 : "-"
			}
			print "" } }' "$tmp/table"
	echo "names written exactly / otherwise, in the worst output of each sink;" \
		"script: names in the page of html; csv: query --csv"
}
[ -z "${V:-}" ] || table
finish
