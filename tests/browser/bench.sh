# shellcheck shell=sh
# bench.sh - test what a reader of the page of `bench --html` sees, and what the page must not do
#
# The bodies are JavaScript, so a $ in them is not expanded by the shell.
# shellcheck disable=SC2154,SC2016

# make_bench: make a page of two commands with their last stored runs, and one of a sweep, unless they exist
make_bench() {
	[ ! -f "$tmp/bench/sweep.html" ] || return 0
	mkdir -p "$tmp/bench"
	(
		cd "$tmp/bench" || exit
		"$hotdrift" bench -r 4 --add --commit none --db h.db --target app -- true -- sh -c : >/dev/null 2>&1
		"$hotdrift" bench -r 6 --last --db h.db --target app --throughput elements=10 --html two.html -- true \
			-- sh -c : >/dev/null
		"$hotdrift" bench -r 3 --sizes 1,30,900 --html sweep.html -- printf '<b>{size}</b>' >/dev/null
	)
}
bench_at() {
	visit "file://$tmp/bench/$1.html"
	check "the script has run" '$("html.ready")'
	settle
}

test_the_page_of_a_benchmark_is_complete_and_fetches_nothing() {
	make_bench
	complaints >/dev/null
	bench_at two
	picture bench-light
	expect "resources" "$(js 'return performance.getEntriesByType("resource").length')" 0
	check "a policy forbids it" \
		'$("meta[http-equiv=Content-Security-Policy]").content.startsWith("default-src \u0027none\u0027;")'
	expect "complaints" "$(complaints)" ""
	expect "violins" "$(js 'return $$(".violins .key b").map(e => e.textContent).join()')" \
		"last base,base,last head,head"
	expect "dots of the violins" \
		"$(js 'return $$(".violins .row").map(r => r.querySelectorAll(".dot").length).join()')" 4,6,4,6,0
	expect "dots of the order" "$(js 'return $$(".tall .dot").length')" 12
	check "each dot has its value" '$$(".dot title").every(t => /^run \d+: .+ (ns|µs|ms|s)$/.test(t.textContent))'
	check "dots are drawn round" '$$(".violins .dot").every(e => e.getBoundingClientRect().width < 20)'
	check "cards" '$$("#cards .card").length === 7'
}

test_the_sizes_of_a_sweep_can_be_opened() {
	make_bench
	bench_at sweep
	picture bench-sweep
	expect "dots of the curve" "$(js 'return $$("main > section .dot").length')" 3
	expect "the command" "$(js 'return $(".facts dd").textContent')" 'printf <b>{size}</b>'
	check "closed at first" '$$("details.session").length === 3 && $$("details[open]").length === 0'
	click 'return $("details.session summary")'
	settle
	check "its runs are shown" '$("details[open] .violin").getBoundingClientRect().height > 20'
}

test_the_page_of_a_benchmark_fits_a_desk_and_a_phone_in_light_and_dark() {
	make_bench
	faint='const lum = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255)
		.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const ratio = (a, b) => (Math.max(lum(a), lum(b)) + 0.05) / (Math.min(lum(a), lum(b)) + 0.05);
		const under = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
		if (!/, 0\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
		return $$("body *").filter(e => e.checkVisibility() && !e.closest("svg, script, style") &&
			[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
			.filter(e => ratio(getComputedStyle(e).color, under(e)) < 4.5).map(e => e.tagName + "." +
				e.className + " " + e.textContent.slice(0, 30)).slice(0, 5).join("; ")'
	for size in "1280 800" "1920 1080" "390 844"; do
		for page in two sweep; do
			# shellcheck disable=SC2086 # two numbers
			set -- $size
			screen "$1" "$2"
			bench_at "$page"
			check "nothing is wider" 'document.documentElement.scrollWidth <= innerWidth'
			expect "text that is too faint, light" "$(js "$faint")" ""
			keys d
			settle
			picture "bench-$page-$1-dark"
			expect "text that is too faint, dark" "$(js "$faint")" ""
			check "the button offers the way back" '$("#theme").textContent === "Light"'
		done
	done
	cdp Emulation.clearDeviceMetricsOverride
}
