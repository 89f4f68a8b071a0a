/*
 * Fill the cards, and show the quality of the recording: advice, and the output of `hotdrift info`.
 */
const grade = () => data.info.quality && data.info.quality.grade,
	losses = () => (data.info.warnings || []).filter(w => w.code.startsWith('lost.'));

function buildGlance() {
	const e = event(), s = sumUp(e, null, null), fn = hottest(s),
		card = (title, big, small, cls = '') => make('div', { class: `card ${cls}`.trim() },
		make('h3', {}, title), make('p', { class: 'big cut' }, big), make('p', { class: 'mute cut' }, small));
	const q = data.info.quality || {},
		parts = [card('Samples', thousands(e.samples), `${e.name}, ${cost(e.weight)}`)];
	if (losses().length)
		parts.push(card('Recording', make('span', { class: 'v-fail' }, 'incomplete'),
			'see Quality'));
	if (e.time)
		parts.push(card('Time', spanText(lastTick()), 'first to last sample'));
	if (threads.n > 1 || e.time)
		parts.push(card('Threads', thousands(s.threadSelf.filter(w => w > 0).length),
			`${s.weight ? share(s.threadSelf.reduce((m, w) => Math.max(m, w), 0), s.weight) : '\u2013'} ` +
			`in the busiest`));
	const hot = fn > 1 && card('Hottest function', make('code', {}, functionName(fn)),
		`${share(s.functionSelf[fn], s.weight)} self, ${share(s.functionTotal[fn], s.weight)} total`, 'wide');
	if (grade())
		parts.push(card('Stack quality', make('span', { class: { good: 'v-pass', fair: 'v-inconclusive',
			poor: 'v-fail' }[grade()] || '' }, grade()), `${percent(q.root_pct)} reach their root`));
	$('glance').replaceChildren(...parts, hot || '');
}
function buildQuality() {
	const warnings = data.info.warnings || [], e = event(), notes = [];
	if (nodes.cut)
		notes.push(`${count(nodes.cut, 'frame')} of rare stacks are not on this page; their cost is that of ` +
			`\u201c${functionName(1)}\u201d below their caller. The tables are complete.`);
	if (e.time && e.clock > 1000)
		notes.push(`Times are in steps of ${spanText(1)}, so that the page stays small.`);
	if (!e.time)
		notes.push(`This ${raw.input || 'input'} has no times of its samples, so there is no timeline and ` +
			`no heat map.`);
	$('view-quality').replaceChildren(make('h3', {}, warnings.length ? 'Advice' : 'No warnings'),
		make('ul', { class: 'advice' }, ...warnings.map(w => make('li', {}, make('p', {}, w.text,
			w.count > 1 ? make('span', { class: 'mute' }, `  (${thousands(w.count)} times)`) : ''),
			w.fix ? make('p', { class: 'mute' }, w.fix) : '', make('small', {}, w.code))),
			...notes.map(n => make('li', {}, make('p', {}, n)))),
		make('h3', {}, 'hotdrift info'),
		make('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'Output of hotdrift info' }, data.advice));
}
