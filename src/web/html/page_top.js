/*
 * The top five of every commit, newest first, with arrows for moves since the previous commit.  Only visible rows have
 * elements.  For a commit with several runs, shares are means.
 */
const ROW_PX = 36, ROWS_SPARE = 4, ROWS_PRINTED = 60;
let topRows = [], topHead = null, topBody = null, topActive = -1, topDrawn = '';

function topOf(group) {
	if (group.top)
		return group.top;
	const lane = state.lane, n = group.to - group.from, sums = new Map();
	for (let i = group.from; i < group.to; i++)
		for (let k = 0; k < 5; k++) {
			const sym = lane.top[i * 10 + 2 * k];
			if (sym >= 0 && !sums.has(sym))
				sums.set(sym, 0);
		}
	for (const sym of sums.keys()) {
		const col = lane.columnOf.get(sym);
		let sum = 0;
		for (let i = group.from; i < group.to; i++)
			if (col)
				sum += col.v[i];
			else
				for (let k = 0; k < 5; k++)
					if (lane.top[i * 10 + 2 * k] === sym)
						sum += lane.top[i * 10 + 2 * k + 1] / 1000;
		sums.set(sym, sum / n);
	}
	group.top = [...sums].sort((a, b) => b[1] - a[1] || (symbolName(a[0]) < symbolName(b[0]) ? -1 : 1)).slice(0, 5);
	return group.top;
}
function haystack(group) {
	const lane = state.lane, slot = group.to - 1;
	if (group.hay === undefined)
		group.hay = [raw.runs.commit[lane.run[slot]], raw.runs.subject[lane.run[slot]],
			raw.runs.branch[lane.run[slot]], raw.runs.id[lane.run[slot]],
			raw.runs.t[lane.run[slot]], raw.runs.status[lane.run[slot]]].map(text).concat(topOf(group)
				.map(([s]) => symbolName(s))).join('\n').toLowerCase();
	return group.hay;
}
function groupVerdict(group) {
	let worst = -1;
	for (let i = group.from; i < group.to; i++)
		worst = Math.max(worst, state.lane.worst[i]);
	return worst >= 0 ? chip(WORST[worst]) : null;
}

/* ---- a row ---- */

function arrow(sym, rank, before) {
	if (!before)
		return null;
	const was = before.findIndex(([s]) => s === sym);
	if (was < 0)
		return make('span', { class: 'arrow more', title: 'not among the five of the commit before' }, 'new');
	if (was === rank)
		return null;
	return make('span', { class: `arrow ${was > rank ? 'more' : 'less'}`, title: `${was + 1} before` },
		`${was > rank ? '\u25b2' : '\u25bc'}${Math.abs(was - rank)}`);
}
function topCell(entry, rank, before) {
	if (!entry)
		return make('span', { role: 'cell' });
	const [sym, pct] = entry, col = state.lane.columnOf.get(sym), old = before && before.find(([s]) => s === sym);
	return make('span', { role: 'cell', class: 'spot', title: `${symbolName(sym)}\n${symbolObject(sym)}\n${percent(
		pct)}${old ? `, ${percent(old[1])} before` : ''}` },
		make('i', { class: 'swatch', style: col ? `background:${colourOf(col)}` : 'visibility:hidden' }),
		make('code', {}, symbolName(sym)), make('span', { class: 'num' }, `${pct.toFixed(1)} %`),
		arrow(sym, rank, before));
}
function topRow(at) {
	const lane = state.lane, number = topRows[at], group = lane.commits[number], slot = group.to - 1,
		n = group.to - group.from;
	const top = topOf(group), before = number ? topOf(lane.commits[number - 1]) : null;
	const node = make('div', { role: 'row', 'aria-rowindex': at + 2,
		class: `row${at === topActive ? ' active' : ''}`, style: `top:${at * ROW_PX}px`,
		onclick: () => activate(at, true) },
		make('span', { role: 'cell', class: 'mute' }, day(lane, slot)),
		make('span', { role: 'cell' }, make('code', {}, commit(lane, slot))),
		make('span', { role: 'cell', class: 'subject', title: subject(lane, slot) },
			n > 1 ? make('span', { class: 'mute' }, `${n}\u00d7 `) : null, subject(lane, slot)),
		make('span', { role: 'cell' }, status(lane, slot) === 'ok' ? groupVerdict(group) :
			make('span', { class: 'chip v-fail' }, status(lane, slot))));
	for (let k = 0; k < 5; k++)
		node.append(topCell(top[k], k, before));
	return node;
}

