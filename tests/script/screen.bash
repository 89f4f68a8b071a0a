# shellcheck shell=bash
# screen.bash - a terminal of tmux for tests: send keys, wait for text, read the screen
#
# Load it after helper.  open_terminal COLUMNS LINES starts a shell there; close_terminal ends it and what runs in it.

open_terminal() {
	command -v tmux >/dev/null || skip "tmux is not installed"
	locale -a 2>/dev/null | grep -qi '^C\.utf-\?8$' || skip "the locale C.UTF-8 is missing"
	terminal=hotdrift-test-$$-$BATS_TEST_NUMBER
	unset TMUX
	commands=0
	[ -p "$BATS_TEST_TMPDIR/never" ] || mkfifo "$BATS_TEST_TMPDIR/never"	# read -t pauses on it
	LC_ALL=C.UTF-8 ENV='' tmux -u -L "$terminal" -f /dev/null new-session -d -x "$1" -y "$2" \
		'env -u PAGER -u HOTDRIFT_PAGER -u LESS -u NO_COLOR -u COLUMNS -u LINES sh'
	see '^[#$]'
}
close_terminal() { [ -z "${terminal:-}" ] || tmux -L "$terminal" kill-server 2>/dev/null || :; }

screen() { tmux -L "$terminal" capture-pane -p; }
# key WORD...: send keys by their names in tmux; a word that is no key name is typed
key() { tmux -L "$terminal" send-keys "$@"; }
resize() { tmux -L "$terminal" resize-window -x "$1" -y "$2"; }

# Wait until the screen has a line that matches the basic regular expression; fail with the screen after 20 s.
see() {
	local end=$((SECONDS + 20))

	until screen | grep -q -e "$1"; do
		if [ "$SECONDS" -ge "$end" ]; then
			echo "not on the screen: $1"
			screen
			return 1
		fi
		read -r -t 0.02 <>"$BATS_TEST_TMPDIR/never" || :
	done
}
# Wait until no line of the screen matches; fail with the screen after 20 s.
gone() {
	local end=$((SECONDS + 20))

	while screen | grep -q -e "$1"; do
		if [ "$SECONDS" -ge "$end" ]; then
			echo "still on the screen: $1"
			screen
			return 1
		fi
		read -r -t 0.02 <>"$BATS_TEST_TMPDIR/never" || :
	done
}
# type_command types a command.  see_end waits until it has ended, and sets $status to its exit status.
type_command() { commands=$((commands + 1)); key -l "clear; $1; echo \"end$commands:\$?\""; key Enter; }
see_end() {
	see "^end$commands:[0-9]"
	# shellcheck disable=SC2034	# used by the tests
	status=$(screen | sed -n "s/^end$commands:\([0-9]*\)\$/\1/p")
}
