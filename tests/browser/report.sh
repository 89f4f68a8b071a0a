# shellcheck shell=sh
# report.sh - test what a reader of the page of `hotdrift report --html` can do, and what the page must not do
#
# The recording of memgraph has 844 samples of five threads in 2.3 s; its first half is the work of four of them.  The
# numbers are compared with those of `hotdrift top`.  The bodies are JavaScript, so a $ in them is not expanded by the
# shell.
# shellcheck disable=SC2154

memgraph=$top/fixtures/recordings/memgraph-cpu

# report_page NAME INPUT [OPTION...]: make the page report-NAME.html, unless it exists
report_page() {
	[ -f "$tmp/report-$1.html" ] || { made=$1 input=$2 && shift 2 && "$hotdrift" report --html "$@" \
		-o "$tmp/report-$made.html" "$input" 2>/dev/null; }
}
# report_at NAME [HASH]: open the page report-NAME.html and wait until it is drawn
report_at() {
	visit "file://$tmp/report-$1.html${2-}"
	await "the page is ready" '$("html.ready")'
	settle
}
memgraph_at() {
	report_page memgraph "$memgraph/perf.data" --symfs "$memgraph/symfs"
	report_at memgraph "$@"
}
# drag SELECTOR FROM TO Y: drag the mouse over an element from the part FROM of its width to TO (0 to 1), Y pixels below
# its top
drag() {
	run_js "const r = \$('$1').getBoundingClientRect(), a = r.left + r.width * $2, b = r.left + r.width * $3;
		return [a, (a + b) / 2, b, r.top + $4].map(Math.round).join(' ')"
	# shellcheck disable=SC2086 # four numbers
	set -- $result
	mouse "$(move "$1" "$4")" "$press" "$(move "$2" "$4")" "$(move "$3" "$4")" "$release"
	settle
}
report_focus() {
	js "\$('$1').focus({ preventScroll: true })" >/dev/null
}
chosen_samples() {
	js 'return $("#selected").textContent.match(/([\d,]+) samples?/)[1]'
}

test_the_report_page_is_complete_and_fetches_nothing() {
	memgraph_at
	picture report-light
	expect "resources" "$(js 'return performance.getEntriesByType("resource").length')" 0
	expect "elements that would fetch" \
		"$(js 'return $$("[src], [href], link, img, iframe, object, embed, use, image").length')" 0
	expect "sources from elsewhere" \
		"$(grep -acE '(src|href)=.?(https?:|//)|@import|url\(|sourceMappingURL' "$tmp/report-memgraph.html")" 0
	check "a policy forbids it" \
		'$("meta[http-equiv=Content-Security-Policy]").content.startsWith("default-src \u0027none\u0027;")'
	js 'const s = document.createElement("script"); s.textContent = "window.pwned = 1"; document.body.append(s)' \
		>/dev/null
	check "no other script runs" 'window.pwned === undefined'
	complaints >/dev/null
	"$hotdrift" report --html --symfs "$memgraph/symfs" "$memgraph/perf.data" >"$tmp/again.html" 2>/dev/null
	cmp "$tmp/report-memgraph.html" "$tmp/again.html"
}

