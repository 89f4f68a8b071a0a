#!/usr/bin/env bats
# pager.bats - test that output that is longer than the terminal is shown in a pager, by git's rules

load helper
load screen

setup() {
	in_empty_folder
	for i in {1..60}; do echo "main;f;g$i $i"; done >many.folded
	cp "$HOTDRIFT" ./hotdrift
}
teardown() { close_terminal; }

need_less() { command -v less >/dev/null || skip "less is not installed"; }

@test "a long table is shown in less; leaving it early ends with 0" {
	need_less
	open_terminal 80 12
	type_command './hotdrift top -n 0 many.folded'
	see '^:'
	screen | grep -q 'rank .* symbol'
	key q
	see_end
	[ "$status" = 0 ]
}

@test "what fits the screen is printed at once" {
	need_less
	open_terminal 80 24
	type_command './hotdrift top -n 3 many.folded'
	see_end
	[ "$status" = 0 ]
	screen | grep -q '^   3 .* g58$'
}

@test "HOTDRIFT_PAGER comes before PAGER; sh starts it only if it has characters of the shell" {
	open_terminal 80 24
	type_command 'PAGER="sed s/g/X/" HOTDRIFT_PAGER="sed s/g60/Y/;s/g59/Z/" ./hotdrift top -n 2 many.folded'
	see_end
	screen | grep -q '^   1 .* Y$'
	if screen | grep -q '^   2 .* Z$'; then return 1; fi	# the shell ends the command at the semicolon
	type_command 'PAGER="head -n 3" ./hotdrift top -n 0 many.folded'
	see_end
	[ "$status" = 0 ]
	screen | grep -q '^   1 .* g60$'
	if screen | grep -q '^   2 '; then return 1; fi
	type_command 'PAGER="sed s/g/X/ | head -n 3" ./hotdrift top -n 0 many.folded'
	see_end
	screen | grep -q '^   1 .* X60$'
}

@test "no pager: --no-pager, cat, an empty value, a dumb terminal, -o, a pipe" {
	open_terminal 80 100
	for how in 'PAGER=false ./hotdrift top --no-pager' 'HOTDRIFT_PAGER=cat PAGER=false ./hotdrift top' \
		'HOTDRIFT_PAGER= PAGER=false ./hotdrift top' 'TERM=dumb PAGER=false ./hotdrift top'; do
		type_command "$how -n 60 many.folded"
		see_end
		[ "$status" = 0 ]
		screen | grep -q '^  60 .* g1$'
	done
	type_command 'PAGER=false ./hotdrift top -n 60 many.folded | cat'
	see_end
	screen | grep -q '^  60 .* g1$'
	type_command 'PAGER=false ./hotdrift top -n 60 -o out many.folded'
	see_end
	grep -q '^  60 .* g1$' out
}

@test "a pager that does not exist loses no output, and an error needs no pager" {
	open_terminal 80 24
	type_command 'PAGER=is-not-there ./hotdrift top -n 2 many.folded'
	see_end
	[ "$status" = 0 ]
	screen | grep -q "the pager 'is-not-there' cannot be started"
	screen | grep -q '^   2 .* g59$'
	type_command 'PAGER="sed s/error/X/" ./hotdrift top is-not-there'
	see_end
	[ "$status" = 5 ]
	screen | grep -q '^hotdrift: error: '
}

@test "profile starts no pager, so its last lines are not behind a key" {
	fake perf
	export FAKE_RECORDING=$SHIPPED/perf.data
	open_terminal 80 10
	type_command 'PAGER="touch paged; cat" profile.sh -- true'
	see_end
	[ "$status" = 0 ]
	[ ! -e paged ]
	screen | grep -q '^run  *[0-9].* in results/hotspots.db$'
}

@test "a checkout cannot name a pager" {
	printf '[hotdrift]\npager = sed s/g/X/\n' >hotdrift.ini
	open_terminal 80 24
	type_command 'PAGER=cat ./hotdrift top -n 2 many.folded'
	see_end
	screen | grep -q '^   1 .* g60$'
}
