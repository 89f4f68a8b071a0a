/*
 * One panel: some columns over the range that all panels share, drawn by the chart library.  The library's mouse
 * handling is off (page_pointer.js replaces it).  The library writes labels as markup, so it gets only numbers and
 * constant texts, never names.
 */
const HAS_CHARTS = typeof Dygraph === 'function';
const Y_LABELS = 62, RIGHT_GAP = 10;
/* if more change points are visible, each is a mark at the top without a line through the chart */
const CHANGES_DRAWN = 60;

/* The library's legend, roller and range selector are off, because they measure the page at each drawing. */
if (HAS_CHARTS)
	Dygraph.PLUGINS = [Dygraph.Plugins.Axes, Dygraph.Plugins.Grid];

const harmless = s => s.slice(0, 24).replace(/[<>&"']/g, '');

/* ---- positions of axis labels ---- */

const HOUR = 3600, DAY = 86400;
const TIME_STEPS = [60, 300, 900, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY,
	91 * DAY, 182 * DAY, 365 * DAY];

function timeTicks(from, to, most) {
	const step = TIME_STEPS.find(s => (to - from) / s <= most) ||
		365 * DAY * Math.ceil((to - from) / 365 / DAY / most), ticks = [];
	for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
		const iso = new Date(t * 1000).toISOString();
		ticks.push({ v: t,
			label: step < DAY && iso.slice(11, 16) !== '00:00' ? iso.slice(11, 16) : iso.slice(0, 10) });
	}
	return ticks;
}
function runTicks(from, to, most) {
	const step = Math.max(1, Math.ceil((to - from) / most)), ticks = [];
	let last = '';
	for (let i = Math.ceil(Math.max(from, 0) / step) * step; i <= to && i < state.lane.n; i += step) {
		const label = when(state.lane, i), date = label.slice(0, 10);
		if (/^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(label))
			ticks.push({ v: i, label: date === last ? label.slice(11) : date });
		last = date;
	}
	return ticks;
}
/* Return ticks at even steps in the displayed unit. */
function valueTicks(from, to, pixels, col) {
	const unit = col.share ? [1, '%'] : stepOf(to, col.unit), most = Math.max(2, pixels / 32),
		rough = (to - from) / unit[0] / most;
	const power = 10 ** Math.floor(Math.log10(rough)),
		step = [1, 2, 2.5, 5, 10].find(s => s * power >= rough) * power, ticks = [];
	for (let i = Math.ceil(from / unit[0] / step); i * step * unit[0] <= to; i++)
		ticks.push({ v: i * step * unit[0], label: harmless(`${+(i * step).toPrecision(6)} ${unit[1]}`) });
	return ticks;
}
/* Return ticks at commits, labelled with the short hash. */
function commitTicks(from, to, most) {
	const step = Math.max(1, Math.ceil((to - from) / most)), ticks = [];
	for (let i = Math.ceil(Math.max(from, 0) / step) * step; i <= to && i < state.lane.commits.length; i += step)
		ticks.push({ v: i, label: harmless(commit(state.lane, state.lane.commits[i].from)) });
	return ticks;
}
const placeTicks = (from, to, pixels) => ({ run: runTicks, commit: commitTicks, time: timeTicks })[state.axis](from, to,
	Math.max(2, Math.floor(pixels / 105)));

/* ---- background: the range of each bin, and change points ---- */

/* Draw the band of each bin, or the interval of each commit.  Rectangles are much cheaper to draw than paths. */
function drawBands(ctx, chart, rows, columns) {
	if (!rows.bands)
		return;
	const at = rows.map(r => chart.toDomXCoord(r[0])), y = v => chart.toDomYCoord(v);
	ctx.save();
	/*
	 * The interval of a commit is a line of one pixel, which is long if the commit has few runs.  It is
	 * translucent, so that it does not hide the lines of the means.
	 */
	ctx.globalAlpha = rows.whiskers ? 0.45 : 0.24;
	columns.forEach((c, k) => {
		const band = rows.bands[k];
		ctx.fillStyle = colourOf(c);
		for (let b = 0; b < at.length; b++) {
			if (band[2 * b] !== band[2 * b])
				continue;
			const left = Math.round(b ? (at[b - 1] + at[b]) / 2 : at[b]),
				right = Math.round(b + 1 < at.length ? (at[b] + at[b + 1]) / 2 : at[b]);
			const high = Math.round(y(band[2 * b + 1]));
			if (rows.whiskers) {
				ctx.fillRect(Math.round(at[b]) - 0.5 + (k - (columns.length - 1) / 2), high, 1,
					Math.max(Math.round(y(band[2 * b])) - high, 1));
				continue;
			}
			ctx.fillRect(left, high, Math.max(right - left, 1),
				Math.max(Math.round(y(band[2 * b])) - high, 1));
		}
	});
	ctx.restore();
}

/*
 * Draw the prediction interval for the next run: pale over the runs it is computed from, stronger after the last run.
 */
function drawExpected(ctx, area, chart, columns) {
	const right = area.x + area.w, x = places(),
		last = Math.min(Math.round(chart.toDomXCoord(x[x.length - 1])) + 3, right - 4);
	const inside = y => Math.min(Math.max(Math.round(y), area.y), area.y + area.h), faint = columns.focus ? 0.5 : 1;
	if (inRange()[1] < state.lane.n)
		return;
	ctx.save();
	for (const c of columns) {
		if (!c.next)
			continue;
		const left = Math.max(Math.round(chart.toDomXCoord(x[c.next.slot])), area.x);
		const high = inside(chart.toDomYCoord(c.next.hi)),
			tall = Math.max(inside(chart.toDomYCoord(c.next.lo)) - high, 1);
		const strong = c === columns.focus ? 2 : faint;
		ctx.fillStyle = colourOf(c);
		ctx.globalAlpha = 0.1 * strong;
		ctx.fillRect(left, high, last - left, tall);
		ctx.globalAlpha = 0.4 * strong;
		ctx.fillRect(last, high, right - last, tall);
	}
	ctx.restore();
}

function visibleChanges(columns) {
	const [from, to] = inRange(), all = [];
	for (const c of columns)
		for (const p of c.changes)
			if (p.slot >= from && p.slot < to)
				all.push([p, c]);
	return all;
}
function drawChanges(ctx, area, chart, columns) {
	const all = visibleChanges(columns), x = places();
	ctx.save();
	ctx.lineWidth = 1;
	ctx.setLineDash([2, 3]);
	for (const [p, c] of all) {
		const px = Math.round(chart.toDomXCoord(x[p.slot])) + 0.5,
			up = typeof p.change === 'number' ? p.change > 0 : p.after > p.before;
		ctx.strokeStyle = ctx.fillStyle = colourOf(c);
		if (all.length <= CHANGES_DRAWN) {
			ctx.globalAlpha = 0.55;
			ctx.beginPath();
			ctx.moveTo(px, area.y + 9);
			ctx.lineTo(px, area.y + area.h);
			ctx.stroke();
		}
		ctx.globalAlpha = 1;
		ctx.beginPath();
		ctx.moveTo(px - 4.5, area.y + (up ? 8 : 1));
		ctx.lineTo(px + 4.5, area.y + (up ? 8 : 1));
		ctx.lineTo(px, area.y + (up ? 0 : 9));
		ctx.fill();
	}
	ctx.restore();
}

/* ---- a panel ---- */

const colourOf = c => seriesColour(c.colour);

class Panel {
	/* columns: a function that returns the columns to show, because they change. */
	constructor(parent, { title, cls, columns, axis, fromZero }) {
		this.columns = columns;
		this.axis = axis;
		this.fromZero = fromZero;
		this.values = make('span', { class: 'values' });
		this.plot = make('div', { class: `plot ${cls}${axis ? ' with-axis' : ''}` });
		this.node = make('div', { class: 'panel' },
			make('div', { class: 'panel-head' }, make('h3', {}, title), this.values), this.plot);
		parent.append(this.node);
		this.chart = null;
	}
	bounds(columns) {
		const [lo, hi] = extent(columns);
		if (this.fromZero)
			return [0, hi * 1.1 || 1];
		const span = Math.max((hi - lo) * 1.15, hi * 0.2) || 1;
		return [Math.max(0, (lo + hi - span) / 2), Math.max(0, (lo + hi - span) / 2) + span];
	}
	options(columns) {
		const [from, to] = inRange(), [lo, hi] = this.bounds(columns), series = {}, few = to - from <= 90,
			dense = isDense();
		columns.forEach((c, i) => {
			series[`c${i}`] = { color: colourOf(c), strokePattern: seriesDash(c.colour),
				/* With many points, lines have one pixel, because wider ones are drawn slowly. */
				strokeWidth: c === columns.focus ? 3.4 : columns.focus || dense ? 1 : few ? 2 : 1.5 };
		});
		this.rows = rowsOf(columns);
		return { file: this.rows, labels: ['x', ...columns.map((_, i) => `c${i}`)], series,
			dateWindow: [state.from, state.to], valueRange: [lo, hi], drawPoints: few, pointSize: 2.2,
			gridLineColor: ink.grid, axisLineColor: ink.line,
			axes: {
				x: { ticker: placeTicks, drawAxis: this.axis, drawGrid: false, axisLabelWidth: 90 },
				y: { axisLabelWidth: Y_LABELS - 8,
					ticker: (from, upto, pixels) => valueTicks(from, upto, pixels, columns[0]) },
			} };
	}
	/* Draw the panel.  resized: the width of the page may have changed. */
	draw(resized) {
		const columns = this.columns();
		this.node.classList.toggle('empty', !columns.length);
		if (!columns.length)
			return;
		const options = this.options(columns);
		if (!this.chart)
			this.chart = new Dygraph(this.plot, options.file, Object.assign(options, {
				interactionModel: {}, legend: 'never', highlightCircleSize: 0,
				connectSeparatedPoints: true, rightGap: RIGHT_GAP,
				underlayCallback: (ctx, area, chart) => {
					drawBands(ctx, chart, this.rows, this.columns());
					drawExpected(ctx, area, chart, this.columns());
					drawChanges(ctx, area, chart, this.columns());
				} }));
		else
			this.chart.updateOptions(options);
		if (resized)
			this.chart.resize();
	}
	update(slot) {
		this.values.replaceChildren(...this.columns().map(c => make('span', { title: expected(c) },
			make('i', { class: 'dot', style: `background:${colourOf(c)}` }),
			`${c.stat} ${amount(c.v[slot], c.unit)}`)));
	}
	/* Return the plot area in window coordinates: [left, width]. */
	area() {
		const a = this.chart.getArea(), box = this.plot.getBoundingClientRect();
		return [box.left + a.x, a.w];
	}
	free() {
		if (this.chart)
			this.chart.destroy();
		this.node.remove();
	}
}
