/*
 * The state of the page: event, selected time and threads, view, chosen function, zoom, search.
 *
 * Everything is part of the address, so that a view can be shared.  A choice makes an entry of the browser's history;
 * typing and the later movements of a drag replace the latest one.  Ticks: see web/report_page.h.
 */
const VIEWS = ['flame', 'sandwich', 'functions', 'objects', 'threads', 'lines', 'code', 'quality'];
const costliestEvent = () => Math.max(0, data.events.findIndex(e => e.samples || e.weight));
const state = { event: 0, range: null, threads: null, window: null, view: 'flame', fn: -1, zoom: 0, find: '',
	heat: false, code: -1 };
let sums = null;

const event = () => data.events[state.event];
const unit = () => event().unit;
const lastTick = () => event().time ? event().time.tick[event().time.n - 1] || 1 : 1;
const windowNow = () => state.window || [0, lastTick() + 1];
const seconds = tick => tick * event().clock / 1e9;

/* Format a point of time, with digits for steps of `step` seconds. */
function clockText(s, step) {
	const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step || 1))));
	return `${s.toFixed(digits)} s`;
}
const spanText = ticks => amount(ticks * event().clock, 'ns');

const totals = () => sums || (sums = sumUp(event(), state.range, state.threads));

/* ---- changes; `step`: the change is an entry of the history ---- */

let stepping = false;
function change(what, values, step = true) {
	Object.assign(state, values);
	stepping = stepping || step;
	if (what.includes('selection'))
		sums = null;
	changed(...what);
}
const setView = view => change(['view'], { view });
const setFunction = (fn, view) => change(['function', 'view'], { fn, view: view || state.view });
const setRange = (range, step) => change(['selection'], { range: range && range[1] > range[0] ? range : null }, step);
const setThreads = chosen =>
	change(['selection'], { threads: chosen && chosen.size && chosen.size < threads.n ? chosen : null });
const setWindow = (w, step) =>
	change(['window'], { window: w && (w[0] > 0 || w[1] < lastTick() + 1) ? w : null }, step);
function setEvent(number) {
	change(['event', 'selection', 'window', 'function', 'view'],
		{ event: number, range: null, window: null, zoom: 0 });
}
function toggleThread(t, alone) {
	const chosen = new Set(alone ? [] : state.threads || []);
	if (!alone && chosen.has(t))
		chosen.delete(t);
	else
		chosen.add(t);
	setThreads(alone && state.threads && state.threads.size === 1 && state.threads.has(t) ? null : chosen);
}

/* ---- the address ---- */

let kept = location.hash.slice(1);
function keep() {
	const p = new URLSearchParams(), pair = r => `${Math.round(r[0])}_${Math.round(r[1])}`;
	if (state.event !== costliestEvent())
		p.set('event', state.event);
	if (state.range)
		p.set('time', pair(state.range));
	if (state.window)
		p.set('window', pair(state.window));
	if (state.threads)
		p.set('threads', [...state.threads].sort((a, b) => a - b).join('.'));
	if (state.heat)
		p.set('draw', 'heat');
	if (state.view !== 'flame')
		p.set('view', state.view);
	if (state.fn >= 0)
		p.set('function', state.fn);
	if (state.code >= 0)
		p.set('code', state.code);
	if (state.zoom)
		p.set('zoom', state.zoom);
	if (state.find)
		p.set('find', state.find);
	const hash = p.toString(), store = stepping ? 'pushState' : 'replaceState';
	stepping = false;
	if (hash === kept)
		return;
	kept = hash;
	try {
		history[store](null, '', hash ? `#${hash}` : '#');
	} catch (e) {
		/* If the browser forbids changing the address, only the address is lost. */
	}
}
function recall() {
	const p = new URLSearchParams(location.hash.slice(1));
	const below = (key, n) => /^\d{1,9}$/.test(p.get(key) || '') && +p.get(key) < n ? +p.get(key) : -1;
	const pair = key => {
		const m = /^(\d{1,15})_(\d{1,15})$/.exec(p.get(key) || '');
		return m && +m[1] < +m[2] && event().time ? [+m[1], +m[2]] : null;
	};
	state.event = Math.max(0, p.has('event') ? below('event', data.events.length) : costliestEvent());
	state.range = pair('time');
	state.window = pair('window');
	const chosen = (p.get('threads') || '').split('.')
		.filter(t => /^\d{1,9}$/.test(t) && +t < threads.n).map(Number);
	state.threads = chosen.length ? new Set(chosen) : null;
	state.heat = p.get('draw') === 'heat';
	state.view = VIEWS.includes(p.get('view')) ? p.get('view') : 'flame';
	state.fn = below('function', data.functions.n);
	state.code = below('code', data.code.length);
	state.zoom = Math.max(0, below('zoom', nodes.n));
	state.find = p.get('find') || '';
	kept = location.hash.slice(1);
	sums = null;
	changed('event', 'selection', 'window', 'function', 'view', 'find');
}

/* ---- search: matched case-insensitively in a function's name and object ---- */

let hits = null;	/* for each function, 1 if it matches; null: no search */
function search() {
	const needle = state.find.toLowerCase();
	hits = needle ? Uint8Array.from({ length: data.functions.n }, (_, f) =>
		f > 1 && `${functionName(f)} ${functionObject(f)}`.toLowerCase().includes(needle) ? 1 : 0) : null;
}
