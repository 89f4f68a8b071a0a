/*
 * The state of the page: the lane, its range, the run under the cursor, the two compared runs.
 * A change of the state names the part that changed; listeners redraw once per animation frame.  The address stores the
 * state.
 */
const state =
	{ lane: lanes[0], from: 0, to: 1, axis: 'run', cursor: -1, filter: '', focus: -1, a: -1, b: -1, mode: 'diff' };
/* Listeners of `settled` are called when the range has not changed for this time, in milliseconds. */
const SETTLED_MS = 120;
let settling = 0;
function settleSoon() {
	clearTimeout(settling);
	settling = setTimeout(() => changed('settled'), SETTLED_MS);
}

/* ---- the range: in runs, or in seconds ---- */

/* The axis: runs evenly spaced, runs of one commit in one place, or by the time when they were recorded. */
const AXES = ['run', 'commit', 'time'];
const places = () => ({ run: state.lane.index, commit: state.lane.byCommit, time: state.lane.time })[state.axis];
function limits() {
	const x = places(), n = state.lane.n, pad = state.axis === 'time' ? Math.max((x[n - 1] - x[0]) * 0.01, 3600) :
		Math.max((x[n - 1] + 1) * 0.01, 0.5);
	return [x[0] - pad, x[n - 1] + pad];
}
/* Return the first slot at or after a place. */
function slotAt(place) {
	const x = places();
	let lo = 0, hi = x.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (x[mid] < place)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
function nearest(place) {
	const x = places(), i = slotAt(place);
	return i > 0 && (i === x.length || place - x[i - 1] < x[i] - place) ? i - 1 : i;
}
const inRange = () => [slotAt(state.from), slotAt(state.to + 1e-9)];

function setRange(from, to) {
	const [lo, hi] = limits(), least = state.axis === 'time' ? 60 : 3;
	let span = Math.min(Math.max(to - from, least), hi - lo);
	from = Math.min(Math.max((from + to - span) / 2, lo), hi - span);
	state.from = from;
	state.to = from + span;
	changed('range');
	settleSoon();
}
const showAll = () => setRange(...limits());
const zoomBy = (factor, at = (state.from + state.to) / 2) =>
	setRange(at - (at - state.from) * factor, at + (state.to - at) * factor);
const panBy = part => { const d = (state.to - state.from) * part; setRange(state.from + d, state.to + d); };

function setCursor(slot, bring) {
	slot = Math.min(Math.max(slot, -1), state.lane.n - 1);
	state.cursor = slot;
	if (bring && slot >= 0) {
		const x = places()[slot], span = state.to - state.from;
		if (x < state.from || x > state.to)
			setRange(x - span / 2, x + span / 2);
	}
	changed('cursor');
}
function setLane(number) {
	state.lane = lanes[number] || lanes[0];
	state.cursor = -1;
	state.focus = -1;
	choosePair();
	showAll();
	changed('lane', 'range', 'cursor', 'filter', 'pair');
}
function setAxis(axis) {
	const [from, to] = inRange();
	state.axis = axis;
	const x = places(), [lo, hi] = limits();
	if (from === 0 && to === state.lane.n)
		setRange(lo, hi);
	else
		setRange(x[from] - (axis === 'time' ? 1800 : 0.5),
			x[Math.max(to - 1, from)] + (axis === 'time' ? 1800 : 0.5));
	changed('axis', 'range');
}

/* ---- runs with trees: by default B is the newest, A the one before the newest change ---- */

const treesHere = () => raw.trees.filter(t => t.lane === state.lane.number);
function choosePair() {
	const here = treesHere();
	let newest = 0;
	state.b = here.length ? here[here.length - 1].number : -1;
	state.lane.shares.forEach(c => c.changes.forEach(p => { newest = Math.max(newest, p.slot); }));
	const before = here.filter(t => t.slot < newest);
	state.a = before.length ? before[before.length - 1].number :
		here.length > 1 ? here[here.length - 2].number : state.b;
	state.mode = state.a === state.b ? 'b' : 'diff';
}

/* ---- the address ---- */

let kept = '';
function keep() {
	const p = new URLSearchParams(), [lo, hi] = limits(), round = v => String(+v.toFixed(2));
	if (state.lane.number)
		p.set('lane', state.lane.number);
	if (state.axis !== 'run')
		p.set('x', state.axis);
	if (state.from > lo || state.to < hi)
		p.set('range', `${round(state.from)}_${round(state.to)}`);
	if (state.filter)
		p.set('filter', state.filter);
	if (state.a >= 0 && (state.pairSet || state.mode !== 'diff')) {
		p.set('a', state.a);
		p.set('b', state.b);
		p.set('draw', state.mode);
	}
	const hash = p.toString();
	if (hash !== kept) {
		kept = hash;
		history.replaceState(null, '', hash ? `#${hash}` : '#');
	}
}
function recall() {
	const p = new URLSearchParams(location.hash.slice(1)),
		tree = k => /^\d+$/.test(p.get(k) || '') && raw.trees[+p.get(k)];
	setLane(/^\d+$/.test(p.get('lane') || '') ? +p.get('lane') : 0);
	state.axis = AXES.includes(p.get('x')) ? p.get('x') : 'run';
	showAll();
	const range = /^(-?[\d.]+)_(-?[\d.]+)$/.exec(p.get('range') || '');
	if (range && +range[1] < +range[2])
		setRange(+range[1], +range[2]);
	state.filter = p.get('filter') || '';
	if (tree('a') && tree('b') && tree('a').lane === state.lane.number && tree('b').lane === state.lane.number) {
		state.a = +p.get('a');
		state.b = +p.get('b');
		state.mode = ['a', 'b', 'diff'].includes(p.get('draw')) ? p.get('draw') : 'diff';
		state.pairSet = true;
	}
	kept = location.hash.slice(1);
}
