# shellcheck shell=sh
# html.sh - test what a reader of the page of `hotdrift html` can do, and what the page must not do
#
# The history is that of tests/html/history.sh: 60 runs, two a commit; parse_row rises at run 21 (slot 20) and falls at
# run 49, decode is split at 31, memory grows at 41.  The bodies are JavaScript, so a $ in them is not expanded by the
# shell.
# shellcheck disable=SC2154

# history: make the database and its page, unless they exist
history() {
	[ -f "$tmp/history.db" ] || HOTDRIFT="$hotdrift" "$top/tests/html/history.sh" "$tmp/history.db" 60
	[ -f "$tmp/history.html" ] || "$hotdrift" html --db "$tmp/history.db" -o "$tmp/history.html" 2>/dev/null
}
# page NAME [HASH]: open and draw the page
page() {
	visit "file://$tmp/$1.html${2-}"
	check "the script has run" '$("html.ready")'
	settle
}
# settled: wait until the page has settled (SETTLED_MS in page_state.js) and is drawn
settled() {
	wait_js 'setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done())), 150)'
}
focus() {
	js "\$('$1').focus({ preventScroll: false })" >/dev/null
}
# say: print the line about the run under the cursor
say() {
	js 'return $("#readout").textContent'
}
# fill SELECTOR TEXT: set the value of an input in one step
fill() {
	js "const e = \$('$1'); e.value = '$2'; e.dispatchEvent(new Event('input', { bubbles: true }))" >/dev/null
	settled
}

test_the_page_is_complete_and_fetches_nothing() {
	history
	page history
	picture html-light
	expect "resources" "$(js 'return performance.getEntriesByType("resource").length')" 0
	expect "elements that would fetch" \
		"$(js 'return $$("[src], [href], link, img, iframe, object, embed, use, image").length')" 0
	expect "sources and styles from elsewhere" \
		"$(grep -acE '(src|href)=.?(https?:|//)|@import|url\(|sourceMappingURL' "$tmp/history.html")" 0
	check "a policy forbids it" \
		'$("meta[http-equiv=Content-Security-Policy]").content.startsWith("default-src \u0027none\u0027;")'
	refused=$(js 'const p = new Promise(r =>
		document.addEventListener("securitypolicyviolation", e => r(e.effectiveDirective)));
		fetch("https://example.org/").catch(() => {}); return p')
	expect "and is obeyed" "$refused" connect-src
	complaints >/dev/null
	js 'const s = document.createElement("script"); s.textContent = "window.pwned = 1"; document.body.append(s)' \
		>/dev/null
	check "no other script runs" 'window.pwned === undefined'
	complaints >/dev/null
	check "the licence is there" \
		'$("footer pre").textContent.includes("Permission is hereby granted") &&
			$("footer pre").textContent.includes("Dan Vanderkam")'
}

test_shares_latency_memory_and_energy_stand_on_one_axis() {
	history
	page history
	expect "panels" "$(js 'return $$("#charts .panel h3").map(h => h.textContent).join()')" \
		"Share of self cost,Verdicts,Latency,Memory,Energy and power"
	check "each is drawn" '$$("#charts canvas").filter(c => c.width > 300).length >= 5'
	ink='const ink = c => { const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0;
		for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; };'
	check "with lines in it" \
		"(() => { $ink return \$\$('#charts .plot')
			.every(p => [...p.querySelectorAll('canvas')].some(c => ink(c) > 300)); })()"
	check "their plots begin and end at one place" \
		'(b => new Set(b.map(r => Math.round(r.left) + " " + Math.round(r.right)))
			.size === 1)($$("#charts .plot").map(e => e.getBoundingClientRect()))'
	expect "the latest values" \
		"$(js 'return $$("#charts .panel .values").slice(2)
			.map(v => v.textContent.replace(/\d+\.?\d* (ms|MiB|J)/g, "N $1")).join("|")')" \
		"p50 N msp95 N msp99 N ms|peak_rss N MiBmean_rss N MiB|joules N J"
	expect "symbols" "$(js 'return $$(".symbol").length > 5 && $$(".symbol code")[0].textContent')" parse_row
}

