# shellcheck shell=bash
# helper.bash - functions that the tests of the scripts share
#
# Each test runs in an empty folder with a folder fakes/ first in PATH.  `fake NAME`
# copies a program of tests/script/fake/ there, such as the substitute for perf.

bats_require_minimum_version 1.5.0
TOP=${BATS_TEST_DIRNAME%/tests/script}
# shellcheck disable=SC2034	# used by the tests
SHIPPED=$TOP/fixtures/recordings/memgraph-cpu

in_empty_folder() {
	export LC_ALL=C NO_COLOR=1 HOME=$BATS_TEST_TMPDIR/home TMPDIR=$BATS_TEST_TMPDIR/tmp
	export GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR
	export HOTDRIFT=${HOTDRIFT:-$TOP/build/hotdrift}
	unset HOTDRIFT_DOOR HOTDRIFT_PERF PERF HOTDRIFT_PARANOID_FILE FAKE_PERF SUDO_UID SUDO_GID
	PATH=$BATS_TEST_TMPDIR/fakes:$TOP/scripts:$PATH
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/runtime
	mkdir -p "$XDG_RUNTIME_DIR" "$HOME" "$TMPDIR" "$BATS_TEST_TMPDIR/fakes" "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

fake() {
	cp -- "${@/#/$TOP/tests/script/fake/}" "$BATS_TEST_TMPDIR/fakes/"
}

# fake_line NAME LINE: make a fake program NAME whose script is LINE
fake_line() {
	printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/fakes/$1"
	chmod +x "$BATS_TEST_TMPDIR/fakes/$1"
}

# compiled NAME OPTIONS...: compile $BATS_FILE_TMPDIR/NAME once for all tests of a file
compiled() { [ -e "$BATS_FILE_TMPDIR/$1" ] || cc "${@:2}" -o "$BATS_FILE_TMPDIR/$1"; }

# Run the scripts as a user other than root, which they detect by `id -u`.
fake_user() { fake_line id 'echo 1000'; }

# Shell code that makes the file `started` and then runs until a signal ends it.  timeout(1) runs before that, so a
# signal that follows the file ends it, too.
# shellcheck disable=SC2034
begins='exec timeout 60 sh -c "touch started; exec tail -f /dev/null"'

# until_there FILE PID: wait until the process has made the file, or is gone.  Nothing is written to the FIFO: a read
# with a timeout is a pause that starts no process and takes no CPU time.
until_there() {
	[ -p "$BATS_TEST_TMPDIR/pause" ] || mkfifo "$BATS_TEST_TMPDIR/pause"
	until [ -e "$1" ] || ! kill -0 "$2" 2>/dev/null; do read -r -t 0.05 <>"$BATS_TEST_TMPDIR/pause" || :; done
}

# signal_when FILE SIGNAL PID [WHOM]: wait for FILE, send SIGNAL to PID or to WHOM (-PID: its group), and set `status`
# to the exit status of the process.
# shellcheck disable=SC2034
signal_when() {
	until_there "$1" "$3"
	kill "-$2" -- "${4:-$3}"
	status=0
	wait "$3" || status=$?
}

# Print the results folder, if there is one.
only_run() {
	local runs=(results/*/)

	[ ${#runs[@]} = 1 ] && [ -d "${runs[0]}" ] && printf '%s' "${runs[0]%/}"
}

# of_run JQ-EXPRESSION: print the value of the expression in run.json of the only run
of_run() {
	local runs=(results/*/)

	[ ${#runs[@]} = 1 ] && jq -r "$1" "${runs[0]}run.json"
}

contains() {
	case $1 in
	*"$2"*) return 0 ;;
	esac
	printf 'expected to find: %s\nin: %s\n' "$2" "$1" >&2
	return 1
}

lacks() { ! contains "$1" "$2" 2>/dev/null; }

commit_all() {
	git init -q . 2>/dev/null
	git -c user.name=t -c user.email=t@example.org add -A
	git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m "${1:-state}"
}

need_clock_of_perf() {
	# shellcheck source=tests/clock.sh
	. "$TOP/tests/clock.sh"
	perf_has_our_clock || skip "$OTHER_CLOCK"
}
