/*
 * Show source lines and instructions of the hottest functions, with their cost in the whole recording.
 */
let lineTable = null, instructionTable = null, chosenLine = -1;

/* The text of known source lines, by "path:line". */
const codeText = new Map();
for (const c of data.code)
	for (const l of c.lines)
		if (l.text !== null && l.file !== null)
			codeText.set(`${c.files[l.file].path}:${l.line}`, l.text);

const codeNow = () => data.code[Math.max(0, state.code)];
const codeNumber = fn => data.code.findIndex(c => c.symbol === functionName(fn) && c.object === functionObject(fn));
/* Return the cost of a row for the event of the page. */
function codeCost(row) {
	const c = codeNow(), at = c.events.findIndex(e => e.event === event().name),
		found = row.cost.find(x => x.event === at);
	return found ? found.weight : 0;
}
function codeWhole() {
	const of = codeNow().events.find(e => e.event === event().name);
	return of ? of.weight : 0;
}
const codeShare = r => {
	const v = codeCost(r), pct = codeWhole() ? 100 * v / codeWhole() : 0;
	return v ? make('span', { class: pct >= 10 ? 'hot' : '' }, percent(pct)) : '';
};
function initCode() {
	const place = l => l.file === null ? 'unknown line' :
		`${codeNow().files[l.file].path.replace(/^.*\//s, '')}:${l.line}`;
	lineTable = new VirtualTable($('code-lines'), [
		{ title: 'Line', width: 'minmax(0,1fr)', value: r => r.at, cell: r => make('code', {}, place(r)) },
		{ title: 'Self', num: true, width: '72px', value: codeCost, cell: codeShare },
		{ title: 'Source', width: 'minmax(0,4fr)', value: r => r.text || '',
			cell: r => make('code', { class: 'source' }, r.text || '') }],
	{ label: 'Source lines', pick: r => {
		chosenLine = r.at;
		lineTable.draw();
		instructionTable.draw();
		instructionTable.reveal(i => i.line === r.at);
	}, active: r => r.at === chosenLine, most: 24 });
	instructionTable = new VirtualTable($('code-instructions'), [
		{ title: 'Address', width: '78px', value: r => r.at,
			cell: r => make('code', {}, r.address.replace(/^0x0*/, '')) },
		{ title: 'Self', num: true, width: '72px', value: codeCost, cell: codeShare },
		{ title: 'Instruction', width: 'minmax(0,4fr)', value: r => r.text || '',
			cell: r => make('code', { class: 'source' }, [
				r.target === null ? '' : r.target > r.at ? '\u2193 ' : '\u2191 ',
				r.text || '(unknown)', r.callee ? `  <${r.callee}>` : ''].join('')) }],
	{ label: 'Instructions', title: r => place(codeNow().lines[r.line]),
		active: r => r.line === chosenLine && chosenLine > 0, most: 24,
		pick: r => {
			if (r.target !== null)
				instructionTable.reveal(i => i.at === r.target);
			chosenLine = r.line;
			lineTable.draw();
			instructionTable.draw();
			lineTable.reveal(l => l.at === r.line);
		} });
	lineTable.by = instructionTable.by = 0;
	lineTable.down = instructionTable.down = false;
	$('code').replaceChildren(...data.code.map(
		(c, i) => make('option', { value: i }, `${c.symbol}  (${c.object.replace(/^.*\//s, '')})`)));
	$('code').addEventListener('change', e => change(['view'], { code: +e.target.value }));
}
/*
 * Open the code of a function that has the line of a row of the table of lines.  If the page has no such code, show the
 * callers and callees of the row's function.
 */
function showLine(r) {
	const at = data.code.findIndex(c => c.lines.some(l => l.file !== null && l.line === data.lines.line[r.line] &&
		c.files[l.file].path === data.texts[data.lines.file[r.line]]));
	if (at < 0)
		setFunction(r.fn, 'sandwich');
	else
		change(['view'], { view: 'code', code: at });
}
function drawCode() {
	if (state.view !== 'code')
		return;
	$('view-code').querySelector('.flame-tools').hidden = !data.code.length;
	if (!data.code.length) {
		$('code-note').textContent =
			'No code is on this page: only recordings of perf have the addresses of their samples.';
		return;
	}
	const c = codeNow(), number = rows => rows.map((r, at) => Object.assign(r, { at }));
	$('code').value = Math.max(0, state.code);
	chosenLine = -1;
	$('code-note').textContent = [`Costs are those of the whole recording: 100 % is the self cost of the ` +
		`function, ${cost(codeWhole())}.`, ...c.notes].join('  ');
	lineTable.show(number(c.lines).filter(l => l.instructions || codeCost(l)));
	instructionTable.show(number(c.instructions));
	const hot = c.instructions.reduce((best, r) => codeCost(r) > codeCost(best) ? r : best, c.instructions[0]);
	if (hot) {
		instructionTable.reveal(i => i === hot);
		lineTable.reveal(l => l.at === hot.line);
	}
}