test_planted_changes_are_found_and_listed() {
	history
	page history
	js '$$(".more-button").forEach(b => b.click())' >/dev/null
	changes='const rows = $$("#changes-list tbody tr"); let at = "";
		const all = rows.map(r => { at = r.querySelector("td code") && r.cells[1].textContent || at;
		return [at.slice(0, 9), r.querySelector(".what code").textContent, r.cells[5].textContent[0],
			r.cells[7].textContent]; });'
	expect "parse_row, a finding once per commit" \
		"$(js "$changes return all.filter(r => r[1] === 'parse_row').map(r => r[2] + ' ' + r[3]).join()")" \
		"▼ change point,▲ fail"
	expect "decode" "$(js "$changes return all.filter(r => r[1] === 'decode').map(r => r[2]).join()")" "▼"
	expect "what it became" "$(js "$changes return all.filter(r => r[1] === 'codec_run').map(r => r[2]).join()")" \
		"▲"
	expect "the leak" \
		"$(js "$changes return all.filter(r => r[1] === 'peak_rss peak_rss_bytes').map(r => r[2]).join()")" "▲"
	expect "latency" "$(js "$changes return all.filter(r => r[1] === 'p95 wall_time_us').map(r => r[2]).join()")" \
		"▼,▲"
	check "and what gate said" \
		"(() => { $changes return all.some(r => r[1] === 'parse_row' && r[3] === 'fail'); })()"
	click 'return $$("#changes-list tbody button")[0]'
	settle
	check "a click shows it in the charts" \
		'document.activeElement === $("#charts") &&
			$("#readout code").textContent === $("#changes-list tbody code").textContent'
}

test_bands_say_where_the_next_run_is_expected() {
	history
	page history
	# The function counts the pixels with an opacity of 0.4 (102 of 255) at the right edge of the canvases of a
	# panel.
	behind='const behind = p => [...p.querySelectorAll("canvas")].reduce((n, c) => {
		const o = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		o.canvas.height = c.height; o.drawImage(c, 14 - c.width, 0);
		const d = o.getImageData(0, 10, 4, c.height - 40).data;
		for (let i = 3; i < d.length; i += 4) n += d[i] === 102; return n; }, 0);'
	check "in each panel" "(() => { $behind return \$\$('#charts .plot').every(p => behind(p) > 8); })()"
	expect "a number says it" "$(js 'return $$("#charts .panel .values span")[4].title.replace(/[0-9.]+/g, "N")')" \
		"pN wall_time_us: the next run is expected from N ms to N ms, by the last N"
	expect "a share, too" "$(js 'return $(".symbol .num").title.replace(/[0-9.]+/g, "N")')" \
		"parse_row: the next run is expected from N % to N %, by the last N"
	check "as it was since it fell" \
		'(t => { const [lo, hi] = t.match(/[0-9.]+(?= %)/g).map(Number);
			return 13 < lo && lo < 14 && 14 < hi && hi < 15; })($(".symbol .num").title)'
	focus '#charts'
	keys "$LEFT" + + , ,
	settled
	check "where the last run is out of sight there is none" \
		"(() => { $behind return \$\$('#charts .plot').every(p => behind(p) < 4); })()"
}

test_the_pointer_tells_the_run_under_it() {
	history
	page history
	latest=$(say)
	before=$(js 'return $$(".symbol .num").map(e => e.textContent).join()')
	at=$(js 'const b = $(".plot.shares").getBoundingClientRect();
		return Math.round(b.left + b.width / 2) + " " + Math.round(b.top + 100)')
	pointer "${at% *}" "${at#* }"
	settle
	picture html-pointer
	expect "the run" "$(say | grep -cE 'run (29|3[0-2])')" 1
	[ "$before" != "$(js 'return $$(".symbol .num").map(e => e.textContent).join()')" ] ||
		expect "the shares" "as before" "those of the run"
	check "a line through all panels" \
		'getComputedStyle($(".cross")).display !== "none" && Math.abs($(".cross").getBoundingClientRect()
			.left - (b => b.left + b.width / 2)($(".plot.shares").getBoundingClientRect())) < 30'
	pointer 2 2
	settle
	expect "away, it is the latest again" "$(say)" "$latest"
}

