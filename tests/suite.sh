# shellcheck shell=sh
# suite.sh - count the tests of a suite, and print its last line; sourced by tests/run-*.sh
#
#     . "$(dirname "$0")/suite.sh"
#     begin_suite NAME [TOP]   set the variables below, and PATH so that python3 starts fast
#     temporary_folder         set $tmp to a new folder, which is removed at exit
#     needs WHAT TOOL...       skip the test WHAT and end the suite unless each TOOL is installed
#     needs_built FILE...      fail and end the suite unless each FILE was built
#
#     pass                     count a test that passed
#     passes N                 count N tests that passed
#     fail WHAT [WHY]          count and report a test that failed
#     skip WHAT [WHY]          count and report a test that cannot run here
#     ok STATUS WHAT [WHY]     pass if STATUS is 0, else fail
#     holds WHAT WHY CMD...    pass if CMD succeeds, else fail
#     claim WHAT CMD...        the same without a reason
#     find_chromium            print the path of Chromium or Google Chrome; fails if none is installed
#     in_chromium [OPTION...] URL   print the page as Chromium shows it after its scripts ran; it writes to ./chromium
#     finish                   print `NAME: N passed, N failed, N skipped` and exit
#
# Variables: top: the project's folder.  O: the build folder, absolute.  hotdrift: the program under test, $HOTDRIFT or
# the one in O.  label: if set, it precedes every WHAT.  passed, failed, skipped: the counts.
# shellcheck disable=SC2034	# the sourcing script reads the variables

begin_suite() {
	suite=$1 label='' passed=0 failed=0 skipped=0
	top=$(cd "${2:-$(dirname "$0")/..}" && pwd) || exit 1
	O=${O:-build}
	case $O in /*) ;; *) O=$top/$O ;; esac
	hotdrift=${HOTDRIFT:-$O/hotdrift}
	case $hotdrift in /*) ;; *) hotdrift=$PWD/$hotdrift ;; esac
	find_python
}

# If python3 is a script of a version manager, which takes several times as long to start as Python, put the folder of
# the program that it runs first in PATH.
find_python() {
	python_path=$(command -v python3) || return 0
	case $(head -c 2 "$python_path" | tr -d '\0') in
	'#!') python_path=$(python3 -c 'import sys; print(sys.executable)') && PATH=${python_path%/*}:$PATH ;;
	esac
}

temporary_folder() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-$suite.XXXXXX") || exit 1
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 6' HUP INT TERM
}

pass() { passed=$((passed + 1)); }
passes() { passed=$((passed + $1)); }

fail() {
	failed=$((failed + 1))
	echo "FAILED: ${label:+$label: }$1${2:+: $2}"
}

skip() {
	skipped=$((skipped + 1))
	echo "skipped: ${label:+$label: }$1${2:+: $2}"
}

ok() { if [ "$1" = 0 ]; then pass; else fail "$2" "${3:-}"; fi; }

holds() {
	holds_what=$1 holds_why=$2
	shift 2
	if "$@"; then pass; else fail "$holds_what" "$holds_why"; fi
}

claim() {
	claim_what=$1
	shift
	if "$@"; then pass; else fail "$claim_what"; fi
}

finish() {
	echo "$suite: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}

find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

in_chromium() {
	timeout 300 "$(find_chromium)" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$PWD/chromium" --virtual-time-budget=20000 --dump-dom "$@" 2>/dev/null
}

needs() {
	needs_what=$1
	shift
	for needs_tool; do
		command -v "$needs_tool" >/dev/null && continue
		skip "$needs_what" "$needs_tool is not installed"
		finish
	done
}

needs_built() {
	for needs_file; do
		[ -x "$needs_file" ] && continue
		fail "$needs_file is missing" "type make check-$suite"
		finish
	done
}
