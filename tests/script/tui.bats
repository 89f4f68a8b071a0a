#!/usr/bin/env bats
# tui.bats - test the full-screen browser by sending keys in a terminal of tmux

load helper
load screen

setup() {
	in_empty_folder
	cp "$HOTDRIFT" ./hotdrift
	printf '%s\n' 'main;parse;read 30' 'main;parse;lex;read 10' 'main;parse;lex 5' 'main;write;lex 15' \
		'main;a\x1b[31mred 40' >some.folded
}
teardown() { close_terminal; }

begin() {	# COLUMNS LINES ARGUMENT...
	local columns=$1 lines=$2

	shift 2
	./hotdrift tui --help >/dev/null
	open_terminal "$columns" "$lines"
	type_command "./hotdrift tui $*"
	until screen | grep -q -e 'q quit' -e 'error: '; do :; done
	if screen | grep -q 'without ncursesw\|cannot load libncursesw'; then skip "libncursesw is missing"; fi
}

@test "functions, callers, callees, the tree and the flame view have the figures of report" {
	begin 100 24 some.folded
	see 'SELF .*total .*samples .*symbol'
	see '^ *40.00% *40.00% .* a\\x1b\[31mred '	# as in top; escape sequences in names are escaped
	key s
	see '^ *0.00% *100.00% .* main '
	key /
	see '^/_'
	key -l lex
	key Enter
	key Enter
	see '^callers of lex: total 30.00%, self 20.00%'
	see '^ *15.00% *50.00% .*parse'
	see '^ *15.00% *50.00% .*write'
	key 3
	see '^callees of lex'
	see '^ *10.00% *33.33% .*read'
	key 4
	see '^ *45.00% *0.00% .*parse'
	key 5
	see '^100.00%, self 0.00%'
	see '│main'
	see '│parse .*│write'
	key q
	see_end
	[ "$status" = 0 ]
}

@test "a search moves to the next match in the tree, and Esc ends it" {
	begin 80 24 some.folded
	key 4
	see 'all'
	key E
	see 'write'
	key /
	key -l WRITE
	key Enter
	see 'not found: WRITE'		# a capital letter makes the search case-sensitive
	key /
	key -l wri
	key Enter
	gone 'not found'
	key q
	see_end
	[ "$status" = 0 ]
}

@test "the screen follows the size of the terminal, down to 20 x 5" {
	begin 120 40 some.folded
	see ' 7 info '
	resize 20 5
	see '^ 1 top  *'
	gone ' 7 info '
	see '%'
	resize 80 24
	see ' 7 info '
	key q
	see_end
	[ "$status" = 0 ]
}

@test "a recording from standard input leaves the keys to the terminal" {
	begin 80 24 - '<some.folded'
	see 'symbol'
	key q
	see_end
	[ "$status" = 0 ]
}

@test "a signal restores the terminal" {
	begin 80 24 some.folded
	for sig in TERM KILL; do
		# shellcheck disable=SC2154	# screen.bash sets it
		pid=$(ps -eo pid=,ppid=,args= | awk -v top="$(tmux -L "$terminal" display -p '#{pane_pid}')" \
			'$2 == top && /hotdrift tui/ { print $1 }')
		worker=$(ps -eo pid=,ppid= | awk -v top="$pid" '$2 == top { print $1 }')
		kill -s "$sig" "$worker"
		see_end
		type_command 'stty -a | tr -s " ;" "\n" | grep -x icanon; stty -a | tr -s " ;" "\n" | grep -x echo'
		see_end
		screen | grep -qx icanon
		screen | grep -qx echo
		type_command './hotdrift tui some.folded'
		see 'q quit'
	done
	key q
	see_end
	[ "$status" = 0 ]
}

@test "without a terminal, or on a dumb one, the error says what to do" {
	run ./hotdrift tui some.folded
	[ "$status" = 2 ]
	[[ $output == *'standard output is not a terminal'* ]]
	open_terminal 80 24
	type_command 'TERM=dumb ./hotdrift tui some.folded'
	see_end
	[ "$status" = 2 ]
	screen | grep -q 'cannot move the cursor'
	type_command './hotdrift tui is-not-there'
	see_end
	[ "$status" = 5 ]
}

@test "no colours with NO_COLOR, and ASCII in a locale without UTF-8" {
	open_terminal 80 24
	type_command 'NO_COLOR=1 LC_ALL=C ./hotdrift tui some.folded'
	see 'q quit'
	key 5
	see '|parse'
	[ "$(tmux -L "$terminal" capture-pane -pe | grep -c '38;5\|48;5')" = 0 ]
	key q
	see_end
}

# Open the view annotate of the costliest function of the recording of fixtures/recordings/copies.
annotate_copies() {	# OPTION...
	local copies=$TOP/fixtures/recordings/copies

	if ./hotdrift annotate --symfs "$copies/symfs" "$copies/perf.data" --json |
		grep -q 'built without capstone\|is not installed (Debian: libcapstone'; then
		skip "capstone is not installed (Debian: libcapstone-dev)"
	fi
	begin 100 24 "$@" "$copies/perf.data"
	key 6
	see '^annotate of [^ ]*: total 100.00%, self 100.00%'
}

@test "annotate shows the source with its cost, at the hottest line, and on a key the instructions" {
	mkdir checkout
	cp "$TOP/fixtures/recordings/programs/copies.c" checkout
	touch -d 2000-01-01 checkout/copies.c
	annotate_copies --symfs "$TOP/fixtures/recordings/copies/symfs" --source-prefix checkout
	see '^ *total *function *line'
	see '^ work in /opt/hd/copies$'
	see '^ 100.00% *100.00% *11 .*return x \* 6364136223846793005ul'
	see '^ *22 .*static void work'
	key a
	see '^ *total *function *instruction'
	see '\[step < churn < work\]'
	see '^  82.61%   82.61% *40109f: │  imul'
	see ' 22 of 34$'			# the row of imul
	key ']'
	see ' 23 of 34$'
	key ']'
	see 'no more rows with cost'
	key '['
	see ' 22 of 34$'
	key /
	key -l jne
	key Enter
	see ' 29 of 34$'
	key Enter				# the jump leads to 401098
	see ' 16 of 34$'
	key h
	see ' 22 of 34$'
	key a
	see ' 8 of 27$'
	key q
	see_end
	[ "$status" = 0 ]
}

@test "annotate says what is missing and how to get it" {
	mkdir none
	annotate_copies --symfs none		# the object file is missing
	see '^ There is no code to disassemble: /opt/hd/copies: none/opt/hd/copies: No such'
	see '^ .*--symfs DIR'
	see '^  82.61%  100.00%  109f:'
	key a
	see 'no source lines: build with -g'
	key q
	see_end
	annotate_copies --symfs "$TOP/fixtures/recordings/copies/symfs"
	see '^ /opt/hd/copies.c: .*'		# without the source file only line numbers are displayed
	see '^ 100.00% *100.00% *11$'
	key q
	see_end
	begin 100 24 some.folded
	key 6
	see '^ There are neither addresses nor source lines (format folded): annotate a'
	key q
	see_end
	[ "$status" = 0 ]
}
