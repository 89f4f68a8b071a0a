# shellcheck shell=sh
# flame.sh - test what a reader of the flamegraph can do, and what the file must not do
#
# The weights of graph.folded add up to 1000: `app` has 990, `idle` 10.  `parse` has 650, of which `lex` has 400.
# `eval` occurs twice on one stack and has 170 in all.  The bodies are JavaScript, so a $ in them is not expanded by the
# shell.
# shellcheck disable=SC2154

test_the_picture_fills_the_window_and_follows_it() {
	draw graph
	window 1280 900
	open graph
	picture light
	check "the root spans the window" 'Math.abs(width("all") - (innerWidth - 20)) < 3'
	check "a share is a width" 'Math.abs(width("parse") / width("all") - 0.65) < 0.005'
	window 700 900
	picture narrow
	check "the root spans the narrow window" 'Math.abs(width("all") - (innerWidth - 20)) < 3'
	check "nothing is wider than the window" 'document.documentElement.scrollWidth <= innerWidth'
	check "names end inside their frames" \
		'$$(".r > g").filter(g => g.querySelector("text") && g.style.display === "").every(g =>
		g.querySelector("text").getBBox().x + g.querySelector("text").getBBox().width <=
		+g.querySelector("rect").getAttribute("x") + +g.querySelector("rect").getAttribute("width") + 1)'
	window 1280 900
	check "the root is wide again" 'Math.abs(width("all") - (innerWidth - 20)) < 3'
}

test_nothing_is_fetched_and_nothing_is_linked() {
	draw graph
	open graph
	expect "resources" "$(js 'return performance.getEntriesByType("resource").length')" 0
	expect "links" "$(js 'return $$("a, image, use, [href], [src]").length')" 0
}

test_a_click_zooms_and_keeps_the_callers_in_sight() {
	draw graph
	open graph
	before=$(js 'return width("lex")')
	click 'return frame("parse").querySelector("rect")'
	picture zoomed
	check "the frame is as wide as the root was" 'Math.abs(width("parse") - (innerWidth - 20)) < 3'
	check "so are its callers, faded" \
		'["all", "app", "main"].every(n => Math.abs(width(n) - width("parse")) < 1 &&
			frame(n).matches(".fade"))'
	check "what it calls grows with it" \
		"width('lex') > 1.4 * $before && Math.abs(width('lex') / width('parse') - 400 / 650) < 0.005"
	check "the rest is gone" '["eval", "idle", "read"].every(hidden) && !hidden("lex")'
	expect "the status" "$(js 'return status()')" "Zoomed into parse: 650 samples, 65.00% of all"
	click 'return frame("main").querySelector("rect")'
	check "a click on a caller zooms out to it" \
		'!hidden("eval") && hidden("idle") && Math.abs(width("main") - (innerWidth - 20)) < 3'
	click 'return $$(".hd-bar button").find(b => b.textContent === "Reset")'
	check "reset shows everything" \
		'!hidden("idle") && !$(".fade") && Math.abs(width("app") / width("all") - 0.99) < 0.005'
	check "and has nothing to do then" '$$(".hd-bar button").find(b => b.textContent === "Reset").disabled'
}

test_search_marks_the_matches_and_says_their_share() {
	draw graph
	open graph
	keys /
	type_text LEX
	picture searched
	check "the box has the focus and the text" \
		'document.activeElement === $(".hd-bar input") && $(".hd-bar input").value === "LEX"'
	expect "matches" "$(js 'return $$(".m").length')" 1
	expect "the status" "$(js 'return status()')" "1 matched, 40.00% of all"
	check "a match looks like no other frame" \
		'getComputedStyle(rect("lex")).fill !== getComputedStyle(rect("parse")).fill'
	check "the others step back" \
		'+getComputedStyle(rect("parse")).opacity < 1 && +getComputedStyle(rect("lex")).opacity === 1'
	keys "$ESC"
	check "Esc ends the search" \
		'$$(".m").length === 0 && $(".hd-bar input").value === "" && document.activeElement.closest(".r")'
}

