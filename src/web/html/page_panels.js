/*
 * Show the panels of a lane, stacked on one axis: shares, verdicts of gate, latency, memory, energy, other series.
 */
const TITLES = { latency: 'Latency', memory: 'Memory', power: 'Energy and power', gpu: 'GPU', results: 'Results',
	other: 'Other measurements' };
let panels = [], strip = null;

const shown = () => {
	const columns = state.lane.shares.filter(c => !c.hidden);
	columns.focus = state.lane.shares.find(c => c.sym === state.focus && !c.hidden);
	return columns;
};

/* Group the columns of a kind by name and dimension, so that each axis has one unit. */
function seriesGroups(kind) {
	const groups = new Map();
	for (const c of state.lane.series)
		if (c.kind === kind) {
			const dim = (UNITS[c.unit] || [c.unit])[0], key = `${c.name} ${dim}`;
			if (!groups.has(key))
				groups.set(key, { key, name: c.name, unit: dim, columns: [] });
			groups.get(key).columns.push(c);
		}
	for (const g of groups.values())
		g.columns.forEach((c, i) => { c.colour = i; });
	return [...groups.values()];
}
/* Return the groups in order: the main series first, and joules before watts. */
function preferred(groups) {
	const rank = g => (g.columns[0].main ? 0 : 2) + (g.unit === 'joules' ? 0 : 1);
	return groups.slice().sort((a, b) => rank(a) - rank(b));
}

/* last: the panel is the lowest one, which repeats the labels of the common axis. */
function seriesPanel(parent, kind, last) {
	const groups = preferred(seriesGroups(kind));
	let chosen = groups[0];
	if (!chosen)
		return null;
	const panel = new Panel(parent, { title: TITLES[kind], cls: `series ${kind}`, columns: () => chosen.columns,
		axis: last, fromZero: false });
	if (groups.length > 1) {
		const select = make('select', { 'aria-label': `${TITLES[kind]}: which`, onchange: () => {
			chosen = groups[select.selectedIndex];
			panel.chart.destroy();
			panel.chart = null;
			panel.draw();
			panel.update(readoutSlot());
		} }, ...groups.map(g => make('option', {}, g.unit === 'joules' ? `energy (${g.name})` : g.name)));
		panel.node.firstChild.insertBefore(select, panel.values);
	} else {
		panel.node.firstChild.insertBefore(make('span', { class: 'mute name' }, chosen.name), panel.values);
	}
	return panel;
}

/* ---- verdicts, as ticks; if several share a pixel, the worst is visible ---- */

function makeStrip(parent) {
	if (!state.lane.verdicts.size)
		return null;
	const canvas = make('canvas', { height: 14 });
	const node =
		make('div', { class: 'panel strip' }, make('div', { class: 'panel-head' }, make('h3', {}, 'Verdicts'),
		make('span', { class: 'values' }, ...['FAIL', 'SHIFT', 'INCONCLUSIVE', 'PASS'].map(chip))), canvas);
	parent.append(node);
	return { canvas, node };
}
const verdictInk = word =>
	({ FAIL: ink.fail, SHIFT: ink.shift, INCONCLUSIVE: ink.unsure, PASS: ink.pass })[word] || ink.mute;
function drawStrip() {
	const canvas = strip.canvas, width = canvas.parentNode.clientWidth,
		ratio = window.devicePixelRatio || 1, x = places();
	const [from, to] = inRange(), span = width - Y_LABELS - RIGHT_GAP, at = [];
	canvas.width = width * ratio;
	canvas.height = 14 * ratio;
	const ctx = canvas.getContext('2d');
	ctx.scale(ratio, ratio);
	for (let i = from; i < to; i++)
		if (state.lane.worst[i] >= 0) {
			const px = Y_LABELS + Math.round((x[i] - state.from) / (state.to - state.from) * span);
			if (!(at[px] >= state.lane.worst[i]))
				at[px] = state.lane.worst[i];
		}
	const wide = to - from < span / 8 ? 6 : 3;
	at.forEach((worst, px) => {
		ctx.fillStyle = verdictInk(WORST[worst]);
		ctx.fillRect(px - wide / 2, worst === 4 ? 0 : 3, wide, worst === 4 ? 14 : 9);
	});
}

/* ---- all panels ---- */

const readoutSlot = () => state.cursor >= 0 ? state.cursor : state.lane.n - 1;

function buildPanels() {
	const parent = $('charts');
	panels.forEach(p => p.free());
	if (strip)
		strip.node.remove();
	panels = [];
	strip = null;
	if (!HAS_CHARTS) {
		parent.replaceChildren(make('p', { class: 'note' },
			'This page was made without a chart library, so it has no charts.  Install ' +
			'libjs-dygraphs, build hotdrift again, and write the page once more.'));
		return;
	}
	panels.push(new Panel(parent,
		{ title: 'Share of self cost', cls: 'shares', columns: shown, axis: true, fromZero: true }));
	strip = makeStrip(parent);
	const kinds = KINDS.filter(kind => state.lane.series.some(c => c.kind === kind));
	kinds.forEach((kind, i) => panels.push(seriesPanel(parent, kind, i === kinds.length - 1)));
	panels = panels.filter(Boolean);
	parent.append(cross);
}
function drawPanels() {
	panels.forEach(p => p.draw());
	if (strip)
		drawStrip();
	sayRange();
	drawCross();
}
function sayRange() {
	const [from, to] = inRange(), lane = state.lane;
	$('range').textContent = to > from ?
		`${count(to - from, 'run')}${to - from < lane.n ? ` of ${thousands(lane.n)}` : ''}, ` +
		`${day(lane, from)} to ${day(lane, to - 1)}` : 'no run in this range';
}
const updatePanels = () => panels.forEach((p, i) => i && p.update(readoutSlot()));

/* ---- the run under the cursor: a line through all panels, and a line of text ---- */

const cross = make('div', { class: 'cross', 'aria-hidden': 'true' });
function drawCross() {
	const x = places()[state.cursor], seen = panels.length && state.cursor >= 0 && x >= state.from && x <= state.to;
	cross.style.display = seen ? '' : 'none';
	if (!seen)
		return;
	const [left, width] = panels[0].area(), box = $('charts').getBoundingClientRect();
	cross.style.transform =
		`translateX(${(left - box.left + (x - state.from) / (state.to - state.from) * width).toFixed(1)}px)`;
}
function updateRun() {
	const lane = state.lane, slot = readoutSlot(), found = lane.verdicts.get(slot);
	const tree = treesHere().find(t => t.slot === slot);
	const mark = which => make('button',
		{ type: 'button', class: 'small', title: `Compare: this run is ${which.toUpperCase()} (${which})`,
		onclick: () => setPair(which, tree.number) }, `Set ${which.toUpperCase()}`);
	$('readout').replaceChildren(...[
		make('b', {}, state.cursor >= 0 ? '' : 'Latest  ', make('code', {}, commit(lane, slot))), ' ',
		make('span', { class: 'subject', title: subject(lane, slot) }, subject(lane, slot)),
		make('span', { class: 'mute' },
			`${when(lane, slot)}${branch(lane, slot) ? `  \u00b7  ${branch(lane, slot)}` : ''}  \u00b7  ` +
			`run ${slot + 1}`),
		status(lane, slot) === 'ok' ? null : make('span', { class: 'chip v-fail' }, status(lane, slot)),
		found ? chip(WORST[lane.worst[slot]] || found[0].verdict) : null,
		make('span', { class: 'grow' }), tree ? mark('a') : null, tree ? mark('b') : null].filter(Boolean));
}
