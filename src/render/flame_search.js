/*
 * Search for names, and write the status line: the zoomed frame, and the share of it that matches the search.
 */
let badRegex = false;
function matcher(text) {
	badRegex = false;
	if (regex)
		try {
			return new RegExp(text, 'iu');
		} catch (e) {
			badRegex = true;
		}
	return new RegExp(text.replace(/[\\^$.*+?()[\]{}|\/]/g, '\\$&'), 'iu');
}
function search(text) {
	query = text;
	badRegex = false;
	order = [];
	const re = text ? matcher(text) : null;
	for (let i = 1; i < el.length; i++) {	/* skip the root "all", which is not a function */
		const hit = re !== null && re.test(name(i));
		if (hit !== matched[i]) {
			matched[i] = hit;
			if (el[i])
				el[i].classList.toggle('m', hit);
		}
		if (hit)
			order.push(i);
	}
	order.sort((a, b) => total[b] - total[a] || a - b);
	svg.classList.toggle('searching', text !== '');
	input.classList.toggle('bad', badRegex);
	if (input.value !== text)
		input.value = text;
	say();
}
/*
 * Return the weight of the matching frames within the frame `root`.  A matching frame that has a matching caller is not
 * counted, because the caller's weight includes it.
 */
function matchedWeight(root) {
	const covered = [];
	let sum = 0;
	for (let i = 0; i < el.length; i++) {
		covered[i] = parent[i] >= 0 && (covered[parent[i]] || matched[parent[i]]);
		if (!matched[i] || covered[i])
			continue;
		const from = Math.max(start[i], start[root]),
			to = Math.min(start[i] + total[i], start[root] + total[root]);
		sum += Math.max(to - from, 0);
	}
	return sum;
}
function nextMatch(step) {
	const visible = order.filter(i => shown[i]);
	if (!visible.length)
		return;
	const at = visible.indexOf(cursor);
	focusFrame(visible[at < 0 ? 0 : (at + step + visible.length) % visible.length]);
}

/* ---- the status line ---- */

function say() {
	const room = W - 2 * PAD - (floated && !narrow ? toolsWidth + 16 : 0);
	const put = (text, cls) => statusLine.append(cls === undefined ? document.createTextNode(text) :
		make(SVG, 'tspan', cls ? { class: cls } : {}, text));
	const sayZoom = () => {
		put('Zoomed into ');
		put(cut(name(zoom), Math.max(Math.floor(room / 7.2) - (query ? 85 : 40), 16)), '');
		put(`: ${weight(total[zoom])}, ${share(total[zoom], total[0])} of all`);
	};
	const sayMatches = () => {
		put(`${badRegex ? 'Not a regular expression, searched as ' +
			'text: ' : ''}${thousands(order.length, 0)} matched, `);
		put(share(matchedWeight(0), total[0]), 'hd-share');
		put(' of all');
		if (zoom) {
			put(', ');
			put(share(matchedWeight(zoom), total[zoom]), 'hd-share');
			put(' of zoomed');
		}
	};
	statusLine.replaceChildren();
	if (zoom)
		sayZoom();
	if (zoom && query)
		put('  \u00b7  ');
	if (query)
		sayMatches();
	if (!isDefault() && !query) {
		if (zoom)
			put('  \u00b7  ');
		put(viewText(), '');
	}
	if (zoom && query && statusLine.getComputedTextLength() > room) {
		statusLine.replaceChildren();
		sayMatches();
	}
	if (!zoom && !query && isDefault())
		put(cut(HINT, Math.floor(room / 7.2)));
	reset.disabled = !zoom && !query && isDefault();
}
