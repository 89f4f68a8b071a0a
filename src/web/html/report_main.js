/*
 * Listen to events and global keys, and draw the page for the first time.
 */
const REPORT_KEYS = [
	['Anywhere', [['/', 'search functions and objects'], ['1 \u2026 8', 'the views'],
		['t  h', 'timeline, heat map'], ['+  \u2212  0', 'zoom into the selected time, out, everything'],
		['Esc', 'remove the selection'], ['d', 'light or dark'], ['?', 'this help'],
		['Alt+\u2190', 'back: the browser\u2019s history has each step']]],
	['Time', [['drag', 'select a range; drag its edge to change it'], ['Shift and drag', 'move the window'],
		['Ctrl and wheel', 'zoom'], ['click', 'remove the range'],
		['\u2190  \u2192', 'move the range; with Shift, its end'], ['Enter', 'zoom into the range']]],
	['Flame graphs', [['click, Enter', 'zoom'], ['double click, Shift+Enter', 'callers and callees'],
		['arrow keys', 'costliest callee, caller, neighbours'], ['Esc', 'reset the zoom']]],
	['Tables', [['\u2191  \u2193', 'move'], ['Enter', 'choose the row'], ['click on a title', 'sort']]],
];
const REPORT_WORDS = [
	['Self', 'cost of the samples that were taken in the function.'],
	['Total', 'self and everything that it calls; recursion counts once.'],
	['Selection', 'all views show the selected time and threads. The address of the page has the ' +
		'selection, so it can be shared.'],
	['Timeline', 'height: cost of the samples in that moment, in all lanes to one scale; the lighter part ' +
		'is in the kernel.'],
	['Heat map', 'one column per period, from top to bottom its parts. Periodic work makes lines.'],
	['Colours', 'orange: user code, green: inlined, blue: kernel, violet: generated code, grey: unknown. ' +
		'The shade is that of the name, and the same in every picture.'],
];

const inField = e => e.target.closest('input,select,textarea,dialog');
function setFind(find) {
	$('find').value = find;
	change(['find'], { find }, false);
}
function setHeat(on) {
	if (event().time && on !== state.heat)
		change(['window'], { heat: on });
}
function buildHead() {
	$('title').textContent = raw.title;
	const header = data.info.header || {}, command = (header.cmdline || []).join(' ');
	$('subtitle').textContent = [command || raw.input, header.hostname, header.cpudesc].filter(Boolean)
		.join('  \u00b7  ');
	$('subtitle').title = command;
	$('event').replaceChildren(...data.events.map((e, i) => e.samples || e.weight ?
		make('option', { value: i }, `${e.name} (${count(e.samples, 'sample')})`) : '').filter(Boolean));
	$('event').addEventListener('change', e => setEvent(+e.target.value));
	$('find').addEventListener('input', e => change(['find'], { find: e.target.value }, false));
	$('find').addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			setFind('');
			$('flame-box').focus({ preventScroll: true });
		}
	});
	$('theme').addEventListener('click', turnTheme);
	$('help-open').addEventListener('click', openHelp);
	$('foot').textContent = `Written by hotdrift ${raw.hotdrift}. This page is complete: it fetches nothing.`;
}
function showEvent() {
	$('event').value = state.event;
	$('find').value = state.find;
	$('time').hidden = !event().time && !$('gpu');
	$('time').classList.toggle('timeless', !event().time);
	if (event().time)
		buildLanes();
	buildGlance();
	buildQuality();
}
function showTime() {
	document.querySelectorAll('[data-draw]')
		.forEach(b => b.setAttribute('aria-pressed', (b.dataset.draw === 'heat') === state.heat));
	$('lanes').hidden = state.heat || !event().time;
	$('heat').hidden = !state.heat || !event().time;
	drawLanes();
	drawHeat();
	sayTime();
}
function showView() {
	for (const tab of document.querySelectorAll('[role=tab]')) {
		const on = tab.dataset.view === state.view;
		tab.setAttribute('aria-selected', on);
		tab.tabIndex = on ? 0 : -1;
		$(tab.getAttribute('aria-controls')).hidden = !on;
		if (on && tab.parentNode.scrollWidth > tab.parentNode.clientWidth)
			tab.parentNode.scrollLeft = tab.offsetLeft - 40;
	}
	drawViews();
}
function drawViews() {
	drawFlame();
	drawSandwich();
	drawTables();
	drawCode();
}
function onTabKey(e) {
	const at = VIEWS.indexOf(state.view),
		to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: VIEWS.length - 1 }[e.key];
	if (to === undefined || e.ctrlKey || e.metaKey || e.altKey)
		return;
	const view = VIEWS[(to + VIEWS.length) % VIEWS.length];
	setView(view);
	$(`tab-${view}`).focus({ preventScroll: true });
	e.preventDefault();
}
const KEYS = {
	'/': () => {
		$('find').focus();
		$('find').select();
	}, '?': openHelp, d: turnTheme, t: () => setHeat(false), h: () => setHeat(true),
	'+': () => event().time && zoomIn(), '=': () => event().time && zoomIn(),
	'-': () => event().time && zoomTime(2), 0: () => setWindow(null),
	Escape: () => (state.range || state.threads) && change(['selection'], { range: null, threads: null }),
};
function onKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || inField(e))
		return;
	const f = /^[1-8]$/.test(e.key) ? () => setView(VIEWS[e.key - 1]) : KEYS[e.key];
	if (f) {
		e.preventDefault();
		f();
	}
}

function start() {
	showTheme();
	buildHead();
	buildHelp(REPORT_KEYS, REPORT_WORDS);
	initFlame();
	initSandwich();
	initTables();
	initCode();
	buildHeat();
	recall();
	listen('event', showEvent);
	listen('find', search);
	listen('selection window event', showTime);
	listen('cursor', () => { drawLanes(); sayTime(); });
	listen('selection event', saySelected);
	listen('view', showView);
	listen('selection function find event', drawViews);
	themeListeners.push(() => changed('window', 'view'));
	document.querySelectorAll('[role=tab]')
		.forEach(tab => tab.addEventListener('click', () => setView(tab.dataset.view)));
	$('tabs').addEventListener('keydown', onTabKey);
	document.querySelectorAll('[data-draw]')
		.forEach(b => b.addEventListener('click', () => setHeat(b.dataset.draw === 'heat')));
	document.querySelectorAll('[data-do]').forEach(b => b.addEventListener('click',
		() => ({ in: zoomIn, out: () => zoomTime(2), all: () => setWindow(null) })[b.dataset.do]()));
	document.addEventListener('keydown', onKey);
	window.addEventListener('hashchange', recall);
	window.addEventListener('popstate', recall);
	flush();
}
if (data.events.some(e => e.samples || e.weight))
	start();
else
	document.querySelector('main').replaceChildren(make('p', { class: 'note' }, 'No samples are selected.'));
document.documentElement.classList.add('ready');