test_the_share_counts_recursion_once_and_knows_the_zoom() {
	draw graph
	open graph
	keys /
	type_text eval
	expect "both frames, once" "$(js 'return status()')" "2 matched, 17.00% of all"
	keys "$ENTER"
	check "Enter goes to the widest match" 'document.activeElement === frame("eval")'
	click 'return $$(".hd-bar input")[0]'
	keys "$ESC" /
	type_text lex
	click 'return frame("parse").querySelector("rect")'
	expect "of all and of zoomed" "$(js 'return status()')" \
		"Zoomed into parse: 650 samples, 65.00% of all  ·  1 matched, 40.00% of all, 61.54% of zoomed"
}

test_what_is_searched_is_text_unless_asked_otherwise() {
	draw graph
	open graph
	keys /
	type_text 'a+b(c)*'
	expect "signs are signs" \
		"$(js 'return $$(".m").map(g => g.querySelector("title").textContent.split("\n")[0]).join()')" "a+b(c)*"
	keys "$ESC" /
	type_text '^(lex|wait)$'
	expect "no expression" "$(js 'return $$(".m").length')" 0
	click 'return $$(".hd-bar button").find(b => b.textContent === ".*")'
	expect "an expression" "$(js 'return $$(".m").length')" 2
	expect "the button says so" \
		"$(js 'return $$(".hd-bar button").find(b => b.textContent === ".*").getAttribute("aria-pressed")')" \
		true
	click 'return $(".hd-bar input")'
	keys "$ESC" /
	type_text 'b(c'
	check "a broken one is text again" \
		'$$(".m").length === 1 && status().startsWith("Not a regular expression") && $("input.bad")'
}

test_the_keyboard_reaches_every_frame() {
	draw graph
	open graph
	keys "$UP"
	check "the first arrow goes to the root" 'document.activeElement === frame("all")'
	keys "$UP" "$UP" "$UP"
	check "up goes to the costliest callee" 'document.activeElement === frame("parse")'
	picture focus
	check "the focus is seen" \
		'$(".hd-ring").style.display === "" &&
			$(".hd-ring").getAttribute("width") === rect("parse").getAttribute("width")'
	check "and described" '$(".hd-card").textContent.includes("parse") && $(".hd-float").style.display === ""'
	keys "$LEFT"
	check "left goes to the neighbour" 'document.activeElement === frame("eval")'
	keys "$RIGHT" "$ENTER"
	check "Enter zooms" 'frame("main").matches(".fade") && document.activeElement === frame("parse")'
	keys "$DOWN"
	check "down goes to the caller" 'document.activeElement === frame("main")'
	keys "$ESC"
	check "Esc resets" '!$(".fade") && status().startsWith("Click a frame")'
	expect "frames in the tab order" "$(js 'return $$(".r > g[tabindex=\"0\"]").length')" 1
	chord "$CTRL" f
	check "Ctrl-F searches here" 'document.activeElement === $(".hd-bar input")'
}

test_the_picture_turns_upside_down() {
	draw graph
	open graph
	y='const y = n => frame(n).getBoundingClientRect().top;'
	expect "flames grow upwards" "$(js "$y return y('all') > y('main') && y('main') > y('lex')")" true
	click 'return $$(".hd-bar button").find(b => b.textContent === "Icicle")'
	picture icicle
	expect "icicles hang" "$(js "$y return y('all') < y('main') && y('main') < y('lex')")" true
	keys "$DOWN" "$DOWN"
	check "the arrows have turned too" 'document.activeElement === frame("app")'
	draw graph --icicle
	open graph
	expect "the option says the same" "$(js "$y return y('all') < y('lex')")" true
}

test_light_and_dark_by_preference_and_by_button() {
	draw graph
	open graph
	paper='return getComputedStyle($(".hd-paper")).fill'
	light=$(js "$paper")
	user=$(js 'return getComputedStyle(rect("main")).fill')
	click 'return $$(".hd-bar button").find(b => b.textContent === "Dark")'
	picture dark
	dark=$(js "$paper")
	[ "$light" != "$dark" ] || expect "the paper" "$dark" "not $light"
	[ "$user" != "$(js 'return getComputedStyle(rect("main")).fill')" ] ||
		expect "a frame" "$user" "another colour in the dark"
	check "the button offers the way back" '$$(".hd-bar button").some(b => b.textContent === "Light")'
	keys d
	expect "light again" "$(js "$paper")" "$light"
	prefer_dark
	open graph
	expect "a reader who prefers dark" "$(js "$paper")" "$dark"
	cdp Emulation.setEmulatedMedia '{"features": []}'
}

