/*
 * The page of a session: cards select a panel, buttons select its flamegraph.  A flamegraph is taken out of its
 * template and passed to flame.js when it is first shown.
 */
(() => {
'use strict';

const $$ = (s, of) => [...(of || document).querySelectorAll(s)];
const root = document.documentElement, dark = window.matchMedia('(prefers-color-scheme: dark)');
const tabs = $$('#tabs [role=tab]'), panels = $$('.mode');
let theme = '';		/* '': as the system prefers */
let at = -1;

/* ---- light and dark ---- */

const shade = () => theme || (dark.matches ? 'dark' : 'light');
function paint() {
	root.dataset.theme = shade();
	document.getElementById('theme').textContent = shade() === 'dark' ? 'Light' : 'Dark';
	$$('svg.hd-flame').forEach(svg => { svg.dataset.theme = shade(); });
}
function turnTheme() {
	theme = shade() === 'dark' ? 'light' : 'dark';
	paint();
}

/* ---- flamegraphs ---- */

function showPicture(panel, k) {
	const boxes = $$('.picture', panel);
	if (!boxes.length)
		return;
	boxes.forEach((box, i) => { box.hidden = i !== k; });
	$$('.tools button', panel).forEach((b, i) => b.setAttribute('aria-pressed', i === k));
	const template = boxes[k].querySelector('template');
	if (!template) {
		/* lay out the picture again, which had no size while it was hidden */
		window.dispatchEvent(new Event('resize'));
		return;
	}
	boxes[k].append(template.content);
	template.remove();
	const svg = boxes[k].querySelector('svg.hd-flame');
	svg.dataset.theme = shade();
	svg.dispatchEvent(new Event('hd-attach', { bubbles: true }));
}
const chosen = panel => Math.max($$('.picture', panel).findIndex(box => !box.hidden), 0);

/* ---- modes ---- */

function show(i, focus) {
	if (i < 0 || i >= tabs.length)
		return;
	tabs.forEach((t, k) => {
		t.setAttribute('aria-selected', k === i);
		t.tabIndex = k === i ? 0 : -1;
		panels[k].hidden = k !== i;
	});
	if (i !== at)
		showPicture(panels[i], chosen(panels[i]));
	at = i;
	if (focus)
		tabs[i].focus({ preventScroll: true });
	try {
		history.replaceState(null, '', '#' + encodeURIComponent(panels[i].dataset.name));
	} catch (e) {
		/* If the browser forbids changing the address, only the address is lost. */
	}
}
/* Return the index of the panel that the address names, or -1. */
function panelOfAddress() {
	let name = '';
	try {
		name = decodeURIComponent(location.hash.slice(1));
	} catch (e) {
		/* not an address of this page */
	}
	return panels.findIndex(p => p.dataset.name === name);
}

/* ---- events ---- */

tabs.forEach((t, i) => t.addEventListener('click', () => show(i, true)));
document.getElementById('tabs').addEventListener('keydown', e => {
	const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0,
		End: tabs.length - 1 }[e.key];
	if (to === undefined || e.ctrlKey || e.metaKey || e.altKey)
		return;
	show((to + tabs.length) % tabs.length, true);
	e.preventDefault();
});
panels.forEach(panel =>
	$$('.tools button', panel).forEach((b, i) => b.addEventListener('click', () => showPicture(panel, i))));
/* Capture phase: handle keys before the flamegraph, which uses some of them, too. */
document.addEventListener('keydown', e => {
	if (e.ctrlKey || e.metaKey || e.altKey || e.target.localName === 'input')
		return;
	const panel = panels[at], n = panel ? $$('.picture', panel).length : 0;
	if (e.key === 'd') {
		turnTheme();
	} else if (/^[1-9]$/.test(e.key) && +e.key <= tabs.length) {
		show(+e.key - 1, true);
	} else if (e.key === 'f' && n) {
		showPicture(panel, (chosen(panel) + 1) % n);
	} else if (e.key === '/' && n) {
		const input = panel.querySelector('.picture:not([hidden]) .hd-bar input');
		input.focus();
		input.select();
	} else {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}, true);
document.getElementById('theme').addEventListener('click', turnTheme);
dark.addEventListener('change', paint);
window.addEventListener('hashchange', () => show(panelOfAddress(), false));

paint();
show(Math.max(panelOfAddress(), 0), false);
root.classList.add('ready');
})();
