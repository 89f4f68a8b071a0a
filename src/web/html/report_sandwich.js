/*
 * Show one function with its callers above and its callees below, and both as tables.
 */
let callersView = null, calleesView = null, callersTable = null, calleesTable = null, linesOfTable = null;

const functionColumns = (weight, samples) => [
	{ title: 'Share', num: true, width: '72px', value: r => r.total, cell: r => share(r.total, totals().weight) },
	{ title: weight, num: true, width: '92px', wide: true, value: r => r.total, cell: r => cost(r.total) },
	{ title: samples, value: r => functionName(r.fn), cell: r => make('code', {}, functionName(r.fn)) },
];
function initSandwich() {
	for (const [id, up] of [['callers', true], ['callees', false]]) {
		const owner = flameOwner({ up, pick: at => setFunction(owner.tree().fn[at]),
			say: at => {
				$('sandwich-say').textContent = at > 0 ? describe(owner.tree(), at) : '';
				picked = at > 0 ? owner.tree().fn[at] : -1;
				$('sandwich-pick').disabled = picked < 0;
			} });
		owner.canvas = new FlameCanvas($(`${id}-box`), owner);
		if (up)
			callersView = owner.canvas;
		else
			calleesView = owner.canvas;
	}
	const pick = { pick: r => setFunction(r.fn), title: r => functionName(r.fn), most: 12 };
	callersTable = new VirtualTable($('callers-table'), functionColumns('Weight', 'Called by'),
		{ label: 'Callers', ...pick });
	calleesTable =
		new VirtualTable($('callees-table'), functionColumns('Weight', 'Calls'), { label: 'Callees', ...pick });
	linesOfTable = new VirtualTable($('function-lines'), [
		{ title: 'Self', num: true, width: '72px', value: r => r.self,
			cell: r => share(r.self, totals().weight) },
		{ title: 'Line', value: r => lineName(r.line), cell: r => make('code', {}, lineName(r.line)) }],
		{ label: 'Lines of the function', title: r => lineName(r.line), most: 12 });
	$('function').addEventListener('change', e => setFunction(+e.target.value));
	$('sandwich-pick').addEventListener('click', () => setFunction(picked));
}
let picked = -1;

const hottest = s => s.functionSelf.reduce((best, w, f) => w > s.functionSelf[best] ? f : best, 0);
/* Fill the list with the costliest functions and the chosen one. */
function fillFunctions(s, chosen) {
	const list = Array.from({ length: data.functions.n }, (_, f) => f).filter(f => f > 1 && s.functionSelf[f])
		.sort((a, b) => s.functionSelf[b] - s.functionSelf[a] || a - b).slice(0, 200);
	if (!list.includes(chosen))
		list.unshift(chosen);
	const label = f => {
		const object = objectName(f) ? `  (${objectName(f)})` : '';

		return `${share(s.functionSelf[f], s.weight)}  ${functionName(f)}${object}`;
	};
	$('function').replaceChildren(...list.map(f => make('option', { value: f }, label(f).slice(0, 300))));
	$('function').value = chosen;
}
/* Return the direct callers or callees of the root of a tree. */
function firstLevel(tree) {
	const rows = [];
	for (let c = 1; c < tree.n; c = tree.end[c])
		rows.push({ fn: tree.fn[c], total: tree.total[c] });
	return rows;
}
function drawSandwich() {
	if (state.view !== 'sandwich')
		return;
	const s = totals(), fn = state.fn >= 0 ? state.fn : hottest(s);
	const callers = callerTree(fn, s), callees = calleeTree(fn, s);
	fillFunctions(s, fn);
	$('function-sums').replaceChildren(
		...[['Self', s.functionSelf[fn]], ['Total', s.functionTotal[fn]]].flatMap(([word, v]) =>
		[make('dt', {}, word), make('dd', {}, make('b', {}, share(v, s.weight)), ` ${cost(v)}`)]),
	make('dt', {}, 'Samples'), make('dd', {}, thousands(s.functionSamples[fn])), make('dt', {}, 'Object'),
	make('dd', { class: 'cut' }, make('code', {}, functionObject(fn) || 'unknown')));
	callersView.show(callers);
	calleesView.show(callees);
	callersTable.show(firstLevel(callers), callers.self[0] > 0 ? `${share(callers.self[0], s.weight)} of all ` +
		`without a caller: the outermost function of the stack` : '');
	calleesTable.show(firstLevel(callees),
		callees.self[0] > 0 ? `${share(callees.self[0], s.weight)} of all in the function itself` : '');
	linesOfTable.show(sumLines(event(), s, fn), data.lines.n > 1 ? '' :
		'The recording has no line numbers: build with -g, or pass --symfs or --debug-files');
	picked = -1;
	$('sandwich-pick').disabled = true;
	$('sandwich-say').textContent = '';
}
