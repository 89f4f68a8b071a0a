/*
 * Show samples over time: one lane for all selected threads, and one for each of the costliest threads.  All lanes
 * share one canvas.  Dragging selects a time range, and every other view shows only this range.
 */
const LANE_PX = 26, ALL_PX = 54, AXIS_PX = 20, LANES_MOST = 60, EDGE_PX = 6;
let lanes = [], laneCanvas = null, laneCursor = -1, laneDrag = null, laneSums = null;

/* Return the smallest step of 1, 2 or 5 times a power of ten that divides the span into at most `most` steps. */
function stepFor(span, most) {
	const power = 10 ** Math.floor(Math.log10(span / most || 1));
	return [1, 2, 5, 10].map(k => k * power).find(step => span / step <= most) || 10 * power;
}
function timeMarks(width) {
	const [a, b] = windowNow(), from = seconds(a), to = seconds(b),
		step = stepFor(to - from, Math.max(2, Math.floor(width / 90))), marks = [];
	for (let k = Math.ceil(from / step); k * step <= to; k++)
		marks.push({ x: (k * step - from) / (to - from) * width, label: clockText(k * step, step) });
	return marks;
}

/* Create a lane for each of the costliest threads of the event. */
function buildLanes() {
	const e = event(), cost = new Float64Array(threads.n);
	if (e.time)
		for (let i = 0; i < e.n; i++)
			cost[e.row.thread[i]] += e.row.weight[i];
	const order = Array.from(cost, (w, t) => [w, t]).filter(([w]) => w > 0)
		.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
	lanes = order.slice(0, LANES_MOST).map(([w, t]) => ({ thread: t, weight: w }));
	const left = order.length - lanes.length;
	const label = l => make('button', { type: 'button', class: 'lane-name', 'data-thread': l.thread,
		title: `${threadName(l.thread)}: ${share(l.weight, e.weight)}.  ` +
			'Click: only this thread.  Ctrl or Shift: add or remove it.',
		'aria-pressed': 'false',
		onclick: ev => toggleThread(l.thread, !(ev.ctrlKey || ev.metaKey || ev.shiftKey)) },
	make('span', { class: 'cut' }, threadName(l.thread)), make('small', {}, share(l.weight, e.weight)));
	laneCanvas = make('canvas',
		{ id: 'lane-canvas', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline',
		'aria-label': 'Samples over time. Left and right move the selected range, with Shift they change its ' +
			'length, Escape removes it.' });
	$('lanes').replaceChildren(make('div', { class: 'lane-names' }, make('span', { class: 'lane-all mute' },
		lanes.length === 1 ? '' : 'Selected threads'), ...lanes.map(label)), laneCanvas);
	if (left)
		$('lanes').append(make('p', { class: 'mute lanes-left' },
			`${count(left, 'thread')} with less cost: see the tab Threads`));
	listenToLanes();
}

/*
 * Sum up the weight per bucket, for the selected threads (all) and for each lane (lane).  allKernel and kernel are the
 * parts of these sums that are kernel code.
 */
function sumLanes(buckets) {
	const e = event(), t = e.time, [a, b] = windowNow(), scale = buckets / (b - a),
		laneOf = new Int32Array(threads.n).fill(-1);
	lanes.forEach((l, k) => { laneOf[l.thread] = k; });
	const s = { all: new Float64Array(buckets), allKernel: new Float64Array(buckets),
		lane: lanes.map(() => new Float64Array(buckets)), kernel: lanes.map(() => new Float64Array(buckets)) };
	const { thread, self } = e.row, on = totals().on;
	for (let i = firstAt(t.tick, a), end = firstAt(t.tick, b); i < end; i++) {
		const row = t.row[i], at = Math.min(buckets - 1, Math.floor((t.tick[i] - a) * scale)), w = t.weight[i],
			k = laneOf[thread[row]], inKernel = isKernel[self[row]];
		if (on[thread[row]]) {
			s.all[at] += w;
			if (inKernel)
				s.allKernel[at] += w;
		}
		if (k >= 0) {
			s.lane[k][at] += w;
			if (inKernel)
				s.kernel[k][at] += w;
		}
	}
	/*
	 * The value that fills the height of a lane is a 99 % quantile, so that a few outliers do not flatten the rest.
	 * All lanes of single threads have the same scale: the largest of their quantiles.
	 */
	const top = list => {
		const v = list.filter(w => w > 0).sort();
		return v.length ? v[Math.floor((v.length - 1) * 0.99)] : 1;
	};
	s.allTop = top(s.all);
	s.laneTop = Math.max(...s.lane.map(top), 1e-9);
	return s;
}

