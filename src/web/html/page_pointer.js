/*
 * Mouse, touch and keys on the charts.  Dragging selects a range; with Shift or on a touch screen it moves the range.
 * Ctrl and the wheel zoom.  A click holds the cursor, a double click shows everything.
 */
const band = make('div', { class: 'band', 'aria-hidden': 'true' });
let held = false, drag = null;

function placeAt(clientX) {
	const [left, width] = panels[0].area();
	return state.from + (clientX - left) / width * (state.to - state.from);
}
function moveTo(e) {
	const place = Math.min(Math.max(placeAt(e.clientX), state.from), state.to),
		slot = Math.min(nearest(place), state.lane.n - 1);
	if (slot !== state.cursor)
		setCursor(slot);
}
function showBand(e) {
	const box = $('charts').getBoundingClientRect(), from = Math.min(drag.x, e.clientX),
		to = Math.max(drag.x, e.clientX);
	band.style.display = '';
	band.style.left = `${from - box.left}px`;
	band.style.width = `${to - from}px`;
}
function onDown(e) {
	if (e.button || !panels.length || e.target.closest('select,button'))
		return;
	drag = { x: e.clientX, at: e.clientX, pan: e.shiftKey || e.pointerType === 'touch', moved: false };
}
function onMove(e) {
	if (!panels.length)
		return;
	if (!drag) {
		if (!held && e.target.closest('.plot,.strip'))
			moveTo(e);
		return;
	}
	drag.moved = drag.moved || Math.abs(e.clientX - drag.x) > 4;
	if (!drag.moved)
		return;
	if (drag.pan) {
		const by = placeAt(drag.at) - placeAt(e.clientX);
		drag.at = e.clientX;
		setRange(state.from + by, state.to + by);
	} else {
		showBand(e);
	}
}
function onUp(e) {
	if (!drag)
		return;
	band.style.display = 'none';
	if (drag.moved && !drag.pan) {
		const from = placeAt(Math.min(drag.x, e.clientX)), to = placeAt(Math.max(drag.x, e.clientX));
		setRange(from, to);
	} else if (!drag.moved && e.target.closest('#charts')) {
		held = !held;
		moveTo(e);
	}
	drag = null;
}
function onWheel(e) {
	if (!panels.length || !(e.ctrlKey || e.metaKey))
		return;
	e.preventDefault();
	zoomBy(e.deltaY > 0 ? 1.25 : 0.8, placeAt(e.clientX));
}

/* Move the cursor to the next change of a shown symbol or series (by: 1), or to the previous one (by: -1). */
function stepChange(by) {
	const at = readoutSlot() + (state.cursor < 0 && by > 0 ? 1 : 0);
	const slots = [...shown(), ...state.lane.series].flatMap(c => c.changes.map(p => p.slot))
		.filter(s => by > 0 ? s > at : s < at);
	if (slots.length) {
		held = true;
		setCursor(by > 0 ? Math.min(...slots) : Math.max(...slots), true);
	}
}
const stepRun = by => {
	held = true;
	setCursor(state.cursor < 0 ? state.lane.n - 1 : Math.max(state.cursor + by, 0), true);
};
/* Keys while the charts have the focus. */
const CHART_KEYS = {
	ArrowLeft: e => stepRun(e.shiftKey ? -10 : -1), ArrowRight: e => stepRun(e.shiftKey ? 10 : 1),
	Home: () => stepRun(-Infinity), End: () => stepRun(Infinity),
	n: () => stepChange(1), p: () => stepChange(-1),
	a: () => markTree('a'), b: () => markTree('b'),
	Escape: () => { held = false; setCursor(-1); },
};
/* Keys outside text fields. */
const RANGE_KEYS = {
	'+': () => zoomBy(0.5, state.cursor >= 0 ? places()[state.cursor] : undefined), '=': () => zoomBy(0.5),
	'-': () => zoomBy(2), 0: showAll, ',': () => panBy(-0.25), '.': () => panBy(0.25),
	x: () => setAxis(AXES[(AXES.indexOf(state.axis) + 1) % AXES.length]),
};
function markTree(which) {
	const tree = treesHere().find(t => t.slot === readoutSlot());
	if (tree)
		setPair(which, tree.number);
}
function initPointer() {
	const charts = $('charts');
	charts.append(band);
	band.style.display = 'none';
	charts.addEventListener('pointerdown', onDown);
	charts.addEventListener('pointermove', onMove);
	window.addEventListener('pointermove', e => { if (drag && !charts.contains(e.target)) onMove(e); });
	window.addEventListener('pointerup', onUp);
	window.addEventListener('pointercancel', () => { drag = null; band.style.display = 'none'; });
	charts.addEventListener('pointerleave', () => { if (!held && !drag) setCursor(-1); });
	charts.addEventListener('dblclick', () => { held = false; showAll(); });
	charts.addEventListener('wheel', onWheel, { passive: false });
	charts.addEventListener('keydown', e => {
		const f = CHART_KEYS[e.key];
		if (f && !e.ctrlKey && !e.metaKey && !e.altKey && !e.target.closest('select,button')) {
			e.preventDefault();
			e.stopPropagation();
			f(e);
		}
	});
	document.querySelectorAll('[data-do]').forEach(b => b.addEventListener('click', () =>
		({ earlier: () => panBy(-0.5), later: () => panBy(0.5), in: () => zoomBy(0.5),
			out: () => zoomBy(2), all: showAll })[b.dataset.do]()));
	const axes = [...document.querySelectorAll('[data-axis]')];
	axes.forEach(b => b.addEventListener('click', () => setAxis(b.dataset.axis)));
	listen('lane axis', () => axes.forEach(b => b.setAttribute('aria-pressed', b.dataset.axis === state.axis)));
}
