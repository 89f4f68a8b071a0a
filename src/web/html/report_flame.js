/*
 * The flame graph of the selected samples, and what all flame graphs of the page share: names, colours, the card.
 */
const share = (v, of) => percent(of > 0 ? 100 * v / of : 0);
const cost = v => amount(v, unit());

/*
 * Return the contents of a function's card.  rows: the lines of its table, each [label, cell, ...], such as a share and
 * a weight.
 */
function cardOf(fn, inlined, rows) {
	const kinds = { i: 'inlined', k: 'kernel', j: 'generated code', g: 'GPU' },
		kind = kinds[data.functions.classes[inlined][fn][0]];
	return [make('b', {}, functionName(fn)),
		make('span', { class: 'mute' }, [functionObject(fn), kind].filter(Boolean).join(' \u00b7 ')),
		make('table', {}, ...rows.map(([label, ...cells]) =>
			make('tr', {}, make('th', {}, label), ...cells.map(c => make('td', {}, c)))))];
}

/*
 * Return the owner of a FlameCanvas whose tree has the function of each node (fn) and whether it is inlined.  The
 * caller sets owner.canvas.
 */
function flameOwner(more) {
	const owner = { tree: () => owner.canvas.tree, searching: () => hits !== null, ...more };
	owner.name = i => functionName(owner.tree().fn[i]);
	owner.ink = i => ink.frame[data.functions.classes[owner.tree().inlined[i]][owner.tree().fn[i]]];
	owner.hit = i => hits[owner.tree().fn[i]] === 1;
	owner.card = i => {
		const t = owner.tree(), above = owner.canvas.callers(i), parent = above[above.length - 1],
			rows = [['total', share(t.total[i], totals().weight), cost(t.total[i])],
			['self', share(t.self[i], totals().weight), cost(t.self[i])]];
		if (t.samplesOf)
			rows.push(['samples', '', thousands(t.samplesOf[i])]);
		if (parent > 0)
			rows.push(['of its caller', share(t.total[i], t.total[parent]), '']);
		if (owner.canvas.zoom && owner.canvas.zoom !== parent)
			rows.push(['of the zoom', share(t.total[i], t.total[owner.canvas.zoom]), '']);
		return cardOf(t.fn[i], t.inlined[i], rows);
	};
	return owner;
}
const describe = (t, i) => `${functionName(t.fn[i])}: ${share(t.total[i], totals().weight)}, ${cost(t.total[i])}; ` +
	`self ${share(t.self[i], totals().weight)}`;

let flameView = null;
function initFlame() {
	const owner = flameOwner({ say: at => {
		change(['zoom'], { zoom: owner.canvas.zoom }, owner.canvas.zoom !== state.zoom);
		sayFlame(at);
	}, pick: at => at && setFunction(nodes.fn[at], 'sandwich') });
	flameView = owner.canvas = new FlameCanvas($('flame-box'), owner);
	const chosen = () => flameView.focus > 0 ? flameView.focus : state.zoom;
	$('flame-pick').addEventListener('click', () => setFunction(nodes.fn[chosen()], 'sandwich'));
	$('flame-copy').addEventListener('click',
		() => navigator.clipboard && navigator.clipboard.writeText(functionName(nodes.fn[chosen()])));
	$('flame-reset').addEventListener('click', () => flameView.zoomTo(0));
}
function drawFlame() {
	if (state.view !== 'flame')
		return;
	const s = totals();
	flameView.show({ n: nodes.n, depth: nodes.depth, end: nodes.end, fn: nodes.fn, inlined: nodes.inlined,
		total: s.total, self: s.self, samplesOf: s.samplesOf }, state.zoom);
	sayFlame(flameView.focus);
}
/* Return the weight of the nodes that match the search; what is below a match does not count again. */
function matchedWeight(s) {
	let sum = 0;
	for (let i = 0; i < nodes.n;)
		if (hits[nodes.fn[i]]) {
			sum += s.total[i];
			i = nodes.end[i];
		} else {
			i = s.total[i] ? i + 1 : nodes.end[i];
		}
	return sum;
}
function sayFlame(at) {
	const t = flameView.tree, parts = [];
	if (!t)
		return;
	if (hits) {
		const found = matchedWeight(totals());
		parts.push(`Search matches ${share(found, totals().weight)}, ${cost(found)}`);
	}
	if (at > 0)
		parts.push(describe(t, at));
	else if (state.zoom)
		parts.push(`Zoomed into ${describe(t, state.zoom)}`);
	if (!parts.length)
		parts.push(!totals().weight ? 'No samples are selected' :
			'Click a frame to zoom, double click for its callers and callees; arrow keys move');
	$('flame-say').textContent = parts.join('  \u00b7  ');
	const chosen = flameView.focus > 0 || state.zoom > 0;
	$('flame-pick').disabled = $('flame-copy').disabled = !chosen;
	$('flame-reset').disabled = !state.zoom;
}