const tickAt = x => {
	const [a, b] = windowNow();
	return a + Math.min(Math.max(x / laneCanvas.clientWidth, 0), 1) * (b - a);
};
const placeOf = tick => {
	const [a, b] = windowNow();
	return (tick - a) / (b - a) * laneCanvas.clientWidth;
};
function area(ctx, values, top, y, height, colour) {
	const px = laneCanvas.clientWidth / values.length;
	ctx.fillStyle = colour;
	for (let i = 0; i < values.length; i++)
		if (values[i]) {
			const h = Math.max(1, Math.min(1, values[i] / top) * (height - 3));
			ctx.fillRect(i * px, y + height - h, px, h);
		}
}
/* Return the number of buckets.  If there are few samples, buckets are wider, so that most have several samples. */
function bucketsIn(width) {
	const t = event().time, [a, b] = windowNow(), items = firstAt(t.tick, b) - firstAt(t.tick, a);
	return Math.max(8, Math.ceil(width / ([2, 3, 4, 6, 8].find(px => items * px / width >= 6) || 10)));
}
/*
 * Return the sums of the lanes.  They are cached, because they depend on the event, the window, the number of buckets
 * and the selected threads, but not on the selected range.
 */
function summed(buckets) {
	const key = [state.event, ...windowNow(), buckets, state.threads && [...state.threads]].join();
	if (!laneSums || laneSums.key !== key)
		laneSums = Object.assign(sumLanes(buckets), { key });
	return laneSums;
}
function sizeCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1, ctx = canvas.getContext('2d');
	canvas.style.height = `${height}px`;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.clearRect(0, 0, width, height);
	return ctx;
}
function drawLanes() {
	if (!event().time || state.heat || !laneCanvas)
		return;
	const width = laneCanvas.clientWidth, only = lanes.length === 1,
		height = AXIS_PX + ALL_PX + (only ? 0 : lanes.length * LANE_PX);
	if (!width)
		return;
	const ctx = sizeCanvas(laneCanvas, width, height), s = summed(bucketsIn(width)), on = totals().on;
	ctx.font = '11.5px system-ui, sans-serif';
	for (const m of timeMarks(width)) {
		ctx.fillStyle = ink.grid;
		ctx.fillRect(m.x, AXIS_PX, 1, height);
		ctx.fillStyle = ink.mute;
		ctx.fillText(m.label, Math.min(m.x + 3, width - ctx.measureText(m.label).width), AXIS_PX - 7);
	}
	area(ctx, s.all, s.allTop, AXIS_PX, ALL_PX, ink.series[1]);
	area(ctx, s.allKernel, s.allTop, AXIS_PX, ALL_PX, ink.series[0]);
	for (let k = 0; k < (only ? 0 : lanes.length); k++) {
		const y = AXIS_PX + ALL_PX + k * LANE_PX;
		ctx.fillStyle = ink.line;
		ctx.fillRect(0, y, width, 1);
		ctx.globalAlpha = on[lanes[k].thread] ? 1 : 0.3;
		area(ctx, s.lane[k], s.laneTop, y, LANE_PX, ink.series[1]);
		area(ctx, s.kernel[k], s.laneTop, y, LANE_PX, ink.series[0]);
		ctx.globalAlpha = 1;
	}
	drawRange(ctx, width, height);
}
function drawRange(ctx, width, height) {
	if (state.range) {
		const x0 = placeOf(state.range[0]), x1 = placeOf(state.range[1]);
		ctx.globalAlpha = 0.72;
		ctx.fillStyle = ink.paper;
		ctx.fillRect(0, AXIS_PX, Math.max(0, x0), height);
		ctx.fillRect(x1, AXIS_PX, width - x1, height);
		ctx.globalAlpha = 1;
		ctx.fillStyle = ink.accent;
		for (const x of [x0, x1])
			ctx.fillRect(x - 1, AXIS_PX - 4, 2, height);
		ctx.fillRect(x0, AXIS_PX - 4, x1 - x0, 3);
	}
	if (laneCursor >= 0) {
		ctx.fillStyle = ink.text;
		ctx.fillRect(placeOf(laneCursor), AXIS_PX, 1, height);
	}
}

/* ---- mouse, touch, keys ---- */

