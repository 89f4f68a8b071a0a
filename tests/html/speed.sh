# shellcheck shell=sh
# speed.sh - measure how long the page of 10,000 runs takes to write, to open and to scroll
#
# Sourced by tests/run-browser.sh (make bench-html).  A step is measured from the key to the second frame after it, so
# that drawing is included.  A long task is one of at least 50 ms, as browsers define it.  RUNS= and SYMBOLS= set the
# size.  The bodies are JavaScript, so a $ in them is not expanded by the shell.
# shellcheck disable=SC2154

# steps WHAT KEY TIMES: press the key TIMES times, and print the durations
steps() {
	wait_js "const key = '$2', n = $3; (async () => {
		const tasks = [], all = [];
		const o = new PerformanceObserver(l => l.getEntries().forEach(e => tasks.push(e.duration)));
		o.observe({ type: 'longtask' });
		const frame = () => new Promise(r => requestAnimationFrame(r));
		for (let i = 0; i < n; i++) {
			await frame();
			const t = performance.now();
			document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
			await frame(); await frame(); all.push(performance.now() - t);
		}
		await new Promise(r => setTimeout(r, 400)); all.sort((a, b) => a - b);
		const longest = Math.max(0, ...tasks).toFixed(0);
		done(all[n >> 1].toFixed(0) + ' ms median, ' + all[n - 1].toFixed(0) + ' ms at most, ' +
			tasks.length + ' long tasks, the longest ' + longest + ' ms'); })()"
	tell "$(printf '%-36s %s' "$1" "$result")"
}

test_speed_of_the_page_of_many_runs() {
	HOTDRIFT="$hotdrift" "$top/tests/html/many.sh" "$tmp/many.db" "${RUNS:-10000}" "${SYMBOLS:-60}" >/dev/null
	tell "$(printf '%-36s %s' 'writing it' "$( { bash \
		-c 'TIMEFORMAT="%U s of CPU"; time "$0" html --db "$1" -o "$2" >/dev/null' "$hotdrift" "$tmp/many.db" \
		"$tmp/many.html"; } 2>&1)")"
	tell "$(printf '%-36s %s' 'its size' "$(wc -c <"$tmp/many.html") bytes")"
	visit "file://$tmp/many.html"
	settle
	tell "$(printf '%-36s %s' 'opening it, to the first drawing' \
		"$(js 'return performance.getEntriesByType("paint").filter(e => e.name === "first-contentful-paint")
		.map(e => e.startTime.toFixed(0) + " ms").join() || "not told"')")"
	steps 'zooming in' + 6
	steps 'zooming out' - 6
	steps 'half of it' + 1
	steps 'panning' . 20
	steps 'panning back' , 20
	js '$$(".symbols-head button").find(b => b.textContent === "All").click()' >/dev/null
	settle
	steps 'panning, all symbols' . 20
	steps 'by time and back' x 6
	steps 'light and dark' d 4
}
