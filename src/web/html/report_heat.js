/*
 * The heat map: a column is a period of time, and its cells, from top to bottom, are equal fractions of the period.
 * The colour of a cell is the weight of the samples of the selected threads in it.  Periodic work shows as lines that a
 * timeline cannot resolve.  Dragging selects the time from one cell to another.
 */
const HEAT_ROWS = 50, HEAT_PX = 5,
	HEAT_PERIODS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 10, 60, 600, 3600], HEAT_LEFT = 46;
let heat = null, heatCanvas = null, heatDrag = null, heatHover = -1;

/*
 * Sum up the cells.  Returns { period: that of a column in ticks, columns: their number, first: start of the first
 * column in periods, values: by cell, most: the largest value, seconds: the period in seconds }.
 */
function sumHeat(width) {
	const e = event(), t = e.time, [a, b] = windowNow(), most = Math.max(10, Math.floor((width - HEAT_LEFT) / 8));
	const s = HEAT_PERIODS.find(p => seconds(b - a) / p <= most) || seconds(b - a) / most,
		period = s * 1e9 / e.clock, first = Math.floor(a / period);
	const columns = Math.max(1, Math.ceil(b / period) - first), values = new Float64Array(columns * HEAT_ROWS),
		on = totals().on;
	for (let i = firstAt(t.tick, first * period), end = firstAt(t.tick, (first + columns) * period); i < end; i++)
		if (on[e.row.thread[t.row[i]]])
			values[Math.min(values.length - 1,
				Math.floor((t.tick[i] - first * period) / period * HEAT_ROWS))] += t.weight[i];
	return { period, columns, first, values, most: values.reduce((m, v) => Math.max(m, v), 0), seconds: s };
}
const heatWidth = () => Math.min(24, (heatCanvas.clientWidth - HEAT_LEFT) / heat.columns);
const cellTick = cell => Math.round((heat.first + cell / HEAT_ROWS) * heat.period);
function cellAt(e) {
	const column = Math.min(Math.max(Math.floor((e.offsetX - HEAT_LEFT) / heatWidth()), 0), heat.columns - 1),
		row = Math.min(Math.max(Math.floor((e.offsetY - AXIS_PX) / HEAT_PX), 0), HEAT_ROWS - 1);
	return column * HEAT_ROWS + row;
}
/* Return the colour for part 0..1 of the scale, interpolated between the colours of the style sheet. */
function heatInk(part) {
	const at = Math.min(part, 1) * (ink.heat.length - 1),
		k = Math.min(Math.floor(at), ink.heat.length - 2), mix = at - k;
	return `rgb(${ink.heat[k].map((v, i) => Math.round(v + (ink.heat[k + 1][i] - v) * mix)).join()})`;
}
function buildHeat() {
	heatCanvas = make('canvas',
		{ id: 'heat-canvas', tabindex: 0, role: 'application', 'aria-roledescription': 'heat map',
		'aria-label': 'Samples within each period. Left and right move the selected range, with Shift they ' +
			'change its length, Escape removes it.' });
	$('heat').replaceChildren(heatCanvas, make('p', { id: 'heat-say', class: 'mute' }));
	const c = heatCanvas;
	c.addEventListener('pointerdown', e => {
		if (e.button)
			return;
		heatDrag = { from: cellAt(e), moved: false };
		c.setPointerCapture(e.pointerId);
	});
	c.addEventListener('pointermove', e => {
		const at = cellAt(e);
		heatHover = at;
		if (heatDrag && (heatDrag.moved || at !== heatDrag.from)) {
			selectCells(heatDrag.from, at, !heatDrag.moved);
			heatDrag.moved = true;
		}
		sayHeat();
	});
	c.addEventListener('pointerup', e => {
		if (heatDrag)
			selectCells(heatDrag.from, cellAt(e), !heatDrag.moved);
		heatDrag = null;
	});
	c.addEventListener('pointercancel', () => { heatDrag = null; });
	c.addEventListener('pointerleave', () => { heatHover = -1; sayHeat(); });
	c.addEventListener('keydown', onTimeKey);
	new ResizeObserver(() => drawHeat()).observe(c);
}
const selectCells = (a, b, step) => setRange([cellTick(Math.min(a, b)), cellTick(Math.max(a, b) + 1)], step);
function drawHeat() {
	if (!event().time || !state.heat || !heatCanvas || !heatCanvas.clientWidth)
		return;
	const width = heatCanvas.clientWidth, height = AXIS_PX + HEAT_ROWS * HEAT_PX + 1,
		ctx = sizeCanvas(heatCanvas, width, height);
	heat = sumHeat(width);
	const w = heatWidth();
	ctx.fillStyle = heatInk(0);
	ctx.fillRect(HEAT_LEFT, AXIS_PX, w * heat.columns, HEAT_ROWS * HEAT_PX);
	for (let i = 0; i < heat.values.length; i++)
		if (heat.values[i]) {
			ctx.fillStyle = heatInk(0.12 + 0.88 * heat.values[i] / heat.most);
			ctx.fillRect(HEAT_LEFT + Math.floor(i / HEAT_ROWS) * w, AXIS_PX + i % HEAT_ROWS * HEAT_PX,
				Math.max(w - (w > 5 ? 1 : 0), 0.5), HEAT_PX - 1);
		}
	ctx.font = '11.5px system-ui, sans-serif';
	ctx.fillStyle = ink.mute;
	for (const part of [0, 0.5, 1])
		ctx.fillText(amount(part * heat.seconds * 1e9, 'ns'), 0,
			AXIS_PX + 9 + part * (HEAT_ROWS * HEAT_PX - 9));
	const every = Math.max(1, Math.ceil(70 / w));
	for (let c = 0; c < heat.columns; c += every)
		ctx.fillText(clockText((heat.first + c) * heat.seconds, heat.seconds), HEAT_LEFT + c * w, AXIS_PX - 7);
	if (state.range)
		outlineCells(ctx, w);
	sayHeat();
}
/* Dim what is not selected. */
function outlineCells(ctx, w) {
	ctx.globalAlpha = 0.72;
	ctx.fillStyle = ink.paper;
	const cellOf = tick => (tick / heat.period - heat.first) * HEAT_ROWS, from = cellOf(state.range[0]),
		to = cellOf(state.range[1]);
	for (let c = 0; c < heat.columns; c++) {
		const a = Math.min(Math.max(from - c * HEAT_ROWS, 0), HEAT_ROWS),
			b = Math.min(Math.max(to - c * HEAT_ROWS, 0), HEAT_ROWS);
		if (b <= a) {
			ctx.fillRect(HEAT_LEFT + c * w, AXIS_PX, w, HEAT_ROWS * HEAT_PX);
			continue;
		}
		ctx.fillRect(HEAT_LEFT + c * w, AXIS_PX, w, a * HEAT_PX);
		ctx.fillRect(HEAT_LEFT + c * w, AXIS_PX + b * HEAT_PX, w, (HEAT_ROWS - b) * HEAT_PX);
	}
	ctx.globalAlpha = 1;
}
function sayHeat() {
	if (!heat)
		return;
	const part = spanText(heat.period / HEAT_ROWS), at = heatHover;
	$('heat-say').textContent = at < 0 ? `A column is ${amount(heat.seconds * 1e9, 'ns')}, a cell ${part}; ` +
		`the strongest has ${cost(heat.most)}. Drag from one cell to another to select the time between them.` :
		`${clockText(seconds(cellTick(at)), heat.seconds / HEAT_ROWS)} after the first sample, ${part}: ` +
			`${cost(heat.values[at] || 0)}`;
}