function edgeAt(x) {
	return state.range ? state.range.findIndex(t => Math.abs(placeOf(t) - x) <= EDGE_PX) : -1;
}
/* A drag is one entry of the browser's history: its first movement adds it, the others replace it. */
function dragTo(e) {
	const at = tickAt(e.offsetX), d = laneDrag, first = !d.stepped;
	d.stepped = true;
	if (d.pan) {
		const by = d.tick - at, [a, b] = windowNow(), move = Math.min(Math.max(by, -a), lastTick() + 1 - b);
		setWindow([a + move, b + move], first);
	} else {
		setRange([Math.floor(Math.min(d.fixed, at)), Math.ceil(Math.max(d.fixed, at))], first);
	}
}
function onLaneMove(e) {
	const d = laneDrag;
	if (!d) {
		laneCanvas.style.cursor = edgeAt(e.offsetX) >= 0 ? 'ew-resize' : 'crosshair';
		laneCursor = tickAt(e.offsetX);
		changed('cursor');
		return;
	}
	d.moved = d.moved || Math.abs(e.clientX - d.x) > 3;
	if (d.moved)
		dragTo(e);
}
function listenToLanes() {
	const c = laneCanvas;
	c.addEventListener('pointerdown', e => {
		if (e.button)
			return;
		const edge = edgeAt(e.offsetX);
		laneDrag = { x: e.clientX, moved: false, pan: e.shiftKey, tick: tickAt(e.offsetX),
			fixed: edge >= 0 ? state.range[1 - edge] : tickAt(e.offsetX) };
		c.setPointerCapture(e.pointerId);
	});
	c.addEventListener('pointermove', onLaneMove);
	c.addEventListener('pointerup', e => {
		if (laneDrag && laneDrag.moved)
			dragTo(e);
		else if (laneDrag && state.range)
			setRange(null);
		laneDrag = null;
	});
	c.addEventListener('pointercancel', () => { laneDrag = null; });
	c.addEventListener('pointerleave', () => { laneCursor = -1; changed('cursor'); });
	c.addEventListener('wheel', e => {
		if (!e.ctrlKey && !e.metaKey)
			return;
		e.preventDefault();
		zoomTime(e.deltaY > 0 ? 1.25 : 0.8, tickAt(e.offsetX), false);
	}, { passive: false });
	c.addEventListener('keydown', onTimeKey);
	new ResizeObserver(() => drawLanes()).observe(c);
}
/*
 * Handle a key in the lanes or in the heat map: the arrow keys move the selected range by a twentieth of the window, or
 * with Shift its end; if there is no range, they select the first tenth of the window.  Escape drops the range, Enter
 * zooms into it.
 */
function onTimeKey(e) {
	const [a, b] = windowNow(), step = Math.max(1, Math.round((b - a) / 20)),
		by = { ArrowLeft: -step, ArrowRight: step }[e.key];
	if (e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (by) {
		const [from, to] = state.range || [a, a + 2 * step];
		if (!state.range)
			setRange([from, to]);
		else if (e.shiftKey)
			setRange([from, Math.min(Math.max(to + by, from + 1), lastTick() + 1)], false);
		else
			setRange([Math.max(0, from + by), Math.max(to - from, to + by)], false);
	} else if (e.key === 'Escape' && state.range) {
		setRange(null);
	} else if (e.key === 'Enter' && state.range) {
		setWindow(state.range);
	} else {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}
function zoomTime(factor, at, step = true) {
	const [a, b] = windowNow(), end = lastTick() + 1, mid = at === undefined ? (a + b) / 2 : at;
	const span = Math.min(Math.max((b - a) * factor, 20), end),
		from = Math.min(Math.max(mid - (mid - a) * span / (b - a), 0), end - span);
	setWindow([from, from + span], step);
}
const zoomIn = () => state.range ? setWindow(state.range) : zoomTime(0.5);

/* ---- the texts ---- */

function sayTime() {
	const e = event(), [a, b] = windowNow();
	$('time-key').hidden = !e.time || state.heat || !e.row.self.some(f => isKernel[f]);
	$('time-note').textContent = !e.time ? '' : laneCursor >= 0 && !state.heat ?
		`${clockText(seconds(laneCursor), seconds(b - a) / 500)} after the first sample` :
		(state.window ? `${spanText(b - a)} of ` : '') + spanText(lastTick()) +
			(e.clock > 1000 ? `, in steps of ${spanText(1)}` : '');
}
function saySelected() {
	const s = totals(), e = event(), parts = [];
	if (state.range) {
		const [from, to] = state.range, step = seconds(to - from) / 100;
		parts.push(`${clockText(seconds(from), step)} to ${clockText(seconds(to), step)}`);
	}
	if (state.threads)
		parts.push(state.threads.size === 1 ? `thread ${threadName([...state.threads][0])}` :
			`${state.threads.size} threads`);
	const some = parts.length > 0,
		button = (words, f) => make('button', { type: 'button', class: 'small', onclick: f }, words);
	$('selected').classList.toggle('some', some);
	$('selected').replaceChildren(...[make('b', {}, some ? parts.join(', ') : 'All samples'), make('span', {},
		`${cost(s.weight)}, ${count(s.samples, 'sample')}${some ? `, ${share(s.weight, e.weight)}` : ''}`),
		state.range && button('All time', () => setRange(null)),
		state.threads && button('All threads', () => setThreads(null))].filter(Boolean));
	for (const b of document.querySelectorAll('.lane-name'))
		b.setAttribute('aria-pressed', !!state.threads && state.threads.has(+b.dataset.thread));
}