test_the_tables_of_the_page_have_the_numbers_of_top() {
	memgraph_at '#view=functions'
	want=$("$hotdrift" top --inline --json -n 5 --symfs "$memgraph/symfs" "$memgraph/perf.data" 2>/dev/null |
		jq -r '[.rows[] | "\(.self_pct * 100 | round) \(.samples) \(.symbol)"] | join(",")')
	# The page adds up all addresses without a symbol: there are more of them if the recorded libm is not installed.
	got=$(js 'return $$("#view-functions .body .trow").map(r => [...r.children].map(c => c.textContent))
		.filter(c => c[5] !== "[unknown]").slice(0, 5)
		.map(c => `${Math.round(parseFloat(c[0]) * 100)} ${c[4]} ${c[5]}`).join()')
	expect "the five costliest functions" "$got" "$want"
	want=$("$hotdrift" report --by tid --json --symfs "$memgraph/symfs" "$memgraph/perf.data" 2>/dev/null |
		jq -r '[.rows[] | "\(.samples) memgraph \(.tid)"] | join(",")')
	memgraph_at '#view=threads'
	expect "the threads" \
		"$(js 'return $$("#view-threads .body .trow")
			.map(r => `${r.children[2].textContent} ${r.children[3].textContent}`).join()')" "$want"
	check "each row has a unit" \
		'$$("#view-threads .body .trow").every(r => / (s|ms)$/.test(r.children[1].textContent))'
}

test_a_recording_with_losses_is_called_incomplete_at_once() {
	memgraph_at
	check "nothing is missing in the whole recording" '!/incomplete/.test($("#glance").textContent)'
	head -c 60000 "$memgraph/perf.data" >"$tmp/cut.data"
	report_page cut "$tmp/cut.data" --symfs "$memgraph/symfs"
	report_at cut
	picture report-incomplete
	check "the first view says so" '/Recording\s*incomplete/.test($("#glance").textContent)'
	report_at cut '#view=quality'
	await "what is missing" '/cut\.data: .*(cut|ends)/.test($("#view-quality .advice").textContent)'
}

test_a_time_range_changes_all_views_and_is_part_of_the_address() {
	memgraph_at '#view=functions'
	expect "all samples" "$(chosen_samples)" 844
	drag '#lane-canvas' 0.1 0.4 60
	part=$(chosen_samples)
	if [ "$part" -ge 400 ] || [ "$part" -le 50 ]; then echo "  $part samples are selected"; exit 1; fi
	check "another function is the hottest" '$("#view-functions .body .trow code").textContent === "spread_along"'
	click 'return $("#tab-threads")'
	settle
	expect "samples of all threads" \
		"$(js 'return String($$("#view-threads .body .trow")
			.reduce((n, r) => n + +r.children[2].textContent, 0))')" "$part"
	hash=$(js 'return location.hash')
	case $hash in *time=*view=threads*) ;; *) echo "  the address is $hash"; exit 1 ;; esac
	want=$("$hotdrift" report --by tid --json --symfs "$memgraph/symfs" \
		--time "$(range_of "$hash")" "$memgraph/perf.data" 2>/dev/null | jq '[.rows[].samples] | add')
	if [ $((part - want)) -gt 1 ] || [ $((want - part)) -gt 1 ]; then
		echo "  the page counts $part samples, report --time $want"
		exit 1
	fi
	report_at memgraph "$hash"
	expect "samples after the address was opened" "$(chosen_samples)" "$part"
}
# range_of HASH: print the time range in HASH in seconds of the recording's clock, for --time
range_of() {
	"$hotdrift" info --json --symfs "$memgraph/symfs" "$memgraph/perf.data" 2>/dev/null |
		jq -r --arg h "$1" '.header.first_sample_ns as $f | $h | capture("time=(?<a>[0-9]+)_(?<b>[0-9]+)") |
		[.a, .b] | map(($f + (tonumber) * 1000) |
			"\(. / 1000000000 | floor).\(. % 1000000000 + 1000000000 | tostring | .[1:])") | join(",")'
}

test_the_back_button_undoes_a_selection() {
	memgraph_at
	drag '#lane-canvas' 0.5 0.9 60
	click 'return $$(".lane-name")[0]'
	settle
	expect "thread chosen" "$(js 'return String($$(".lane-name")[0].getAttribute("aria-pressed"))')" true
	wd back '{}'
	await "the thread is not chosen" \
		'$$(".lane-name")[0].getAttribute("aria-pressed") === "false" && /time=/.test(location.hash)'
	wd back '{}'
	await "all samples again" '/844 samples/.test($("#selected").textContent)'
	wd forward '{}'
	await "the range again" '!/844 samples/.test($("#selected").textContent)'
}

test_the_report_page_can_be_used_by_keyboard() {
	memgraph_at
	keys 3
	await "3: functions" '!$("#view-functions").hidden'
	report_focus '#view-functions .tscroll'
	keys "$DOWN" "$ENTER"
	await "Enter: callers and callees" \
		'!$("#view-sandwich").hidden && $("#function").selectedOptions[0].textContent.includes("vector_dot")'
	await "its caller" '[...$$("#callers-table code")].some(c => c.textContent === "cosine_similarity")'
	keys h
	await "h: heat map" '!$("#heat").hidden && $("#lanes").hidden'
	keys t
	await "t: lanes" '!$("#lanes").hidden'
	report_focus '#lane-canvas'
	keys "$RIGHT"
	await "an arrow selects" '$("#selected").classList.contains("some")'
	keys "$ESC"
	await "Esc removes it" '!$("#selected").classList.contains("some")'
	keys 1
	await "1: flame graph" '!$("#view-flame").hidden'
	report_focus '#flame-box'
	keys "$DOWN" "$DOWN" "$DOWN" "$ENTER"
	await "Enter zooms" '/zoom=/.test(location.hash) && /Zoomed|main|answer/.test($("#flame-say").textContent)'
	keys "$ESC"
	await "Esc resets the zoom" '!/zoom=/.test(location.hash)'
	keys '?'
	await "help" '$("#help").open'
}

test_the_callers_and_callees_of_the_page_add_up() {
	memgraph_at '#view=sandwich'
	name=$(js 'return $("#function").selectedOptions[0].textContent')
	case $name in *vector_dot*) ;; *) echo "  the hottest function is $name"; exit 1 ;; esac
	want=$("$hotdrift" fold --symfs "$memgraph/symfs" "$memgraph/perf.data" 2>/dev/null |
		awk '/;vector_dot/ { n = split($1, f, ";"); w[f[n - 1]] += $2; all += $2 } { total += $2 }
		END { printf "%.2f %%", 100 * w["cosine_similarity"] / total }')
	got=$(js 'return $$("#callers-table .body .trow")
		.find(r => r.querySelector("code").textContent === "cosine_similarity").children[0].textContent')
	expect "share of the caller" "$got" "$want"
}

test_the_heat_map_selects_time() {
	memgraph_at '#draw=heat'
	check "cells of several colours are drawn" '(() => { const d = $("#heat-canvas").getContext("2d")
		.getImageData(60, 22, 200, 100).data, seen = new Set();
		for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
		return seen.size > 2; })()'
	drag '#heat-canvas' 0.3 0.5 100
	check "time is selected" '$("#selected").classList.contains("some") && /time=/.test(location.hash)'
	expect "fewer samples" \
		"$(js 'return String(+$("#selected").textContent.match(/([\d,]+) samples?/)[1] < 400)')" true
}