test_the_keyboard_alone_reads_the_charts() {
	history
	page history
	focus '#charts'
	keys "$LEFT"
	settle
	expect "the first arrow goes to the latest" "$(say | grep -c 'run 60')" 1
	keys "$LEFT" "$LEFT"
	settle
	expect "two before it" "$(say | grep -c 'run 58')" 1
	keys p
	settle
	expect "the change before" "$(say | grep -c 'run 49')" 1
	keys p
	settle
	expect "and the one before that" "$(say | grep -c 'run 41')" 1
	keys n
	settle
	expect "and back" "$(say | grep -c 'run 49')" 1
	keys + +
	settled
	picture html-zoomed
	expect "zoomed around the cursor" "$(js 'return /^1[4-9] runs of 60/.test($("#range").textContent)')" true
	expect "the table follows" "$(js 'return +$("#top-note").textContent.match(/^\d+/)[0] < 12')" true
	keys 0
	settled
	expect "everything" "$(js 'return $("#range").textContent.split(",")[0]')" "60 runs"
	keys x
	settle
	check "by commit" \
		'$("[data-axis=commit]").getAttribute("aria-pressed") === "true" && location.hash === "#x=commit"'
	keys x
	settled
	check "by time" '$("[data-axis=time]").getAttribute("aria-pressed") === "true" && location.hash === "#x=time"'
	keys x "$ESC"
	settle
	check "the cursor is let go" '$("#readout").textContent.startsWith("Latest")'
	expect "everything has a place in the tab order" \
		"$(js 'return ["#lane", "#filter", "#theme", "#help-open", "#charts", "#top-table", "#run-a",
			"#flame-find", "#flame-box"].every(s => $(s).tabIndex === 0)')" true
}