test_every_name_can_be_read_on_every_paper() {
	draw graph
	open graph
	contrast='const lum = c => { const [r, g, b] = c.match(/\d+/g).map(v => v / 255)
		.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const ratio = (a, b) => (Math.max(lum(a), lum(b)) + 0.05) / (Math.min(lum(a), lum(b)) + 0.05);
		const fill = e => getComputedStyle(e).fill;
		const worst = Math.min(...$$(".r text")
			.map(t => ratio(fill(t), fill(t.parentNode.querySelector("rect")))),
			...$$(".hd-title, .hd-sub, .hd-note, .hd-key text, .hd-status").map(t =>
				ratio(fill(t), fill($(".hd-paper")))));
		return worst >= 4.5'
	expect "light" "$(js "$contrast")" true
	keys d
	expect "dark" "$(js "$contrast")" true
	keys /
	type_text e
	expect "dark, with matches" "$(js "$contrast")" true
	keys "$ESC" d /
	type_text e
	expect "light, with matches" "$(js "$contrast")" true
}

test_the_pointer_shows_the_whole_name_and_the_numbers() {
	draw graph
	open graph
	at=$(js 'const b = rect("lex").getBoundingClientRect();
		return Math.round(b.left + b.width / 2) + " " + Math.round(b.top + 8)')
	pointer "${at% *}" "${at#* }"
	picture card
	expect "the name" "$(js 'return $(".hd-card b").textContent')" lex
	expect "total and self" "$(js 'return $$(".hd-card tr").map(r => r.textContent).join("|")')" \
		"weightof allof caller|total400 samples40.00%61.54%|self100 samples10.00%15.38%"
	check "the card is in the window" \
		'(b => b.left >= 0 && b.right <= innerWidth && b.bottom <= innerHeight &&
			b.width > 60)($(".hd-card").getBoundingClientRect())'
	pointer 2 2
	check "it goes away" \
		'$(".hd-float").style.display === "none" &&
			$$(".r > g").every(g => g.firstElementChild.localName === "title")'
}

test_the_address_keeps_zoom_and_search() {
	draw graph
	open graph
	click 'return frame("parse").querySelector("rect")'
	keys /
	type_text lex
	hash=$(js 'return location.hash')
	open graph "$hash"
	check "zoomed and searched as before" \
		'frame("main").matches(".fade") && hidden("idle") && $$(".m").length === 1'
	open graph '#x=99999.99999&s=%zz&o=sideways'
	check "a broken address is a fresh page" '!$(".fade") && $$(".m").length === 0'
	open graph
	click 'return frame("parse").querySelector("rect")'
	wd back '{}'
	settle
	check "back zooms out" '!$(".fade") && !hidden("idle")'
}

test_a_tall_picture_shows_its_root_and_its_tools() {
	awk 'BEGIN { s = "app"; for (i = 0; i < 120; i++) s = s ";f" i; print s, 7 }' >"$tmp/tall.folded"
	"$hotdrift" flame "$tmp/tall.folded" -o "$tmp/tall.svg"
	open tall
	settle
	picture tall
	check "the root is in sight" 'frame("all").getBoundingClientRect().bottom <= innerHeight'
	check "so are the title" \
		'(b => b.top >= 0 && b.bottom < 46)($(".hd-strip").getBoundingClientRect()) &&
			$(".hd-strip").textContent.startsWith("tall.folded")'
	check "and the search box" \
		'$(".hd-bar input").getBoundingClientRect().top >= 0 &&
			$(".hd-bar input").getBoundingClientRect().bottom < 60'
	keys "$UP" i
	settle
	check "and the root when it hangs" 'frame("all").getBoundingClientRect().top >= 0 && scrollY === 0'
	click 'return $(".hd-bar input")'
	type_text f119
	keys "$ENTER"
	settle
	check "a match far away is scrolled to" \
		'(b => b.top >= 46 && b.bottom <= innerHeight)(frame("f119").getBoundingClientRect())'
}