test_the_page_of_folded_text_has_no_timeline_and_names_the_reason() {
	report_page folded "$top/tests/browser/graph.folded"
	report_at folded
	check "no timeline" '$("#time").hidden'
	keys 8
	await "the reason" '/no times of its samples/.test($("#view-quality").textContent)'
	click 'return $("#tab-functions")'
	settle
	want=$("$hotdrift" top -n 1 --json "$top/tests/browser/graph.folded" | jq -r '.rows[0].symbol')
	expect "the hottest function" "$(js 'return $("#view-functions .body code").textContent')" "$want"
}

test_hostile_names_are_text_in_the_report_page() {
	report_page hostile "$top/tests/browser/hostile.folded"
	report_at hostile '#view=functions'
	check "nothing was executed" 'window.pwned === undefined && !$("main script, main img, main svg, main b > *")'
	check "names are shown" '$$("#view-functions .body code").length > 3'
	for view in sandwich objects threads lines code quality flame; do
		click "return \$('#tab-$view')"
		settle
		check "$view has no foreign elements" '!$("main script, main img, main iframe, main svg")'
	done
	expect "script blocks" "$(grep -aoi '<script' "$tmp/report-hostile.html" | wc -l)" 2
}

test_the_code_of_the_hottest_function_has_the_cost_of_its_instructions() {
	memgraph_at '#view=code'
	check "the hottest function is first" '/vector_dot/.test($("#code").selectedOptions[0].textContent)'
	want=$("$hotdrift" annotate --json -n 1 --symfs "$memgraph/symfs" "$memgraph/perf.data" 2>/dev/null |
		jq -r '[.symbols[0].instructions[] | .cost[0].pct // 0] | max | . * 100 | round')
	expect "share of the hottest instruction" \
		"$(js 'return String(Math.max(...$$("#code-instructions .body .trow")
			.map(r => Math.round(100 * (parseFloat(r.children[1].textContent) || 0)))))')" "$want"
}

test_the_search_marks_functions_and_filters_tables() {
	memgraph_at '#view=functions'
	report_focus '#find'
	type_text spread
	await "the address has it" '/find=spread/.test(location.hash)'
	check "only matches are listed" '$$("#view-functions .body .trow").length &&
		$$("#view-functions .body .trow").every(r => /spread/.test(r.textContent))'
	click 'return $("#tab-flame")'
	await "the share of matches" '/Search matches \d/.test($("#flame-say").textContent)'
}

test_the_report_page_fits_a_phone() {
	memgraph_at
	screen 390 844 true
	settle
	for view in flame sandwich functions objects threads lines code quality; do
		js "\$('#tab-$view').click()" >/dev/null
		settle
		expect "width of $view" "$(js 'return document.scrollingElement.scrollWidth')" 390
		picture "report-phone-$view"
	done
	check "controls can be touched" \
		'$$("button, select, input").filter(e => e.offsetParent && e.offsetHeight < 24).length === 0'
	cdp Emulation.clearDeviceMetricsOverride
	settle
}

test_the_report_page_has_a_dark_theme_with_enough_contrast() {
	memgraph_at
	keys d
	await "dark" '$("html").dataset.theme === "dark"'
	picture report-dark
	for theme in dark light; do
		[ "$(js 'return $("html").dataset.theme')" = "$theme" ] || keys d
		settle
		expect \
			"least contrast in $theme" \
				"$(js 'const lum = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => { v /= 255;
				return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
				return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
			const under = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e)
				.backgroundColor; if (!/, 0\)$/.test(c)) return c; } return "rgb(255,255,255)"; };
			return $$("p, button, small, h2, h3, b").filter(e => e.offsetParent && !e.disabled &&
				e.textContent.trim()).filter(e => { const a = lum(getComputedStyle(e).color),
				b = lum(under(e)); return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
			}).map(e => e.textContent.slice(0, 30)).join()')" ""
	done
}

test_the_report_is_printed_on_white_paper_of_its_width() {
	memgraph_at
	[ "$(js 'return $("html").dataset.theme')" = dark ] || keys d
	await "dark" '$("html").dataset.theme === "dark"'
	js 'window.dispatchEvent(new Event("beforeprint"))' >/dev/null
	expect "theme" "$(js 'return $("html").dataset.theme')" light
	expect "width of the paper" "$(js 'return $("main").clientWidth')" 718
	fits='c.getBoundingClientRect().right <= $("main").getBoundingClientRect().right'
	check "no picture is wider" "\$\$('main canvas').every(c => $fits)"
	js 'window.dispatchEvent(new Event("afterprint"))' >/dev/null
	expect "afterwards" "$(js 'return $("html").dataset.theme')" dark
	check "as wide as before" '$("main").clientWidth > 1000'
}
