/*
 * Constants and texts of the flamegraphs.  hd_flamegraph_js() joins the files flame*.js to one script, inside one
 * function: flame_text.js, flame_tree.js and flame_help.js first, then the files of one picture (see flame_view.js).
 */
const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const MIN_PX = 0.1;		/* narrower frames get no element */
const GAP = 0.6;		/* px between frames that are wider than GAP_FROM */
const GAP_FROM = 3;
const NARROW = 860;		/* in pictures below this width, the tools are on a separate line */
const STRIP = 46, STRIP_NARROW = 82;	/* height of the tools when they float over the frames */
const KIND = { u: '', i: 'inlined', j: 'JIT', k: 'kernel', g: 'GPU', q: 'unknown', c: '', r: 'grew', b: 'shrank',
	z: 'no change beyond chance',
	v: 'only in the base', n: 'summed up' };
const HINT =
	'Click a frame to zoom  \u00b7  / to search  \u00b7  arrow keys to move, Enter to zoom  \u00b7  ? for all keys';
const MOST_DRAWN = 30000;	/* limit of frames with an element; narrower frames get one when they are zoomed */
/* A name is cut only between these: escapes of the visible form and whole characters. */
const UNIT = /\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\[\\e]|./gsu;
const WIDE = new RegExp('[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60' +
	'\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]', 'u');

function make(ns, tag, attrs, text) {
	const e = document.createElementNS(ns, tag);
	for (const k in attrs)
		e.setAttribute(k, attrs[k]);
	if (text !== undefined)
		e.textContent = text;
	return e;
}

/* ---- numbers, as render/unit_text.c writes them ---- */

function thousands(n, digits) {
	const [whole, part] = n.toFixed(digits).split('.');
	return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part ? '.' + part : '');
}

function parseSteps(svg) {
	return (svg.dataset.steps || '0 1 ').split('|').map(s => {
		const [from, div, label] = s.split(' ');
		return { from: +from, div: +div, label: label || '' };
	});
}

const PLURAL = /^(allocation|cycle|event|instruction|sample)s$/;

function weightText(w, steps, suffix) {
	let i = steps.length - 1, digits = 0;
	while (i > 0 && w < steps[i].from)
		i--;
	if (i > 0 && i + 1 < steps.length && Math.round(w / steps[i].div) * steps[i].div >= steps[i + 1].from)
		i++;
	const v = w / steps[i].div, name = w === 1 ? suffix.replace(PLURAL, '$1') : suffix,
		unit = [steps[i].label, name].filter(s => s).join(' ');
	if (steps[i].div > 1)
		for (digits = 2; digits && Math.round(v * 10 ** digits) >= 1000;)
			digits--;
	return thousands(v, digits) + (unit ? ' ' + unit : '');
}

function share(part, all) {
	const h = all ? Math.round(part / all * 10000) : 0;
	return h === 0 && part > 0 ? '<0.01%' : thousands(h / 100, 2) + '%';
}

/* ---- text that fits ---- */

function columns(s) {
	if (/^[\x20-\x7e]*$/.test(s))
		return s.length;
	let n = 0;
	for (const c of s)
		n += WIDE.test(c) ? 2 : 1;
	return n;
}
function cut(s, room) {
	if (columns(s) <= room)
		return s;
	let out = '', used = 1;
	for (const [unit] of s.matchAll(UNIT)) {
		used += columns(unit);
		if (used > room)
			break;
		out += unit;
	}
	return out + '\u2026';
}
/* Return the index of the next part of a qualified name, outside <> and (); the length of the name if there is none. */
function nextPart(s, from) {
	for (let i = from, deep = 0; i + 2 < s.length; i++) {
		if (s[i] === '<' || s[i] === '(')
			deep++;
		else if ((s[i] === '>' || s[i] === ')') && deep)
			deep--;
		else if (!deep && s[i] === ':' && s[i + 1] === ':')
			return i + 2;
	}
	return s.length;
}
/* Drop namespaces of a function name first, then its end, as render/svg_text.c does. */
function shorten(s, room) {
	if (columns(s) <= room)
		return s;
	let part = 0;
	for (let next; (next = nextPart(s, part)) < s.length;) {
		part = next;
		if (s.length - part <= 4 * room && columns(s.slice(part)) + 1 <= room)
			return '\u2026' + s.slice(part);
	}
	return cut(s.slice(part), room);
}
/* Cut a line of the head to its width; the tooltip has the whole text. */
function fitLine(text, room) {
	const whole = text.querySelector('title').textContent, node = text.lastChild;
	node.data = whole;
	for (let n = whole.length; n > 1 && text.getComputedTextLength() > room;) {
		n = Math.min(n - 1, Math.floor(n * room / text.getComputedTextLength()));
		node.data = cut(whole, Math.max(n, 1));
	}
}