test_several_pictures_live_on_one_page() {
	draw graph
	draw harmless --icicle
	{
		echo '<!doctype html><meta charset="utf-8"><title>two</title><style>'
		sed -n '/^<style>/,/<\/style>$/p' "$tmp/graph.svg" | sed '1d;$d'
		echo '</style><h1>Two</h1><div style="width:700px">'
		sed -e 1d -e '/^<style>/,/<\/style>$/d' -e '/^<script>/,/<\/script>$/d' "$tmp/graph.svg"
		echo '</div>'
		sed -e 1d -e '/^<style>/,/<\/style>$/d' -e '/^<script>/,/<\/script>$/d' "$tmp/harmless.svg"
		echo '<script>'
		sed -n '/^<script>/,/<\/script>$/p' "$tmp/graph.svg" | sed '1d;$d'
		echo '</script>'
	} >"$tmp/two.html"
	visit "file://$tmp/two.html"
	expect "pictures with a script" "$(js 'return $$("svg.hd-ready").length')" 2
	check "each has its own width" 'Math.abs(width("main") / 0.97 - 680) < 15 && width("F") > 400'
	click 'return frame("parse").querySelector("rect")'
	picture page
	check "one zooms, the other stays" \
		'frame("main").matches(".fade") && $$("svg")[1].querySelectorAll(".fade").length === 0'
	keys "$ESC"
	check "its keys are its own" 'status().startsWith("Zoomed")'
	click 'return $(".hd-bar input")'
	type_text lex
	check "one searches" \
		'$$("svg")[0].querySelectorAll(".m").length === 1 && $$("svg")[1].matches(":not(.searching)")'
}

test_hostile_names_are_text_and_nothing_else() {
	draw harmless
	draw hostile
	open harmless
	count='return [...new Set($$("*").map(e => e.localName))].sort().map(n => n + $$(n).length).join()'
	want=$(js "$count")
	open hostile
	picture hostile
	expect "elements" "$(js "$count")" "$want"
	expect "names" "$(js 'return $$(".r > g > title").map(t => t.textContent.split("\n")[0]).join("\n")')" 'all
<b>
"onload="alert(1)
&lt;img src=x onerror=window.pwned=1&gt;
javascript:window.pwned=1
\u{202e}evil\x0a\xff\\
日本語 naïve 🙂
</title></text><script>window.pwned=1</script>
]]><!--<svg onload=window.pwned=1>'
	keys "$UP" "$UP" "$UP" "$UP"
	expect "on the card" "$(js 'return $(".hd-card b").textContent')" \
		'</title></text><script>window.pwned=1</script>'
	keys "$ENTER" /
	type_text '<script>'
	check "searched" '$$(".m").length === 1'
	open hostile '#s=%3C%2Fscript%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E'
	check "nothing ran" 'window.pwned === undefined'
	expect "elements, used" "$(js 'return $$("script").length + " " + $$("svg").length')" "1 1"
}

test_views_reverse_merge_sort_and_go_back() {
	draw graph
	open graph
	keys r
	picture reversed
	check "callees come first" '$$(".r")[1].textContent.includes("lex") && frame("lex").parentNode === $$(".r")[1]'
	check "the whole stays" 'Math.abs(width("all") - (innerWidth - 20)) < 3 && status().includes("reversed")'
	expect "the share of self cost" "$(js 'return Math.round(width("wait") / width("all") * 1000)')" \
		"$(awk '$0 ~ /wait [0-9]+$/ { n += $NF } END { print n }' "$top/tests/browser/graph.folded")"
	keys r t
	check "without threads, main is below the root" 'frame("main").parentNode === $$(".r")[1] && !frame("app")'
	keys t w
	check "sorted by width" '$$(".r")[1].querySelector("title").textContent.startsWith("app")'
	hash=$(js 'return location.hash')
	expect "the address" "$hash" "#v=w"
	open graph '#v=rt'
	check "the address has the view" 'status().includes("reversed, threads merged")'
	keys "$ESC"
	check "Esc resets" 'status().startsWith("Click a frame") && frame("app").parentNode === $$(".r")[1]'
}

