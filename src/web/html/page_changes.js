/*
 * Show the summary of the latest run, and the list of changes: change points of symbols and series, verdicts of gate.
 */
const LIST_FIRST = 12;
let changesAll = false;

/*
 * Return a card with the newest value and its change against the median of up to twenty runs before it.  For a
 * function, the value is the share, but the change is that of the cost, because a share also falls when another
 * function grows.
 */
function card(title, col, lane) {
	const last = lane.n - 1, from = Math.max(0, last - 20), at = i => col.share ? lane.cost(col.v[i], i) : col.v[i];
	const before = median(Array.from({ length: last - from }, (_, i) => at(from + i)));
	const v = at(last), r = before > 0 ? v / before - 1 : NaN, sure = Math.abs(r) >= 0.05;
	return make('div', { class: 'card' }, make('h3', {}, title),
		make('p', { class: 'big' }, valueOf(col, col.v[last])),
		make('p', { class: 'mute' }, make('span', { class: sure ? (r > 0 ? 'more' : 'less') : '' },
			Number.isFinite(r) ? relative(before, v) + (col.share ? ' cost' : '') : ''),
			last > 1 ? ` against the median of the ${Math.min(20, last)} runs before` :
				last ? ' against the run before' : ''));
}
function showGlance() {
	const lane = state.lane, last = lane.n - 1, found = lane.verdicts.get(last);
	const series = (kind, stat) => {
		const all =
			lane.series.filter(c => c.kind === kind && stat.includes(c.stat) && Number.isFinite(c.v[last]));
		return all.find(c => c.main) || all[0];
	};
	const topNow = lane.columnOf.get(lane.top[last * 10]);
	const list = [['Latency', series('latency', ['p95']) || series('latency', ['p50'])], ['Peak memory',
		series('memory', ['peak_rss', 'max', 'peak'])], ['Energy', series('power', ['joules'])]];
	$('glance').replaceChildren(
		make('div', { class: 'card wide' }, make('h3', {}, 'Latest run'),
			make('p', { class: 'big' }, make('code', {}, commit(lane, last)), ' ',
				found ? chip(WORST[lane.worst[last]] || found[0].verdict) : null,
				status(lane, last) === 'ok' ? null :
					make('span', { class: 'chip v-fail' }, status(lane, last))),
			make('p', { class: 'mute cut', title: subject(lane, last) },
				`${when(lane, last)}  ${subject(lane, last)}`)),
		topNow ? card(topNow.label, topNow, lane) : '',
		...list.filter(([, c]) => c).map(([t, c]) => card(t, c, lane)));
	const left = Object.entries({ runs: 'older runs', lanes: 'events of further targets or machines',
		series: 'measurements', verdicts: 'older verdicts',
		trees: 'call trees' }).filter(([k]) => raw.left[k]).map(([k, words]) =>
			`${thousands(raw.left[k])} ${words}`);
	const notes = left.length ? [`Not on this page: ${left.join(', ')}.`] : [];
	if (lane.n === 1)
		notes.push('There is only one run to compare. Next step: record a second one after your change, with ' +
			'the same command and options, and write this page again with \u2018hotdrift html\u2019.');
	$('left').hidden = !notes.length;
	$('left').textContent = notes.join(' ');
}

/*
 * Runs of one commit repeat their findings, and gate can find a change that is also a change point.  Keep the first
 * finding about each symbol or series in each commit.
 */
function once(list) {
	const seen = new Set();
	return list.filter(c => {
		const key = `${state.lane.byCommit[c.slot]} ${c.what}\n${c.detail}`, first = !seen.has(key);
		seen.add(key);
		return first;
	});
}
function allChanges() {
	const lane = state.lane, list = [];
	for (const col of lane.cols)
		for (const p of col.changes)
			list.push({ slot: p.slot, col, p, what: col.label,
				detail: col.share ? col.object : TITLES[col.kind] });
	for (const found of lane.verdicts.values())
		for (const v of found)
			if (v.verdict !== 'PASS' && (v.sym >= 0 || v.series))
				list.push({ slot: v.slot, v, col: v.col, what: v.series || symbolName(v.sym),
					detail: v.series ? '' : symbolObject(v.sym) });
	/*
	 * Order of the changes of one commit or run: verdicts of gate, symbols, main series, other series.  The last
	 * three are sorted by size, the largest change first.
	 */
	const size = c => c.v ? 8 : c.col.share ? 6 + Math.abs(c.p.after - c.p.before) / 100 :
		(c.col.main ? 4 : 0) + Math.min(c.p.magnitude, 3);
	list.sort((a, b) => lane.byCommit[b.slot] - lane.byCommit[a.slot] || size(b) - size(a) || b.slot - a.slot ||
		(a.what < b.what ? -1 : 1));
	return once(list).sort((a, b) => b.slot - a.slot || size(b) - size(a) || (a.what < b.what ? -1 : 1));
}
/* Return the change of a cost, or of the value of a series, in per cent; null if it is unknown. */
const changeOf = c => (c.v || c.p).change ?? null;
const intervalOf = of => typeof of.lo !== 'number' || !(of.hi < 1e6) ? '' :
	`95 % interval ${signed(of.lo)} to ${signed(of.hi)} of its cost`;
