#!/bin/bash
# run-browser.sh [FILE...] - test the flamegraph and the pages of `html` in headless Chromium
#
# A test is a function test_* of tests/browser/*.sh, or of FILE.  Tests run in order, over WebDriver (chromedriver and
# jq).  Each test starts with a fresh page; its status is its result, its name is a sentence.  Without a browser, every
# test is reported as skipped.  Only local files are opened, and the driver listens on the loopback interface.
#
# The suite sends hundreds of requests, so this shell sends them itself, without starting a program for each.
#
#   ONLY=PATTERN   run the tests whose names match
# Tests are functions that are called by name.
# shellcheck disable=SC2317
set -eu

# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite browser
cd "$top"
[ $# -gt 0 ] || set -- tests/browser/*.sh
tests=$(sed -n 's/^\(test_[a-z0-9_]*\)().*/\1/p' "$@" | grep -e "${ONLY:-.}")
total=$(echo "$tests" | wc -l)

skip_all() {
	for t in $tests; do
		skip "$(echo "${t#test_}" | tr _ ' ')" "$1"
	done
	finish
}
broken() {
	echo "run-browser.sh: error: $1" >&2
	cat "$tmp/driver.log" >&2
	failed=$total
	finish
}
for tool in chromedriver jq; do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
chromium=$(find_chromium) || skip_all "no chromium"
needs_built "$hotdrift"

temporary_folder
driver='' session=''
stop() {
	[ -z "$session" ] || request DELETE "/session/$session" || :
	if [ -n "$driver" ]; then
		kill "$driver" 2>/dev/null || :
		wait "$driver" 2>/dev/null || :
	fi
	rm -rf "$tmp" 2>/dev/null || :
}
trap stop EXIT

# The driver takes a free port and prints its number.  Its pipe stays open (descriptor 4) for further output.
mkfifo "$tmp/say"
chromedriver --port=0 >"$tmp/say" 2>"$tmp/driver.log" &
driver=$!
exec 4<"$tmp/say"
port=''
while IFS= read -r said <&4; do
	port=$(echo "$said" | sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p')
	[ -z "$port" ] || break
done
[ -n "$port" ] || broken "chromedriver does not start"
cat <&4 >/dev/null &

# request METHOD PATH [JSON]: send a request to the driver and set `answer` to the value of the response, as JSON.
# Return 1 after an error.  The body ends with a newline, so that the shell sends the request in one piece.
request() {
	local LC_ALL=C body="${3:-{\}}"$'\n' line length=0

	answer=''
	exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
	line="$1 $2 HTTP/1.1"$'\r\n'"Host: 127.0.0.1:$port"$'\r\n'"Connection: close"$'\r\n'
	printf '%s' "$line""Content-Length: ${#body}"$'\r\n\r\n'"$body" >&3
	while IFS= read -r -t 120 line <&3 && [ "$line" != $'\r' ]; do
		case $line in [Cc]ontent-[Ll]ength:*) length=${line//[!0-9]/} ;; esac
	done
	IFS= read -r -t 60 -N "$length" answer <&3
	exec 3>&-
	answer=${answer#'{"value":'}
	answer=${answer%'}'}
	[ -n "$answer" ] && [[ $answer != '{"error":'* ]]
}
# quote TEXT: set `quoted` to TEXT as a JSON string
quote() {
	local slash=\\ mark=\"

	quoted=${1//"$slash"/"$slash$slash"}
	quoted=${quoted//"$mark"/"$slash$mark"}
	quoted=${quoted//$'\n'/"${slash}n"}
	quoted=$mark${quoted//$'\t'/"${slash}t"}$mark
}

mkdir "$tmp/user"
jq -n --arg bin "$chromium" --arg dir "$tmp/user" '{capabilities: {alwaysMatch: {browserName: "chrome",
	"goog:loggingPrefs": {browser: "ALL"},
	"goog:chromeOptions": {binary: $bin, args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
			"--disable-component-update",
		"--disable-sync", "--window-size=1280,900", "--user-data-dir=" + $dir]}}}}' >"$tmp/caps"
request POST /session "$(cat "$tmp/caps")" || :
session=$(jq -r '.sessionId? // empty' <<<"$answer")
[ -n "$session" ] || broken "chromium does not start"

# ---- functions for the tests

# wd PATH [JSON]: send a request about the page and set `answer`, as request() does
wd() {
	if [ $# -gt 1 ]; then request POST "/session/$session/$1" "$2"; else request GET "/session/$session/$1"; fi
}
helpers='const $ = s => document.querySelector(s), $$ = s => [...document.querySelectorAll(s)];
	const frame = n => $$(".r > g").find(g => g.querySelector("title") &&
		g.querySelector("title").textContent.split("\n")[0] === n);
	const rect = n => frame(n).querySelector("rect"), width = n => +rect(n).getAttribute("width");
	const hidden = n => frame(n).style.display === "none";
	const status = () => $(".hd-status").textContent;'
# run_js BODY: run it in the page with the helper functions and set `result`, to JSON or plain text.  After an error,
# it is the answer of the driver.
run_js() {
	quote "$helpers const it = (() => { $1
		})(), text = v => typeof v === 'string' ? v : JSON.stringify(v ?? null);
		return it && it.then ? it.then(text) : text(it)"
	wd execute/sync "{\"args\": [], \"script\": $quoted}" || :
	unescape
}
# unescape: set `result` to the text of the JSON string `answer`, or to `answer` if it is something else
unescape() {
	result=$answer
	case $result in
	\"*\")
		result=${result:1:-1}
		# The escapes of JSON are those of a format.
		# shellcheck disable=SC2059
		case $result in *\\*) printf -v result "${result//%/%%}" ;; esac
		;;
	esac
}
# js BODY: run it and print the result
js() {
	run_js "$1"
	printf '%s\n' "$result"
}
# wait_js BODY: run it in the page with the helper functions, and wait until it has called done(RESULT); set `result`
wait_js() {
	quote "$helpers const done = arguments[0]; $1"
	wd execute/async "{\"args\": [], \"script\": $quoted}" || :
	unescape
}
# visit URL: open it in a page of its own
visit() {
	wd url '{"url": "about:blank"}'
	quote "$1"
	wd url "{\"url\": $quoted}"
}
# tell TEXT...: print to stdout instead of the log, for measurements
exec 5>&1
tell() {
	printf '%s\n' "$*" >&5
}
# settle: wait until the page has finished delayed work (scrolling, painting)
settle() {
	wait_js 'requestAnimationFrame(() => requestAnimationFrame(() => done()))'
}
# cdp COMMAND [PARAMETERS]: send a command of the DevTools protocol
cdp() {
	wd goog/cdp/execute "{\"cmd\": \"$1\", \"params\": ${2:-{\}}}"
}
# screen WIDTH HEIGHT [true]: set the size of the page; true: on a phone
screen() {
	cdp Emulation.setDeviceMetricsOverride \
		"{\"width\": $1, \"height\": $2, \"deviceScaleFactor\": 1, \"mobile\": ${3:-false}}"
}
# prefer_dark: emulate a reader who prefers dark colours
prefer_dark() {
	cdp Emulation.setEmulatedMedia '{"features": [{"name": "prefers-color-scheme", "value": "dark"}]}'
}
# expect WHAT GOT WANT: fail unless GOT equals WANT
expect() {
	[ "$2" = "$3" ] || { printf '  %s:\n    got    %s\n    wanted %s\n' "$1" "$2" "$3"; exit 1; }
}
# check WHAT BODY: BODY must return true in the page
check() {
	run_js "return !!($2)"
	expect "$1" "$result" true
}
# await WHAT BODY: wait until BODY is true in the page
await() {
	wait_js "const end = Date.now() + 20000; (function look() { if ($2) done(true);
		else if (Date.now() > end) done(false); else setTimeout(look, 20); })()"
	expect "$1" "$result" true
}
# draw NAME [OPTION...]: draw tests/browser/NAME.folded as $tmp/NAME.svg
draw() {
	name=$1
	shift
	"$hotdrift" flame "$top/tests/browser/$name.folded" "$@" -o "$tmp/$name.svg"
}
# open NAME [HASH]: open the picture in a page of its own
open() {
	visit "file://$tmp/$1.svg${2-}"
	check "the script has run" '$(".hd-ready")'
}
# click BODY: a real click on the element that BODY returns
click() {
	quote "$helpers $1"
	wd execute/sync "{\"args\": [], \"script\": $quoted}"
	[[ $answer =~ \"element-[^\"]*\":\"([^\"]*)\" ]] || { echo "  no element: $1: $answer"; exit 1; }
	wd "element/${BASH_REMATCH[1]}/click" '{}'
}
# mouse ACTION...: do these actions of the mouse
mouse() {
	local IFS=,

	wd actions "{\"actions\": [{\"type\": \"pointer\", \"id\": \"mouse\", \"actions\": [$*]}]}"
}
# move X Y [MS]: print the action that moves the mouse there
move() {
	printf '{"type": "pointerMove", "duration": %s, "x": %s, "y": %s}' "${3:-0}" "$1" "$2"
}
# shellcheck disable=SC2034	# the tests use them
press='{"type": "pointerDown", "button": 0}' release='{"type": "pointerUp", "button": 0}'
# pointer X Y: move the mouse there
pointer() {
	mouse "$(move "$1" "$2")"
}
# keyboard ACTION...: do these actions of the keyboard
keyboard() {
	local IFS=,

	wd actions "{\"actions\": [{\"type\": \"key\", \"id\": \"keys\", \"actions\": [$*]}]}"
}
# keys TEXT...: press and release them one after the other
keys() {
	local key actions=()

	for key; do
		quote "$key"
		actions+=("{\"type\": \"keyDown\", \"value\": $quoted}" "{\"type\": \"keyUp\", \"value\": $quoted}")
	done
	keyboard "${actions[@]}"
}
# chord KEY KEY: press the second while the first is held
chord() {
	keyboard "{\"type\": \"keyDown\", \"value\": \"$1\"}" "{\"type\": \"keyDown\", \"value\": \"$2\"}" \
		"{\"type\": \"keyUp\", \"value\": \"$2\"}" "{\"type\": \"keyUp\", \"value\": \"$1\"}"
}
# type_text TEXT: type each character of TEXT
type_text() {
	local at letters=()

	for ((at = 0; at < ${#1}; at++)); do letters+=("${1:at:1}"); done
	keys "${letters[@]}"
}
# complaints: print what the page wrote to its console since the last call
complaints() {
	wd se/log '{"type": "browser"}' || { echo "$answer"; return; }
	# When a chart is zoomed, dygraphs of Debian 13 warns of the points beside the shown range, which are not wrong.
	[ "$answer" = '[]' ] || jq -r '.[].message | select(test("points out of [XY] bounds") | not)' <<<"$answer"
}
# window WIDTH HEIGHT: set the size of the browser's window
window() {
	wd window/rect "{\"width\": $1, \"height\": $2}"
	settle
}
# picture NAME: keep what is shown as $SHOTS/NAME.png, for looking at
picture() {
	[ -z "${SHOTS:-}" ] || { wd screenshot && base64 -d <<<"${answer//\"/}" >"$SHOTS/$1.png"; }
}
# Keys as WebDriver names them.
UP=$(printf '\356\200\223') DOWN=$(printf '\356\200\225') LEFT=$(printf '\356\200\222') RIGHT=$(printf '\356\200\224')
ENTER=$(printf '\356\200\207') ESC=$(printf '\356\200\214') CTRL=$(printf '\356\200\211')
export UP DOWN LEFT RIGHT ENTER ESC CTRL

for f; do
	# shellcheck source=/dev/null
	. "$top/$f"
done

for t in $tests; do
	complaints >/dev/null
	status=0
	(
		set -e
		"$t"
		expect "the console" "$(complaints)" ""
	) >"$tmp/log" 2>&1 || status=$?
	if [ "$status" = 0 ]; then
		pass
	else
		failed=$((failed + 1))
		echo "--- $(echo "${t#test_}" | tr _ ' ')"
		cat "$tmp/log"
		# The next tests must not see a page on paper or on a phone.
		cdp Emulation.setEmulatedMedia '{"media": "", "features": []}' || :
		cdp Emulation.clearDeviceMetricsOverride || :
	fi
done
finish