test_a_drag_chooses_a_range_and_the_address_keeps_it() {
	history
	page history
	box=$(js 'const b = $(".plot.shares").getBoundingClientRect();
		return [b.left + b.width * 0.3, b.left + b.width * 0.6, b.top + 80].map(Math.round).join(" ")')
	# shellcheck disable=SC2086 # three numbers
	set -- $box
	mouse "$(move "$1" "$3")" "$press" "$(move "$2" "$3" 40)" "$release"
	settled
	check "a third is left" \
		'+$("#range").textContent.match(/^\d+/)[0] > 12 && +$("#range").textContent.match(/^\d+/)[0] < 25'
	range=$(js 'return $("#range").textContent')
	hash=$(js 'return location.hash')
	page history "$hash"
	expect "the same range" "$(js 'return $("#range").textContent')" "$range"
	click 'return $("[data-do=all]")'
	settled
	expect "all of it" "$(js 'return location.hash.length < 2')" true
	page history '#lane=77&range=zz_1&filter=%zz&a=99&b=-1&draw=x'
	check "a broken address is a fresh page" '$("#range").textContent.startsWith("60 runs")'
}

test_the_filter_finds_symbols_commits_and_branches() {
	history
	page history
	keys /
	check "a slash goes there" 'document.activeElement === $("#filter")'
	type_text hash_probe
	settled
	expect "symbols" \
		"$(js 'return $$(".symbol").filter(e => !e.hidden).map(e => e.querySelector("code").textContent)
			.join()')" hash_probe
	check "changes" \
		'$$("#changes-list .what code").every(e => e.textContent === "hash_probe") &&
			$$("#changes-list tbody tr").length === 1'
	fill '#filter' 'quoted rows'
	expect "commits" \
		"$(js 'return $$("#top-table .body .row").length === 3 &&
			$$("#top-table .body .subject").every(e => e.textContent.includes("quoted rows"))')" true
	check "the symbols stay when none is meant" '$$(".symbol").every(e => !e.hidden)'
	fill '#filter' 'nothing like it'
	check "nothing is said to be nothing" \
		'$("#top-note").textContent.startsWith("No commit") && $$("#top-table .body .row").length === 0'
	focus '#filter'
	keys "$ESC"
	settled
	check "Esc clears it" '$("#filter").value === "" && $$("#top-table .body .row").length > 10'
}

test_the_top_five_of_each_commit_with_arrows() {
	history
	page history
	expect "the newest first" "$(js 'return $$("#top-table .body .row")[0].children[0].textContent')" "2026-01-15"
	expect "five of it" "$(js 'return $$("#top-table .body .row")[0].querySelectorAll(".spot").length')" 5
	check "two runs a commit" \
		'$$("#top-table .body .row")[0].querySelector(".subject").textContent.startsWith("2\u00d7")'
	js '$("#top-table").scrollTop = 15 * 36 - 200' >/dev/null
	settle
	arrows=$(js 'return $$("#top-table .body .row")
		.map(r => [...r.querySelectorAll(".arrow")].map(a => a.textContent).join()).filter(Boolean).length')
	[ "$arrows" -gt 0 ] || expect "arrows" "$arrows" "some"
	check "what a symbol was before is told" '$$("#top-table .spot[title$=\"before\"]").length > 5'
	focus '#top-table'
	keys "$DOWN" "$ENTER"
	settle
	check "Enter shows the run" '$(".row.active") && !$("#readout").textContent.startsWith("Latest")'
	js '$("#top-table").scrollTop = 0' >/dev/null
	settle
	picture html-top
}

test_flamegraphs_of_two_runs_and_their_difference() {
	history
	page history
	expect "runs with stacks" "$(js 'return $("#run-a").options.length')" 12
	expect "the difference is shown first" "$(js 'return $("[data-mode=diff]").getAttribute("aria-pressed")')" true
	check "blue is less, red is more, and it says so" \
		'$("#flame-key").textContent.includes("more in B") && $("#flame-key").textContent.includes("less in B")'
	focus '#flame-box'
	keys "$DOWN" "$DOWN" "$DOWN"
	expect "arrows go to the costliest callee" "$(js 'return $("#flame-say").textContent.split(":")[0]')" main
	check "and tell both shares" '/of A, .* of B, [+\u2212].* points/.test($("#flame-say").textContent)'
	keys "$ENTER"
	picture html-difference
	keys "$ESC"
	check "Esc resets" '$("#flame-reset").disabled'
	click 'return $("[data-mode=b]")'
	settle
	fill '#flame-find' parse_row
	picture html-searched
	expect "search marks and counts once" \
		"$(js 'return /^1 matched, \d+\.\d\d % of all/.test($("#flame-say").textContent)')" true
	first=$(js 'return $("#run-a").options[11].value')
	js "const s = \$('#run-a'); s.value = '$first'; s.dispatchEvent(new Event('change'))" >/dev/null
	settle
	check "a choice compares" \
		'$("[data-mode=diff]").getAttribute("aria-pressed") === "true" && location.hash.includes("draw=diff")'
	hash=$(js 'return location.hash')
	page history "$hash"
	expect "the address keeps the pair" "$(js 'return $("#run-a").value')" "$first"
	focus '#charts'
	keys "$RIGHT" "$RIGHT" a
	settle
	expect "a run of the charts becomes A" "$(js 'return $("#run-a").selectedIndex')" 0
}

test_a_frame_is_described_where_the_pointer_is() {
	history
	page history
	js '$("#flame").scrollIntoView({ behavior: "instant" })' >/dev/null
	settle
	at=$(js 'const b = $("#flame-box canvas").getBoundingClientRect();
		return Math.round(b.left + b.width / 2) + " " + Math.round(b.top + 30)')
	pointer "${at% *}" "${at#* }"
	picture html-card
	check "the card" '$("#card.on b").textContent === "server" && $("#card").textContent.includes("B \u2212 A")'
	pointer 3 3
	check "it goes away" '!$("#card.on")'
}

test_light_and_dark_with_contrast_in_both() {
	history
	page history
	js '$("#changes-list .more-button").click()' >/dev/null
	paper='return getComputedStyle($("#history")).backgroundColor'
	contrast='const lum = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255)
		.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const ratio = (a, b) => (Math.max(lum(a), lum(b)) + 0.05) / (Math.min(lum(a), lum(b)) + 0.05);
		const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
		if (!/, 0\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
		const bad = $$("body *").filter(e => e.checkVisibility({ visibilityProperty: true }) &&
			!e.closest("svg, script, style, :disabled") &&
			[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
			.filter(e => ratio(getComputedStyle(e).color, behind(e)) < 4.5).map(e => e.tagName + "." +
				e.className + " " + e.textContent.slice(0, 30));
		const lines = $$(".symbol .swatch").filter(e => ratio(getComputedStyle(e).borderTopColor,
			getComputedStyle($("#history")).backgroundColor) < 3).length;
		return bad.slice(0, 5).join("; ") + (lines ? lines + " faint lines" : "")'
	light=$(js "$paper")
	expect "text that is too faint, light" "$(js "$contrast")" ""
	keys d
	settle
	picture html-dark
	[ "$light" != "$(js "$paper")" ] || expect "the paper" "$light" "another colour in the dark"
	expect "text that is too faint, dark" "$(js "$contrast")" ""
	check "the button offers the way back" '$("#theme").textContent === "Light"'
	prefer_dark
	dark=$(js "$paper")
	page history
	expect "a reader who prefers dark" "$(js "$paper")" "$dark"
	cdp Emulation.setEmulatedMedia '{"features": []}'
}

test_the_help_lists_the_keys_and_gives_the_focus_back() {
	history
	page history
	focus '#charts'
	keys '?'
	picture html-help
	check "it is open, and has the focus" '$("#help").open && $("#help").contains(document.activeElement)'
	check "it names what there is" \
		'["Anywhere", "Charts", "Top five", "Flamegraph"].every(t => $("#help").textContent.includes(t)) &&
			$$("#help kbd").length > 15'
	keys "$ESC"
	check "Esc closes it" '!$("#help").open && document.activeElement === $("#charts")'
}

test_it_fits_a_desk_a_phone_and_paper() {
	history
	for size in "1280 900" "390 844"; do
		# shellcheck disable=SC2086 # two numbers
		set -- $size
		screen "$1" "$2"
		page history
		picture "html-$1"
		check "nothing is wider" 'document.documentElement.scrollWidth <= innerWidth'
		check "buttons can be hit" \
			'$$("button:not(.link)").filter(e => e.checkVisibility())
				.every(e => e.getBoundingClientRect().height >= 24)'
		expect "what moved while it was drawn" \
			"$(js 'return new Promise(done => { let sum = 0; new PerformanceObserver(l => l.getEntries()
				.forEach(e => { sum += e.value; })).observe({ type: "layout-shift", buffered: true });
			setTimeout(() => done(sum < 0.02 ? "nothing" : sum), 300); })')" nothing
	done
	cdp Emulation.clearDeviceMetricsOverride
	cdp Emulation.setEmulatedMedia '{"media": "print"}'
	page history
	# A scroll event that comes late draws the table again.
	js 'window.dispatchEvent(new Event("beforeprint"));
		$("#top-table").dispatchEvent(new Event("scroll"))' >/dev/null
	settle
	check "on paper there is nothing to press, and all commits" \
		'$$("button").every(e => !e.checkVisibility() || e.closest("#changes, .flame-tools")) &&
			$$("#top-table .body .row").length === 30'
	cdp Emulation.setEmulatedMedia '{"media": ""}'
}

test_a_page_without_a_chart_library_says_so_and_has_the_rest() {
	history
	awk '/^<script>\/\*! @license/ { skip = 1 } !skip { print } skip && /<\/script>$/ { skip = 0 }' \
		"$tmp/history.html" >"$tmp/bare.html"
	page bare
	picture html-bare
	check "it says so" '$("#charts").textContent.includes("libjs-dygraphs")'
	check "the rest is there" \
		'$$(".symbol").length > 5 && $$("#changes-list tr").length > 5 && $$("#top-table .row").length > 10 &&
			$("#run-a").options.length === 12'
	focus '#charts'
	keys "$LEFT" + 0 n
	check "and the keys do no harm" '$("#readout").textContent.includes("run")'
}

# hostile NAME TARGET TEXT: make the database NAME, whose other names are TEXT, from NAME.folded, and its page
hostile() {
	rm -f "$tmp/$1.db"
	while IFS= read -r line; do
		printf '%s\n' "$line"
	done <"$top/tests/browser/$1.folded" >"$tmp/$1.txt"
	i=0
	while [ $i -lt 3 ]; do
		"$hotdrift" add --db "$tmp/$1.db" --commit none --target "$2" --recorded \
			"2026-01-0$((i + 1))T00:00:00Z" "$tmp/$1.txt" >/dev/null 2>&1
		i=$((i + 1))
	done
	sqlite3 "$tmp/$1.db" \
		"UPDATE run SET branch = '$3', session = '$3';
			INSERT INTO commit_info (id, sha, parents, committed_utc, subject)
			VALUES (1, '$3', '', '$3', '$3');
		UPDATE run SET commit_id = 1; UPDATE run SET recorded_utc = '9$3' WHERE id = 3;
		INSERT INTO series (run_id, series, kind, name, unit, samples) VALUES (1, 0, 'latency', '$3', '$3', 3),
		  (2, 0, 'latency', '$3', '$3', 3);
		INSERT INTO series_summary (run_id, series, ordinal, stat, value) VALUES (1, 0, 0, 'p95', 5),
		  (2, 0, 0, 'p95', 6);
		INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, found_utc)
		  VALUES (1, 1, 2, 0, 1, '$3', '$3', '$3')"
	"$hotdrift" html --db "$tmp/$1.db" -o "$tmp/$1.html" 2>/dev/null
}

test_hostile_names_are_text_in_the_page_too() {
	hostile harmless target x
	hostile hostile '</script><script>window.pwned=1</script>"><img src=x onerror=window.pwned=1>' \
		'</script><!--<img src=x onerror=window.pwned=1><script>'
	count='const all = $$("*").filter(e => !e.closest(".plot")).map(e => e.localName);
		return [...new Set(all)].sort().map(n => n + all.filter(m => m === n).length).join() +
		[...new Set($$(".plot *").map(e => e.localName))].sort().join()'
	page harmless
	keys '?' "$ESC"
	want=$(js "$count")
	page hostile
	keys '?' "$ESC"
	picture html-hostile
	expect "elements" "$(js "$count")" "$want"
	check "nothing ran" 'window.pwned === undefined'
	check "the title is the target" '$("#title").textContent.startsWith("</script>")'
	focus '#flame-box'
	keys "$DOWN" "$DOWN" "$DOWN" "$ENTER"
	fill '#flame-find' '<script>'
	fill '#filter' '<img'
	js '$("#charts").focus()' >/dev/null
	keys "$LEFT" "$LEFT" x x + 0
	check "still nothing ran" 'window.pwned === undefined && $$("img").length === 0'
}

test_ten_thousand_runs_are_a_few_elements() {
	HOTDRIFT="$hotdrift" "$top/tests/html/many.sh" "$tmp/many.db" 10000 12 >/dev/null
	"$hotdrift" html --db "$tmp/many.db" -o "$tmp/many.html" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	page many
	picture html-many
	check "all of them are there" \
		'$("#range").textContent.startsWith("10,000 runs") &&
			$("#top-note").textContent.startsWith("10,000 commits")'
	check "but no more elements than with few" '$$("*").length < 3000 && $$("#top-table .row").length < 40'
	js 'window.tasks = []; new PerformanceObserver(l => l.getEntries().forEach(e => tasks.push(e.duration)))
		.observe({ type: "longtask" })' >/dev/null
	wait_js '(async () => {
		for (let i = 0; i < 40; i++) {
			const key = i < 3 ? "+" : i % 2 ? "." : ",";
			document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
			await new Promise(r => requestAnimationFrame(r));
		}
		done(); })()'
	js 'document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true }))' >/dev/null
	fill '#filter' 'change number 77'
	expect "found among them" "$(js 'return $("#top-note").textContent.split(" ")[1]')" commits
	fill '#filter' ''
	js '$("#top-table").scrollTop = 180000' >/dev/null
	settled
	check "the middle of the table is there" \
		'$$("#top-table .body .row").length > 10 &&
			+$$("#top-table .body .row")[0].getAttribute("aria-rowindex") > 4900'
	# The test does not check how smooth the movement is, because that depends on the machine;
	# tests/html/speed.sh measures it.
	check "nothing took seconds" 'tasks.every(t => t < 3000)'
}

