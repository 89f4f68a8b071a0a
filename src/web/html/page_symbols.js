/*
 * Show the list of charted symbols: colour, name, share at the cursor or in the latest run, last change.
 */
let symbolRows = [], foldOpen = false;

/* A symbol whose share is below 0.005 % in every run is hidden until the list is expanded. */
const isTiny = c => !c.v.some(v => v >= 0.005);

const matches = (...words) => words.some(w => w && w.toLowerCase().includes(state.filter.toLowerCase()));

function lastChange(col) {
	const p = col.changes[col.changes.length - 1];
	if (!p)
		return null;
	const up = p.change === null ? p.after > p.before : p.change > 0;
	return make('span', { class: up ? 'more' : 'less',
		title: `share ${percent(p.before)} to ${percent(p.after)} at ${commit(state.lane, p.slot)}, ` +
		`${day(state.lane, p.slot)}; the change is that of the ` +
			`cost${intervalOf(p) ? `, ${intervalOf(p)}` : ''}` },
		`${up ? '\u25b2' : '\u25bc'} ${p.change === null || !p.before || !p.after ?
			relative(p.before, p.after) : signed(p.change)}`);
}
function symbolRow(col) {
	const box = make('input', { type: 'checkbox', onchange: () => {
		col.hidden = !box.checked;
		changed('shown');
	} });
	const share = make('span', { class: 'num' }), cost = make('small', { class: 'num mute' }),
		swatch = make('i', { class: 'swatch' });
	const focus = on => () => {
		state.focus = on && !col.hidden ? col.sym : -1;
		changed('focus');
	};
	const node = make('label', { class: 'symbol', title: `${col.label}${col.object ? `\n${col.object}` : ''}`,
		onpointerenter: focus(true),
		onpointerleave: focus(false), onfocusin: focus(true), onfocusout: focus(false) },
		box, swatch,
		make('span', { class: 'name' }, make('code', {}, col.label), make('small', {}, col.object || '')),
		make('span', { class: 'nums' }, share, cost, make('small', {}, lastChange(col))));
	return { col, box, share, cost, swatch, node };
}
function buildSymbols() {
	const all = (title, f) => make('button', { type: 'button', class: 'small', onclick: () => {
		state.lane.shares.forEach((c, i) => { c.hidden = f(c, i); });
		changed('shown');
	} }, title);
	symbolRows = state.lane.shares.map(symbolRow);
	$('symbols').replaceChildren(
		make('div', { class: 'symbols-head' }, make('h3', {}, 'Symbols'), make('span', { class: 'grow' }),
		all('Top 5', (c, i) => i >= 5), all('All', () => false), all('None', () => true)),
		make('div', { class: 'symbols-list' }, ...symbolRows.map(r => r.node)),
		make('button', { type: 'button', class: 'small more-button', id: 'fold', onclick: () => {
			foldOpen = !foldOpen;
			paintSymbols();
		} }));
	paintSymbols();
}
function paintSymbols() {
	let any = false;
	for (const r of symbolRows) {
		const hit = !state.filter || matches(r.col.label, r.col.object);
		r.box.checked = !r.col.hidden;
		r.node.hidden = !hit || (!foldOpen && !state.filter && isTiny(r.col));
		any = any || hit;
		r.swatch.style.background = r.swatch.style.borderColor = colourOf(r.col);
		r.swatch.classList.toggle('dashed', seriesDash(r.col.colour) !== null);
		r.node.classList.toggle('off', r.col.hidden);
	}
	const tiny = symbolRows.filter(r => isTiny(r.col)).length;
	$('fold').hidden = !tiny || state.filter !== '';
	$('fold').textContent = `${foldOpen ? 'Hide' : 'Show'} ${count(tiny, 'symbol')} of 0.00 %`;
	/* If the filter matches no symbol, it is meant for commits, so show all symbols. */
	if (!any)
		symbolRows.forEach(r => { r.node.hidden = false; });
	updateSymbols();
}
function updateSymbols() {
	const slot = readoutSlot();
	for (const r of symbolRows) {
		r.share.textContent = percent(r.col.v[slot]);
		r.share.title = expected(r.col) || '';
		r.cost.textContent = amount(state.lane.cost(r.col.v[slot], slot), state.lane.unit);
		r.cost.title = state.lane.perWork ? 'self cost of a unit of work' : 'self cost of the run';
	}
}
