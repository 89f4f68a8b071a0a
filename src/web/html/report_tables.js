/*
 * Show the tables of functions, objects, threads and lines of the selected samples.
 */
const tables = {};
const shareColumn = (title, value, of = () => totals().weight) =>
	({ title, num: true, width: '84px', value, cell: r => share(value(r), of()) });
const weightColumn = (title, value) =>
	({ title, num: true, width: '104px', wide: true, value, cell: r => cost(value(r)) });
const samplesColumn = value =>
	({ title: 'Samples', num: true, width: '92px', wide: true, value, cell: r => thousands(value(r)) });
const bar = (v, of) =>
	make('i', { class: 'share-bar', style: `width:${of > 0 ? Math.min(100, 100 * v / of).toFixed(2) : 0}%` });

function initTables() {
	const name = r => functionName(r.fn);
	tables.functions = new VirtualTable($('view-functions'), [shareColumn('Self', r => r.self),
		weightColumn('Self cost', r => r.self), shareColumn('Total', r => r.total),
		weightColumn('Total cost', r => r.total), samplesColumn(r => r.samples),
		{ title: 'Function', width: 'minmax(0,3fr)', value: name,
			cell: r => make('span', { class: 'bar-cell' }, bar(r.self, totals().weight), make('i',
			{ class: 'swatch', style: `background:${ink.frame[data.functions.classes[0][r.fn]]}` }),
			make('code', {}, name(r))) },
		{ title: 'Object', width: 'minmax(0,1fr)', wide: true, value: r => objectName(r.fn) }],
	{ label: 'Functions', pick: r => setFunction(r.fn, 'sandwich'), title: name, active: r => r.fn === state.fn });
	tables.objects = new VirtualTable($('view-objects'),
		[shareColumn('Self', r => r[1]), weightColumn('Self cost', r => r[1]), samplesColumn(r => r[2]),
		{ title: 'Object', width: 'minmax(0,3fr)', value: r => data.texts[r[0]],
			cell: r => make('span', { class: 'bar-cell' }, bar(r[1], totals().weight),
			make('code', {}, data.texts[r[0]] || '[unknown]')) }],
	{ label: 'Objects', pick: r => setFind(data.texts[r[0]]), title: r => data.texts[r[0]] });
	tables.threads = new VirtualTable($('view-threads'), [shareColumn('Self', r => r.self, () => rangeWeight()),
		weightColumn('Self cost', r => r.self), samplesColumn(r => r.samples),
		{ title: 'Thread', width: 'minmax(0,3fr)', value: r => threadName(r.thread),
			cell: r => make('span', { class: 'bar-cell' }, bar(r.self, rangeWeight()),
			make('code', {}, threadName(r.thread))) }],
	{ label: 'Threads', pick: (r, e) => toggleThread(r.thread, !(e.ctrlKey || e.metaKey || e.shiftKey)),
		active: r => !!state.threads && state.threads.has(r.thread) });
	tables.lines = new VirtualTable($('view-lines'),
		[shareColumn('Self', r => r.self), weightColumn('Self cost', r => r.self),
		{ title: 'Line', width: 'minmax(0,2fr)', value: r => lineName(r.line), cell: r => make('span',
			{ class: 'bar-cell' }, bar(r.self, totals().weight), make('code', {}, lineName(r.line))) },
		{ title: 'Source', width: 'minmax(0,3fr)', wide: true, value: sourceOf,
			cell: r => make('code', { class: 'source' }, sourceOf(r).trim()) },
		{ title: 'Function', width: 'minmax(0,2fr)', value: name, cell: r => make('code', {}, name(r)) }],
	{ label: 'Lines', pick: showLine,
		title: r => `${data.texts[data.lines.file[r.line]]}:${data.lines.line[r.line]}` });
}
const sourceOf = r => codeText.get(`${data.texts[data.lines.file[r.line]]}:${data.lines.line[r.line]}`) || '';
const rangeWeight = () => totals().threadSelf.reduce((sum, w) => sum + w, 0);
const matches = (...texts) => !state.find || texts.join(' ').toLowerCase().includes(state.find.toLowerCase());
const filtered = (n, all) => state.find ? `${count(n, 'row')} of ${thousands(all)} match the search` : '';

const drawTable = {
	functions() {
		const s = totals(), rows = [];
		let all = 0;
		for (let f = 2; f < data.functions.n; f++)
			if (s.functionTotal[f] || s.functionSelf[f]) {
				all++;
				if (!hits || hits[f])
					rows.push({ fn: f, self: s.functionSelf[f], total: s.functionTotal[f],
						samples: s.functionSamples[f] });
			}
		const inlined = 'An inlined function has the cost of its own instructions, as in ' +
			'\u2018hotdrift top --inline\u2019. ';
		tables.functions.show(rows, filtered(rows.length, all) ||
			`${raw.inlined ? inlined : ''}Click a function for its callers and callees.`);
	},
	objects() {
		const rows = sumObjects(totals());
		tables.objects.show(rows.filter(r => matches(data.texts[r[0]])), 'Click an object to search for it.');
	},
	threads() {
		const s = totals(), rows = Array.from({ length: threads.n },
			(_, t) => ({ thread: t, self: s.threadSelf[t], samples: s.threadSamples[t] }))
			.filter(r => r.self || r.samples);
		tables.threads.show(rows.filter(r => matches(threadName(r.thread))),
			'Click a thread to see only its samples; with Ctrl or Shift, add or remove it.');
	},
	lines() {
		const all = data.lines.n > 1 ? sumLines(event(), totals(), -1) : [],
			rows = all.filter(r => matches(lineName(r.line), functionName(r.fn)));
		tables.lines.show(rows, data.lines.n < 2 ? 'No line is known: the objects have no line tables. Build ' +
			'with -g, or pass --symfs or debug files.' : filtered(rows.length, all.length));
	},
};
function drawTables() {
	if (drawTable[state.view])
		drawTable[state.view]();
}