const significance = p => p === null ? '' : p < 0.001 ? '<0.001' : p.toFixed(3);

/* Return a row of the table.  Among adjacent rows with changes of one run, only the first one names the run. */
function changeRow(c, i, list) {
	const lane = state.lane, before = c.v ? c.v.before : c.p.before, after = c.v ? c.v.after : c.p.after,
		first = !i || list[i - 1].slot !== c.slot;
	const fmt = v => v === null ? '\u2013' : c.col ? valueOf(c.col, v) : percent(v), change = changeOf(c),
		up = change === null ? after > before : change > 0;
	const go = () => {
		held = true;
		if (c.col && c.col.share && c.col.hidden) {
			c.col.hidden = false;
			changed('shown');
		}
		setCursor(c.slot, true);
		$('charts').focus({ preventScroll: true });
		$('history').scrollIntoView({ block: 'start', behavior: window.matchMedia(
			'(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth' });
	};
	return make('tr', { class: first ? 'first' : '' },
		make('td', {}, first ? make('button', { type: 'button', class: 'link', onclick: go,
			'aria-label': `Show ${day(lane, c.slot)} in the charts` }, day(lane, c.slot)) : null),
		make('td', {}, first ? make('code', {}, commit(lane, c.slot)) : null, first ? make('span',
			{ class: 'subject mute', title: subject(lane, c.slot) }, subject(lane, c.slot)) : null),
		make('td', { class: 'what' }, make('code', { title: c.what }, c.what),
			make('small', {}, c.detail || '')),
		make('td', { class: 'num' }, fmt(before)), make('td', { class: 'num' }, fmt(after)),
		make('td', { class: `num ${up ? 'more' : 'less'}`, title: intervalOf(c.v || c.p) },
			`${up ? '\u25b2' : '\u25bc'} ` +
			`${change === null || !before || !after ? relative(before, after) : signed(change)}`),
		make('td', { class: 'num mute' }, significance(c.v ? c.v.q : c.p.p)),
		make('td', {}, c.v ? chip(c.v.verdict) : make('span', { class: 'mute' }, 'change point')));
}
function showChanges() {
	const lane = state.lane, [from, to] = inRange();
	let list = allChanges().filter(c => c.slot >= from && c.slot < to);
	const all = list.length;
	if (state.filter) {
		const hits = list.filter(c =>
			matches(c.what, c.detail, commit(lane, c.slot), subject(lane, c.slot), branch(lane, c.slot)));
		list = hits;
	}
	const rows = changesAll ? list : list.slice(0, LIST_FIRST);
	$('changes-note').textContent = all ?
		`${count(list.length, 'change')}${list.length < all ? ` of ${thousands(all)}` : ''} in this range, ` +
		`the newest first` :
		'Nothing moved in this range.';
	$('changes-list').replaceChildren(rows.length ?
		make('div', { class: 'scroll' }, make('table', { class: 'list' }, make('thead', {}, make('tr', {},
		...['when', 'commit', 'what'].map(t => make('th', { scope: 'col' }, t)),
		...['before', 'after', 'change', 'p or q'].map(t => make('th', { scope: 'col', class: 'num' }, t)),
		make('th', { scope: 'col' }, 'found by'))), make('tbody', {}, ...rows.map(changeRow)))) : '',
	list.length > rows.length || (changesAll && list.length > LIST_FIRST) ?
		make('button', { type: 'button', class: 'small more-button', onclick: () => {
		changesAll = !changesAll;
		showChanges();
	} }, changesAll ? 'Show fewer' : `Show all ${thousands(list.length)}`) : '');
}
