#!/bin/sh
# run-browser.sh [FILE...] - test the flamegraph and the pages of `html` in headless Chromium
#
# A test is a function test_* of tests/browser/*.sh, or of FILE.  Tests run in order, over WebDriver (chromedriver, curl
# and jq).  Each test starts with a fresh page; its status is its result, its name is a sentence.  Without a browser,
# every test is skipped by name.  Only local files are opened, and the driver listens on the loopback interface.
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
for tool in chromedriver curl jq; do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip_all "no chromium"
needs_built "$hotdrift"

temporary_folder
driver='' session=''
stop() {
	[ -z "$session" ] || curl -s -m 20 -X DELETE "$base/session/$session" >/dev/null || :
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
base=http://127.0.0.1:$port

mkdir "$tmp/user"
jq -n --arg bin "$chromium" --arg dir "$tmp/user" '{capabilities: {alwaysMatch: {browserName: "chrome",
	"goog:loggingPrefs": {browser: "ALL"},
	"goog:chromeOptions": {binary: $bin, args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--window-size=1280,900", "--user-data-dir=" + $dir]}}}}' >"$tmp/caps"
session=$(curl -s -m 120 "$base/session" -d "@$tmp/caps" | jq -r '.value.sessionId // empty')
[ -n "$session" ] || broken "chromium does not start"

# ---- functions for the tests

# wd PATH [JSON]: send a request to the driver and print the value of the response
wd() {
	if [ $# -gt 1 ]; then
		curl -s -m 60 "$base/session/$session/$1" -d "$2" >"$tmp/answer"
	else
		curl -s -m 60 "$base/session/$session/$1" >"$tmp/answer"
	fi
	jq -c .value "$tmp/answer"
	jq -e '.value | type != "object" or (has("error") | not)' "$tmp/answer" >/dev/null
}
# js BODY: run it in the page with some helper functions; print its result, as JSON or plain text
js() {
	wd execute/sync "$(jq -n --arg body "$1" '{args: [], script: (
		"const $ = s => document.querySelector(s), $$ = s => [...document.querySelectorAll(s)];" +
		"const frame = n => $$(\".r > g\").find(g => g.querySelector(\"title\") && g.querySelector(\"title\").textContent.split(\"\\n\")[0] === n);" +
		"const rect = n => frame(n).querySelector(\"rect\"), width = n => +rect(n).getAttribute(\"width\");" +
		"const hidden = n => frame(n).style.display === \"none\", status = () => $(\".hd-status\").textContent;" + $body)}')" |
		jq -r 'if type == "string" then . else tojson end'
}
# tell TEXT...: print to stdout instead of the log, for measurements
exec 5>&1
tell() {
	printf '%s\n' "$*" >&5
}
# settle: wait until the page has finished delayed work (scrolling, painting)
settle() {
	wd execute/async \
		'{"args": [], "script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"}' >/dev/null
}
# expect WHAT GOT WANT
expect() {
	[ "$2" = "$3" ] || { printf '  %s:\n    got    %s\n    wanted %s\n' "$1" "$2" "$3"; exit 1; }
}
# check WHAT BODY: BODY must return true in the page
check() {
	expect "$1" "$(js "return !!($2)")" true
}
# draw NAME [OPTION...]: draw tests/browser/NAME.folded as $tmp/NAME.svg
draw() {
	name=$1
	shift
	"$hotdrift" flame "$top/tests/browser/$name.folded" "$@" -o "$tmp/$name.svg"
}
# open NAME [HASH]: open the picture in a page of its own
open() {
	wd url '{"url": "about:blank"}' >/dev/null
	wd url "$(jq -n --arg u "file://$tmp/$1.svg${2-}" '{url: $u}')" >/dev/null
	check "the script has run" '$(".hd-ready")'
}
# click BODY: a real click on the element that BODY returns
click() {
	element=$(wd execute/sync "$(jq -n --arg b "$1" '{args: [], script: ("const $ = s => document.querySelector(s), $$ = s => [...document.querySelectorAll(s)];" +
		"const frame = n => $$(\".r > g\").find(g => g.querySelector(\"title\") && g.querySelector(\"title\").textContent.split(\"\\n\")[0] === n);" + $b)}')" | jq -r '.[]')
	wd "element/$element/click" '{}' >/dev/null
}
# pointer X Y: move the mouse there
pointer() {
	wd actions "$(jq -n --argjson x "$1" --argjson y "$2" '{actions: [{type: "pointer", id: "mouse",
		actions: [{type: "pointerMove", duration: 0, x: $x, y: $y}]}]}')" >/dev/null
}
# keys TEXT...: press and release them one after the other
keys() {
	wd actions "$(for k; do printf '%s\n' "$k"; done | jq -Rn '{actions: [{type: "key", id: "keys",
		actions: [inputs | {type: "keyDown", value: .}, {type: "keyUp", value: .}]}]}')" >/dev/null
}
# type TEXT: each character of it
type_text() {
	wd actions "$(jq -n --arg t "$1" '{actions: [{type: "key", id: "keys",
		actions: [$t | split("")[] | {type: "keyDown", value: .}, {type: "keyUp", value: .}]}]}')" >/dev/null
}
# complaints: print what the page wrote to its console since the last call
complaints() {
	wd se/log '{"type": "browser"}' | jq -r '.[].message'
}
# window WIDTH HEIGHT
window() {
	wd window/rect "{\"width\": $1, \"height\": $2}" >/dev/null
	settle
}
# picture NAME: keep what is shown as $SHOTS/NAME.png, for looking at
picture() {
	[ -z "${SHOTS:-}" ] || wd screenshot | jq -r . | base64 -d >"$SHOTS/$1.png"
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
	fi
done
finish
