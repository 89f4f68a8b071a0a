# shellcheck shell=sh
# session.sh - test what a reader of the page of one session can do, and what the page must not do
#
# The script makes the folders of the session itself: those of two modes from folded text, one of which failed; for a
# third mode there is only the reason of its failure.  The bodies are JavaScript, so a $ in them is not expanded by the
# shell.
# shellcheck disable=SC2154

# run_folder NAME MODE STATUS FOLDED [TARGET]: make the results folder of a run whose recording is the file FOLDED
run_folder() {
	mkdir -p "$tmp/$1"
	cp "$4" "$tmp/$1/perf.data"
	jq -n --arg m "$2" --arg s "$3" --arg t "${5:-app}" \
		'{format: "hotdrift.run", version: 1, target: $t, mode: $m, status: $s,
		reason: (if $s == "failed" then "\($t) exited with status 3" else null end),
		command: ["./app", $t], commit: null, dirty: false, time: "2026-11-20T14:01:02Z",
		record_seconds: 1.5, event: "cpu-clock", run: null, db: null, config: null}' >"$tmp/$1/run.json"
	printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n1,20000,100,128\n2,30000,100,128\n' \
		>"$tmp/$1/latency.csv"
}
# make_session: make the page of the session, unless it exists
make_session() {
	[ ! -f "$tmp/session/all.html" ] || return 0
	mkdir -p "$tmp/session"
	run_folder run-1 cpu ok "$top/tests/browser/graph.folded"
	run_folder run-2 memory failed "$top/tests/browser/harmless.folded"
	"$hotdrift" html "$tmp/run-1" "$tmp/run-2" --session all-1 --failed 'async=perf may not record this' \
		-o "$tmp/session/all.html"
}
session_at() {
	visit "file://$tmp/$1${2-}"
	check "the script has run" '$("html.ready")'
	settle
}
shown_panel='return $$(".mode").filter(e => !e.hidden).map(e => e.dataset.name).join()'

test_the_page_of_a_session_is_complete_and_fetches_nothing() {
	make_session
	session_at session/all.html
	picture session-light
	expect "resources" "$(js 'return performance.getEntriesByType("resource").length')" 0
	expect "elements that would fetch" \
		"$(js 'return $$("[src], link, img, iframe, object, embed, image").length')" 0
	check "a policy forbids it" \
		'$("meta[http-equiv=Content-Security-Policy]").content.startsWith("default-src \u0027none\u0027;")'
	js 'const s = document.createElement("script"); s.textContent = "window.pwned = 1"; document.body.append(s)' \
		>/dev/null
	check "no other script runs" 'window.pwned === undefined'
	complaints >/dev/null
	expect "its modes" \
		"$(js 'return $$("[role=tab]").map(t => t.querySelector(".name").textContent + " " +
			t.querySelector(".badge").textContent).join()')" \
		"cpu ok,memory failed,async absent"
	expect "why one failed" "$(js 'return $$(".reason").map(e => e.textContent).join("|")')" \
		"app exited with status 3|perf may not record this"
	check "top five" '$$(".mode table").length >= 2 && $(".mode code")'
	check "latency" '$("#mode-0 .figures").textContent.includes("20000 / 30000 / 30000")'
	expect "a link leads to the file" "$(js 'return $("#mode-0 .links a").getAttribute("href")')" \
		../run-1/latency.csv
}

test_modes_are_chosen_by_mouse_and_by_keyboard() {
	make_session
	session_at session/all.html
	expect "the first" "$(js "$shown_panel")" cpu
	expect "its flamegraph is drawn, the others wait" \
		"$(js 'return $$("svg.hd-ready").length + " " + $$("template").length')" "1 1"
	click 'return $("#tab-1")'
	expect "a click" "$(js "$shown_panel")" memory
	expect "now two are" "$(js 'return $$("svg.hd-ready").length + " " + $$("template").length')" "2 0"
	keys "$RIGHT"
	expect "an arrow" "$(js "$shown_panel")" async
	keys "$RIGHT"
	expect "and around" "$(js "$shown_panel")" cpu
	keys 2
	expect "a number" "$(js "$shown_panel")" memory
	check "the card has the focus, and only it is in the tab order" \
		'document.activeElement === $("#tab-1") && $$("[role=tab]").filter(t => t.tabIndex === 0).length === 1'
	expect "the address keeps it" "$(js 'return location.hash')" "#memory"
	session_at session/all.html '#async'
	expect "and chooses" "$(js "$shown_panel")" async
}

test_search_and_zoom_work_in_the_flamegraph_of_a_session() {
	make_session
	session_at session/all.html
	keys /
	check "the search has the focus" 'document.activeElement === $("#mode-0 .hd-bar input")'
	type_text parse
	expect "matches are told" "$(js 'return / matched, /.test($("#mode-0 .hd-status").textContent)')" true
	keys "$ESC"
	keys "$UP" "$ENTER"
	check "zoomed" '$("#mode-0 .hd-status").textContent.startsWith("Zoomed into")'
	keys d
	check "d turns page and picture" \
		'$("html").dataset.theme === "dark" && $("svg.hd-flame").dataset.theme === "dark"'
	picture session-dark
	keys d
	window 420 800
	check "it fits a narrow window" 'document.documentElement.scrollWidth <= innerWidth'
	picture session-narrow
	window 1280 900
	settle
	check "and a wide one again" '$("#mode-0 svg.hd-flame").getBoundingClientRect().width > 900'
}

test_hostile_names_are_text_in_the_page_of_a_session() {
	hostile='</script></template></title><script>window.pwned=1</script>"><img src=x onerror=window.pwned=1>'
	count='return [...new Set($$("*").map(e => e.localName))].sort().map(n => n + $$(n).length).join()'
	for name in harmless hostile; do
		case $name in harmless) target=x file=plain ;; *) target=$hostile file="a'b\"c<img src=x>&#60;%2e" ;; \
			esac
		run_folder "$name-1" cpu failed "$top/tests/browser/$name.folded" "$target"
		printf 'x\n' >"$tmp/$name-1/$file"
		"$hotdrift" html "$tmp/$name-1" --session "$target" --failed "async=$target" --failed \
			"$target=$target" -o "$tmp/$name-page.html" >/dev/null 2>&1
	done
	session_at harmless-page.html
	want=$(js "$count")
	session_at hostile-page.html
	picture session-hostile
	expect "elements" "$(js "$count")" "$want"
	check "nothing ran" 'window.pwned === undefined && $$("img").length === 0'
	check "the heading is the target" '$("h1").textContent.startsWith("</script>")'
	keys 2 3 1 /
	type_text '<script>'
	check "still nothing ran" 'window.pwned === undefined'
	expect "links stay in the folder" \
		"$(js 'return $$(".links a")
			.every(a => /^(\.\.\/|\.\/)*[-A-Za-z0-9_.\/%~]*$/.test(a.getAttribute("href")))')" true
}