/* ---- visible rows ---- */

/* The browser prints only rows that have elements, so those of the first ROWS_PRINTED are drawn for paper. */
function drawTop(force) {
	const box = $('top-table'), end = (box.scrollTop + box.clientHeight) / ROW_PX;
	const from = printing ? 0 : Math.max(0, Math.floor(box.scrollTop / ROW_PX) - ROWS_SPARE);
	const to = Math.min(topRows.length, printing ? ROWS_PRINTED : Math.ceil(end) + ROWS_SPARE),
		drawn = `${from} ${to}`;
	if (!force && drawn === topDrawn)
		return;
	topDrawn = drawn;
	const rows = [];
	for (let i = from; i < to; i++)
		rows.push(topRow(i));
	topBody.replaceChildren(...rows);
}
function buildTop() {
	const names = ['when', 'commit', 'subject', 'verdict', '1', '2', '3', '4', '5'];
	topHead = make('div', { role: 'row', class: 'row head-row', 'aria-rowindex': 1 },
		...names.map(n => make('span', { role: 'columnheader' }, n)));
	topBody = make('div', { role: 'rowgroup', class: 'body' });
	$('top-table')
		.replaceChildren(make('div', { role: 'table', class: 'grid', 'aria-label': 'Top five by commit' },
		make('div', { role: 'rowgroup', class: 'sticky' }, topHead), topBody));
	showTop();
}
function showTop() {
	const lane = state.lane, [from, to] = inRange(), needle = state.filter.toLowerCase();
	topRows = [];
	for (let i = lane.commits.length - 1; i >= 0; i--) {
		const g = lane.commits[i];
		if (g.to > from && g.from < to && (!needle || haystack(g).includes(needle)))
			topRows.push(i);
	}
	topActive = -1;
	topBody.style.height = `${topRows.length * ROW_PX}px`;
	topBody.parentNode.setAttribute('aria-rowcount', topRows.length + 1);
	$('top-table').style.height = `${Math.min(topRows.length + 1, 13) * ROW_PX + 2}px`;
	$('top-note').textContent = topRows.length ? `${count(topRows.length, 'commit')} in this ` +
		`range${needle ? ' and filter' : ''}, the newest first; arrows compare with the commit before` :
		'No commit in this range matches the filter.';
	drawTop(true);
}
function activate(at, show) {
	topActive = Math.min(Math.max(at, 0), topRows.length - 1);
	const box = $('top-table'), y = topActive * ROW_PX;
	if (y < box.scrollTop)
		box.scrollTop = y;
	else if (y + 2 * ROW_PX > box.scrollTop + box.clientHeight)
		box.scrollTop = y + 2 * ROW_PX - box.clientHeight;
	if (show) {
		held = true;
		setCursor(state.lane.commits[topRows[topActive]].to - 1, true);
	}
	drawTop(true);
}
function initTop() {
	const box = $('top-table');
	box.addEventListener('scroll', () => requestAnimationFrame(() => drawTop()), { passive: true });
	box.addEventListener('keydown', e => {
		const by =
			{ ArrowDown: 1, ArrowUp: -1, PageDown: 11, PageUp: -11, Home: -Infinity, End: Infinity }[e.key];
		if (by) {
			e.preventDefault();
			activate(topActive + by, false);
		} else if (e.key === 'Enter' && topActive >= 0) {
			activate(topActive, true);
		}
	});
	window.addEventListener('beforeprint', () => {
		box.scrollTop = 0;
		drawTop(true);
	});
	window.addEventListener('afterprint', () => drawTop(true));
}
