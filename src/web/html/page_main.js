/*
 * Listen to events and global keys, and draw the page for the first time.
 */
const inField = e => e.target.closest('input,select,textarea,dialog');

function laneName(l) {
	const others = lanes.filter(o => o.target === l.target && o.event === l.event && o !== l),
		parts = [l.target, l.event || 'measurements'];
	if (others.some(o => o.mode !== l.mode) || l.mode !== 'cpu')
		parts.push(l.mode);
	if (others.some(o => o.inline !== l.inline))
		parts.push(l.inline);
	if (others.some(o => o.machine !== l.machine))
		parts.push(`${l.cpu || 'unknown machine'} ${l.machine.slice(0, 6)}`);
	if (l.selection || others.some(o => o.selection))
		parts.push(l.selection || 'all samples');
	if (others.some(o => o.stacks !== l.stacks))
		parts.push(`stacks by ${l.stacks || 'an unknown method'}`);
	if (others.some(o => o.config !== l.config))
		parts.push(l.config ? `config ${l.config.slice(0, 6)}` : 'no config');
	return parts.join(' \u00b7 ');
}
function buildHead() {
	$('title').textContent = text(raw.title);
	$('lane').replaceChildren(
		...lanes.map(l => make('option', { value: l.number }, `${laneName(l)} (${thousands(l.n)})`)));
	$('lane').addEventListener('change', e => setLane(+e.target.value));
	$('filter').addEventListener('input', e => { state.filter = e.target.value; changed('filter'); settleSoon(); });
	$('filter').addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			e.target.value = state.filter = '';
			changed('filter', 'settled');
			$('charts').focus({ preventScroll: true });
		}
	});
	$('theme').addEventListener('click', turnTheme);
	$('help-open').addEventListener('click', openHelp);
	$('foot').textContent = `Written by hotdrift ${raw.hotdrift}. This page is complete: it fetches nothing.`;
}
function sayHead() {
	const lane = state.lane, commits = new Set(lane.run.map(r => raw.runs.commit[r]));
	commits.delete(0);
	$('subtitle').textContent = `${count(lane.n, 'run')}, ${count(commits.size, 'commit')}, ` +
		`${lane.event || 'measurements'}${lane.cpu ? `, ${lane.cpu}` : ''}`;
	$('lane').value = lane.number;
	$('filter').value = state.filter;
}
function onKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || inField(e))
		return;
	const f = RANGE_KEYS[e.key] || { '/': () => {
		$('filter').focus();
		$('filter').select();
	}, '?': openHelp, d: turnTheme }[e.key];
	if (f) {
		e.preventDefault();
		f();
	}
}

function start() {
	showTheme();
	buildHead();
	buildHelp(HELP_KEYS, HELP_WORDS);
	recall();
	listen('lane', sayHead, 0);
	listen('lane', buildPanels);
	listen('lane shown range focus', drawPanels);
	listen('lane cursor', () => { updateRun(); updatePanels(); updateSymbols(); drawCross(); });
	listen('lane', () => { changesAll = false; showGlance(); });
	listen('lane', () => { buildSymbols(); buildTop(); fillSelects(); });
	listen('shown filter', paintSymbols);
	listen('settled lane', showChanges);
	listen('settled', showTop);
	listen('lane pair', showFlame);
	themeListeners.push(() => {
		panels.forEach(p => p.draw(true));
		if (strip)
			drawStrip();
		paintSymbols();
		updatePanels();
		showFlame();
		drawTop(true);
	});
	initPointer();
	initTop();
	initFlame();
	document.addEventListener('keydown', onKey);
	window.addEventListener('hashchange', () => { recall(); changed('lane'); });
	let width = window.innerWidth;
	window.addEventListener('resize', () => {
		if (window.innerWidth !== width) {
			width = window.innerWidth;
			requestAnimationFrame(drawPanels);
		}
	});
	changed('lane');
	flush();
}
if (lanes.length)
	start();
else
	document.querySelector('main').replaceChildren(make('p', { class: 'note' }, 'None of these runs has samples.'));
document.documentElement.classList.add('ready');