test_the_history_is_printed_on_white_paper_of_its_width() {
	history
	page history
	js '$("#theme").textContent === "Dark" && $("#theme").click()' >/dev/null
	settle
	expect "before" "$(js 'return document.documentElement.dataset.theme')" dark
	js 'window.dispatchEvent(new Event("beforeprint"))' >/dev/null
	expect "theme" "$(js 'return document.documentElement.dataset.theme')" light
	expect "width of the paper" "$(js 'return $("main").clientWidth')" 718
	fits='c.getBoundingClientRect().right <= $("main").getBoundingClientRect().right'
	check "no chart and no flame graph is wider" "\$\$('#charts canvas, #flame-box canvas').every(c => $fits)"
	check "and the charts fill it" '$$("#charts .plot canvas").every(c => c.clientWidth > 600)'
	js 'window.dispatchEvent(new Event("afterprint"))' >/dev/null
	expect "afterwards" "$(js 'return document.documentElement.dataset.theme')" dark
	check "as wide as before" '$("main").clientWidth > 1000'
	check "the charts, too" '$$("#charts .plot canvas").every(c => c.clientWidth > 600)'
}

test_the_percentiles_of_latency_are_told_apart_in_one_panel() {
	history
	page history '#x=commit'
	panel='const p = $$("#charts .panel").find(p => p.querySelector("h3").textContent === "Latency");'
	colours="$panel return [...p.querySelectorAll('.values .dot')].map(d => getComputedStyle(d).backgroundColor)"
	legend="$panel return p.querySelector('.values').textContent.replace(/ [0-9.]+ ms/g, ' ')"
	expect "the legend" "$(js "$legend")" "p50 p95 p99 "
	light=$(js "$colours")
	expect "colours" "$(echo "$light" | jq 'unique | length')" 3
	js '$("#theme").click()' >/dev/null
	settle
	dark=$(js "$colours")
	expect "colours in the other theme" \
		"$(jq -n --argjson a "$light" --argjson b "$dark" '$a + $b | unique | length')" 6
	check "room for three lines" "(() => { $panel return p.querySelector('.plot').clientHeight >= 170; })()"
	labelled='const has = p => p.querySelectorAll(".dygraph-axis-label-x").length > 2;'
	expect "labels of the commits" \
		"$(js "$labelled return [0, -1].map(i => has(\$\$('#charts .panel').at(i))).join()")" "true,true"
}