test_functions_are_focused_excluded_and_hidden_with_undo() {
	draw graph
	open graph
	click 'return frame("parse").querySelector("rect")'
	keys "$ESC" f
	check "only stacks with parse" 'frame("parse") && !frame("idle") && status().includes("only parse")'
	check "they are the whole" 'Math.abs(width("parse") - width("all")) < 2 && status().includes("65.00% of all")'
	keys u
	check "undone" '!!frame("idle")'
	click 'return frame("parse").querySelector("rect")'
	keys "$ESC" x
	check "no stacks with parse" '!frame("parse") && !!frame("idle") && status().includes("without parse")'
	keys u
	click 'return frame("parse").querySelector("rect")'
	keys "$ESC" h
	check "lex is called by the caller of parse" \
		'!frame("parse") && frame("lex").parentNode === frame("main").parentNode.nextElementSibling'
	check "no weight is lost" 'Math.abs(width("lex") / width("all") - 0.4) < 0.005'
}

test_the_panels_open_act_and_close() {
	draw graph
	open graph
	keys '?'
	picture help
	check "the sheet names the keys" \
		'$(".hd-sheet").textContent.includes("reverse") && $(".hd-panel").style.display === ""'
	keys "$ESC"
	check "Esc closes it" '$(".hd-panel").style.display === "none"'
	click 'return $$(".hd-bar button").find(b => b.textContent === "View")'
	picture view
	click 'return $$(".hd-settings button").find(b => b.textContent === "Reverse")'
	check "a button is pressed" \
		'$$(".hd-settings button").find(b => b.textContent === "Reverse")
			.getAttribute("aria-pressed") === "true" && status().includes("reversed")'
	window 390 844
	picture phone
	check "all of it fits a phone" \
		'(b => b.left >= 0 && b.right <= innerWidth)($(".hd-settings").getBoundingClientRect()) &&
			document.documentElement.scrollWidth <= innerWidth'
	window 1280 900
}

test_what_is_summed_up_appears_when_zoomed() {
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "app;main;f%04d 1\n", i; print "app;rest 4000000" }' \
		>"$tmp/many.folded"
	"$hotdrift" flame "$tmp/many.folded" -o "$tmp/many.svg"
	grep -q '4,000 narrower frames' "$tmp/many.svg"
	open many
	await "all frames are there" '$(".hd-complete")'
	click 'return frame("main").querySelector("rect")'
	check "its callees are drawn" '$$(".r > g").filter(g => g.style.display !== "none" &&
		/^f\d/.test(g.querySelector("title").textContent)).length === 4000'
}

test_a_difference_shows_both_sides() {
	printf 'serve;main;read_row 300\nserve;main;decode 400\nserve;main;emit 300\nserve;main;old 100\n' \
		>"$tmp/before.folded"
	printf 'serve;main;read_row.isra.0 700\nserve;main;decode 200\nserve;main;emit 290\n' >"$tmp/after.folded"
	"$hotdrift" flame --base "$tmp/before.folded" "$tmp/after.folded" -o "$tmp/change.svg"
	open change
	picture change
	check "what vanished is drawn" 'frame("old") && width("old") > 30 && rect("old").getAttribute("class") === "v0"'
	at=$(js 'const b = frame("read_row.isra.0").getBoundingClientRect();
		return Math.round(b.left + 20) + " " + Math.round(b.top + 8)')
	pointer "${at% *}" "${at#* }"
	picture changecard
	check "the card has both names and numbers" \
		'(t => t.includes("read_row.isra.0") && t.includes("in the base: read_row") && t.includes("700") &&
			t.includes("300"))($(".hd-card").textContent)'
	keys r
	check "a reversed difference keeps its colours" \
		'rect("read_row.isra.0").getAttribute("class")[0] === "r" &&
			rect("emit").getAttribute("class") === "z0"'
}