test_a_function_whose_cost_per_unit_of_work_is_unchanged_is_not_drawn_as_faster() {
	for grown in 100 400; do
		printf 'app;main;%s\n' "parse $grown" 'decode 400' >"$tmp/run.folded"
		"$hotdrift" add "$tmp/run.folded" --db "$tmp/work.db" --target serve --commit none --work 10 \
			--recorded "2026-11-20T10:00:0${grown%00}Z" >/dev/null 2>&1
	done
	"$hotdrift" html --db "$tmp/work.db" -o "$tmp/work.html" 2>/dev/null
	page work
	focus '#flame-box'
	keys "$DOWN" "$DOWN" "$DOWN" "$DOWN"
	expect "costs of a unit of work" "$(js 'return $("#flame-say").textContent')" \
		"decode: 80.00 % of A, 50.00 % of B, −30.00 points, cost of a unit of work +0.0 %"
	expect "the colours of decode and parse" "$(js '
		const c = $("#flame-box canvas"), grey = getComputedStyle($$("#flame-key .swatch")[1]).backgroundColor,
			row = c.getContext("2d").getImageData(0, 3.5 * 20 * c.width / c.clientWidth, c.width, 1).data,
			at = x => [...row.slice(4 * Math.floor(x * c.width))].slice(0, 3);
		return [`rgb(${at(0.3).join(", ")})` === grey ? "grey" : at(0.3),
			at(0.9)[0] > at(0.9)[1] + 50 ? "red" : at(0.9)].join()')" grey,red
	picture html-difference-of-work
}
