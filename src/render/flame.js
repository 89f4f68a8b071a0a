/*
 * The behaviour of a flamegraph.  The layout is derived from the weights in data-f, not from drawn elements.  Names are
 * read and written with textContent; no string is parsed as markup.
 */
(() => {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const MIN_PX = 0.1;		/* narrower frames get no element */
const GAP = 0.6;		/* between neighbours that are wider than GAP_FROM */
const GAP_FROM = 3;
const NARROW = 860;		/* in narrower pictures the tools have a separate line */
const STRIP = 46, STRIP_NARROW = 82;	/* height of the tools when they float over the frames */
const KIND = { u: '', i: 'inlined', j: 'JIT', k: 'kernel', g: 'GPU', q: 'unknown', c: '', r: 'grew', b: 'shrank', z: 'no change beyond chance' };
const HINT = 'Click a frame to zoom  \u00b7  / to search  \u00b7  arrow keys to move, Enter to zoom  \u00b7  Esc to reset';
/* A name is cut only between these: escapes of the visible form and whole characters. */
const UNIT = /\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\[\\e]|./gsu;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

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

function weightText(w, steps, suffix) {
	let i = steps.length - 1, digits = 0;
	while (i > 0 && w < steps[i].from)
		i--;
	if (i > 0 && i + 1 < steps.length && Math.round(w / steps[i].div) * steps[i].div >= steps[i + 1].from)
		i++;
	const v = w / steps[i].div, unit = steps[i].label + suffix;
	if (steps[i].div > 1)
		for (digits = 2; digits && Math.round(v * 10 ** digits) >= 1000;)
			digits--;
	return thousands(v, digits) + (unit ? ' ' + unit : '');
}

function share(part, all) {
	const h = all ? Math.round(part / all * 10000) : 0;
	return h === 0 && part > 0 ? '<0.01%' : thousands(h / 100, 2) + '%';
}

/* ---- one picture ---- */

function attach(svg) {
	const alone = svg === document.documentElement;
	const graph = svg.querySelector('.hd-graph'), head = svg.querySelector('.hd-head');
	const [PAD, ROW, HEAD, FOOT, BASELINE, TEXT_PAD, MIN_TEXT] = svg.dataset.geometry.split(' ').map(Number);
	const steps = parseSteps(svg), suffix = svg.dataset.suffix || '';
	const rows = [...graph.children];
	/* One element per frame; the frames of row d are first[d] .. first[d + 1] - 1. */
	const el = [], start = [], total = [], samples = [], self = [], depth = [], parent = [], first = [0];
	const titles = [], rects = [], texts = [], faded = [], base = [], names = [], shown = [], label = [], matched = [];
	const index = new Map();
	let icicle = svg.dataset.orient === 'icicle';
	let W = 0, top = HEAD, zoom = 0, cursor = 0, hover = -1, query = '', regex = false, order = [];
	let charWidth = 7.23, narrow = false, toolsWidth = 500, statusY = 0, floated = false, seen = window.innerHeight;

	rows.forEach((row, d) => {
		const nums = row.dataset.f.split(' '), was = row.dataset.b ? row.dataset.b.split(' ') : [];
		let end = 0, p = d ? first[d - 1] : 0;
		[...row.children].forEach((g, k) => {
			const i = el.length, [gap, t, n, s] = nums[k].split(',').map(Number);
			el.push(g); index.set(g, i); depth.push(d);
			base.push(k < was.length ? +was[k] : undefined);
			start.push(end + gap); total.push(t); samples.push(n); self.push(s);
			end += gap + t;
			while (d && p + 1 < first[d] && start[p] + total[p] <= start[i])
				p++;
			parent.push(d ? p : -1);
			const [title, rect, text] = g.children;
			titles.push(title); rects.push(rect); texts.push(text || null);
			label.push(text ? text.textContent : '');
			shown.push(true); matched.push(false); faded.push(false);
		});
		first.push(el.length);
	});
	if (!el.length)
		return;

	/* A name is the first line of its title; the name itself contains no line end. */
	function name(i) {
		if (names[i] === undefined) {
			const text = titles[i].textContent;
			names[i] = text.slice(0, text.lastIndexOf('\n'));
		}
		return names[i];
	}
	const weight = w => weightText(w, steps, suffix);
	const kind = i => KIND[rects[i].getAttribute('class')[0]];
	const inZoom = i => depth[i] >= depth[zoom] && start[i] >= start[zoom] && start[i] + total[i] <= start[zoom] + total[zoom];
	const above = i => depth[i] < depth[zoom] && start[i] <= start[zoom] && start[i] + total[i] >= start[zoom] + total[zoom];
	const rowY = d => (icicle ? d : rows.length - 1 - d) * ROW;

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
	/* Drop namespaces of a function name first, then its end, as render/svg_text.c does. */
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
	/* Cut a line of the head; its title has the whole text. */
	function fitLine(text, room) {
		const whole = text.querySelector('title').textContent, node = text.lastChild;
		node.data = whole;
		for (let n = whole.length; n > 1 && text.getComputedTextLength() > room;) {
			n = Math.min(n - 1, Math.floor(n * room / text.getComputedTextLength()));
			node.data = cut(whole, Math.max(n, 1));
		}
	}

	/* ---- layout ---- */

	function drawFrame(i, x, w, fade) {
		const rect = rects[i];
		let text = texts[i];
		if (!shown[i]) {
			el[i].style.display = '';
			shown[i] = true;
		}
		if (fade !== faded[i]) {
			el[i].classList.toggle('fade', fade);
			faded[i] = fade;
		}
		rect.setAttribute('x', (PAD + x).toFixed(2));
		rect.setAttribute('width', Math.max(w - (w > GAP_FROM ? GAP : 0), MIN_PX).toFixed(2));
		if (w < MIN_TEXT) {
			if (text) {
				text.remove();
				texts[i] = null;
				label[i] = '';
			}
			return;
		}
		const want = shorten(name(i), Math.floor((w - 2 * TEXT_PAD) / charWidth));
		if (!text) {
			text = texts[i] = make(SVG, 'text', { y: BASELINE });
			el[i].append(text);
		}
		text.setAttribute('x', (PAD + x + TEXT_PAD).toFixed(2));
		if (want !== label[i])
			text.textContent = label[i] = want;
	}
	function hideFrame(i) {
		if (shown[i]) {
			el[i].style.display = 'none';
			shown[i] = false;
		}
	}
	function drawFrames() {
		const span = W - 2 * PAD, k = total[zoom] ? span / total[zoom] : 0;
		for (let i = 0; i < el.length; i++) {
			if (above(i))
				drawFrame(i, 0, span, true);
			else if (inZoom(i) && (total[i] * k >= MIN_PX || i === 0))
				drawFrame(i, (start[i] - start[zoom]) * k, total[i] * k, false);
			else
				hideFrame(i);
		}
		graph.setAttribute('transform', `translate(0,${top})`);
		rows.forEach((row, d) => row.setAttribute('transform', `translate(0,${rowY(d)})`));
		mark(ring, cursor, ring.dataset.on);
		mark(over, hover, hover >= 0);
	}
	function drawHead() {
		const title = head.querySelector('.hd-title'), sub = head.querySelector('.hd-sub'), note = head.querySelector('.hd-note');
		let y = 28, x = PAD;
		narrow = W < NARROW;
		/* The search field shrinks, so that all buttons fit into a narrow window. */
		input.style.width = '';
		const over = bar.getBoundingClientRect().width - (W - 2 * PAD);
		if (over > 0)
			input.style.width = Math.max(60, input.getBoundingClientRect().width - over) + 'px';
		toolsWidth = bar.getBoundingClientRect().width || 500;
		toolsBox.setAttribute('width', toolsWidth + 2);
		toolsBox.setAttribute('height', 32);
		fitLine(title, W - 2 * PAD - (narrow ? 0 : toolsWidth + 12));
		strips[2].textContent = title.lastChild.data;
		y += narrow ? 62 : 22;
		sub.setAttribute('y', y);
		fitLine(sub, W - 2 * PAD);
		y += 24;
		for (const key of head.querySelectorAll('.hd-key')) {
			const [rect, text] = key.children;
			rect.setAttribute('x', x);
			rect.setAttribute('y', y - 10);
			text.setAttribute('x', x + 17);
			text.setAttribute('y', y);
			x += 17 + text.getComputedTextLength() + 16;
		}
		note.lastChild.data = note.querySelector('title').textContent;
		if (x > PAD && x + note.getComputedTextLength() > W - PAD) {
			x = PAD;
			y += 20;
		}
		note.setAttribute('x', x);
		note.setAttribute('y', y);
		fitLine(note, W - PAD - x);
		statusY = y + 23;
		top = Math.max(HEAD, statusY + 14);
		head.querySelector('.hd-paper').setAttribute('height', top - 6);
	}
	/* Tools and status are in the head, or float over a picture that is taller than the window. */
	function stick() {
		const scroll = alone ? window.scrollY : 0, floats = scroll > 0, strip = narrow ? STRIP_NARROW : STRIP;
		floating.setAttribute('transform', `translate(0,${scroll})`);
		strips.forEach(e => { e.style.display = floats ? '' : 'none'; });
		strips[0].setAttribute('width', W);
		strips[0].setAttribute('height', strip);
		strips[1].setAttribute('x2', W);
		strips[1].setAttribute('y1', strip);
		strips[1].setAttribute('y2', strip);
		toolsBox.setAttribute('x', narrow ? PAD : W - PAD - toolsWidth);
		toolsBox.setAttribute('y', narrow ? (floats ? 46 : 40) : 9);
		statusLine.setAttribute('x', PAD);
		statusLine.setAttribute('y', floats ? 37 : statusY);
		if (floats !== floated) {
			floated = floats;
			say();
		}
	}
	function layout() {
		svg.setAttribute('width', '100%');
		svg.removeAttribute('viewBox');
		W = Math.max(svg.getBoundingClientRect().width, 300);
		charWidth = measure();
		drawHead();
		const height = top + rows.length * ROW + FOOT;
		svg.setAttribute('height', alone ? Math.max(height, window.innerHeight) : height);
		drawFrames();
		stick();
	}
	function measure() {
		const text = make(SVG, 'text', {}, 'M'.repeat(100));
		rows[0].append(text);
		const w = text.getComputedTextLength() / 100;
		text.remove();
		return w || charWidth;
	}

	/* ---- description of a frame ---- */

	function setHover(i) {
		if (i === hover)
			return;
		/* Remove the title, because the browser would show it as a second tooltip next to the card. */
		if (hover >= 0)
			el[hover].prepend(titles[hover]);
		hover = i;
		mark(over, i, i >= 0);
		if (i >= 0) {
			titles[i].remove();
			fillCard(i);
		} else {
			cardBox.style.display = 'none';
		}
	}
	function fillCard(i) {
		const table = make(HTML, 'table', {}), tag = kind(i);
		const row = (cells, tagName) => {
			const tr = make(HTML, 'tr', {});
			cells.forEach(c => tr.append(make(HTML, tagName, {}, c)));
			table.append(tr);
		};
		const cols = zoom ? ['of all', 'of zoomed'] : ['of all'];
		const shares = w => zoom ? [share(w, total[0]), inZoom(i) ? share(w, total[zoom]) : ''] : [share(w, total[0])];
		row(['', 'weight', ...cols], 'th');
		row(['total', weight(total[i]), ...shares(total[i])], 'td');
		row(['self', weight(self[i]), ...shares(self[i])], 'td');
		if (suffix !== 'samples')
			row(['samples', thousands(samples[i], 0), share(samples[i], samples[0])], 'td');
		if (base[i] !== undefined) {
			const points = total[i] / total[0] * 100 - base[i] / 100;
			row(['base', `${points < 0 ? '' : '+'}${points.toFixed(2)} points`, thousands(base[i] / 100, 2) + '%'], 'td');
		}
		card.replaceChildren(make(HTML, 'b', {}, name(i)));
		if (tag)
			card.append(make(HTML, 'i', {}, tag));
		card.append(table);
	}
	/* Place the card next to (x, y) of the picture, where the window has room. */
	function placeCard(x, y) {
		const box = svg.getBoundingClientRect(), room = document.documentElement;
		cardBox.style.display = '';
		cardBox.setAttribute('width', Math.max(Math.min(560, W - 16), 100));
		const w = card.offsetWidth, h = card.offsetHeight, winH = window.innerHeight || room.clientHeight;
		cardBox.setAttribute('height', h + 2);
		let left = x + 14, at = y + 18;
		if (left + w > W - 8)
			left = Math.max(8, Math.min(x - w - 14, W - 8 - w));
		if (at + box.top + h > winH - 4 && y - h - 12 + box.top > 0)
			at = y - h - 12;
		cardBox.setAttribute('x', left);
		cardBox.setAttribute('y', at);
	}
	function mark(rect, i, on) {
		rect.style.display = on && i >= 0 && shown[i] ? '' : 'none';
		if (!on || i < 0)
			return;
		for (const k of ['x', 'width', 'height'])
			rect.setAttribute(k, rects[i].getAttribute(k));
		rect.setAttribute('y', rowY(depth[i]));
	}
	function say() {
		const room = W - 2 * PAD - (floated && !narrow ? toolsWidth + 16 : 0);
		const put = (text, cls) => statusLine.append(cls === undefined ? document.createTextNode(text) :
			make(SVG, 'tspan', cls ? { class: cls } : {}, text));
		const sayZoom = () => {
			put('Zoomed into ');
			put(cut(name(zoom), Math.max(Math.floor(room / 7.2) - (query ? 85 : 40), 16)), '');
			put(`: ${weight(total[zoom])}, ${share(total[zoom], total[0])} of all`);
		};
		const sayMatches = () => {
			put(`${badRegex ? 'Not a regular expression, searched as text: ' : ''}${thousands(order.length, 0)} matched, `);
			put(share(matchedWeight(0), total[0]), 'hd-share');
			put(' of all');
			if (zoom) {
				put(', ');
				put(share(matchedWeight(zoom), total[zoom]), 'hd-share');
				put(' of zoomed');
			}
		};
		statusLine.replaceChildren();
		if (zoom)
			sayZoom();
		if (zoom && query)
			put('  \u00b7  ');
		if (query)
			sayMatches();
		if (zoom && query && statusLine.getComputedTextLength() > room) {
			statusLine.replaceChildren();
			sayMatches();
		}
		if (!zoom && !query)
			put(cut(HINT, Math.floor(room / 7.2)));
		reset.disabled = !zoom && !query;
	}

	/* ---- search ---- */

	let badRegex = false;
	function matcher(text) {
		badRegex = false;
		if (regex)
			try {
				return new RegExp(text, 'iu');
			} catch (e) {
				badRegex = true;
			}
		return new RegExp(text.replace(/[\\^$.*+?()[\]{}|\/]/g, '\\$&'), 'iu');
	}
	function search(text) {
		query = text;
		badRegex = false;
		order = [];
		const re = text ? matcher(text) : null;
		for (let i = 1; i < el.length; i++) {	/* skip the root, which has no name */
			const hit = re !== null && re.test(name(i));
			if (hit !== matched[i]) {
				matched[i] = hit;
				el[i].classList.toggle('m', hit);
			}
			if (hit)
				order.push(i);
		}
		order.sort((a, b) => total[b] - total[a] || a - b);
		svg.classList.toggle('searching', text !== '');
		input.classList.toggle('bad', badRegex);
		if (input.value !== text)
			input.value = text;
		say();
	}
	/* Frames below a match are not counted again. */
	function matchedWeight(root) {
		const covered = [];
		let sum = 0;
		for (let i = 0; i < el.length; i++) {
			covered[i] = parent[i] >= 0 && (covered[parent[i]] || matched[parent[i]]);
			if (!matched[i] || covered[i])
				continue;
			const from = Math.max(start[i], start[root]), to = Math.min(start[i] + total[i], start[root] + total[root]);
			sum += Math.max(to - from, 0);
		}
		return sum;
	}
	function nextMatch(step) {
		const visible = order.filter(i => shown[i]);
		if (!visible.length)
			return;
		const at = visible.indexOf(cursor);
		focusFrame(visible[at < 0 ? 0 : (at + step + visible.length) % visible.length]);
	}

	/* ---- commands ---- */

	function zoomTo(i, quiet) {
		setHover(-1);
		zoom = i;
		if (!shown[cursor] || !(inZoom(cursor) || above(cursor)))
			setCursor(i);
		drawFrames();
		say();
		if (!quiet)
			remember(true);
	}
	function setCursor(i) {
		el[cursor].removeAttribute('tabindex');
		cursor = i;
		el[i].setAttribute('tabindex', '0');
	}
	function focusFrame(i) {
		el[i].setAttribute('tabindex', '0');
		el[i].focus({ preventScroll: true });
		showFocus(i);
	}
	function showFocus(i) {
		setHover(-1);
		if (i !== cursor)
			setCursor(i);
		if (alone) {
			const y = top + rowY(depth[i]), from = window.scrollY, strip = narrow ? STRIP_NARROW : STRIP;
			if (y < from + strip)
				window.scrollTo(0, Math.max(y - strip - ROW, 0));
			else if (y + ROW > from + window.innerHeight)
				window.scrollTo(0, y + ROW + FOOT - window.innerHeight);
		}
		ring.dataset.on = '1';
		mark(ring, i, true);
		fillCard(i);
		placeCard(Math.max(+rects[i].getAttribute('x'), PAD) - 14, top + rowY(depth[i]) + ROW - 15);
	}
	function turn(toIcicle) {
		icicle = toIcicle;
		svg.dataset.orient = icicle ? 'icicle' : 'flame';
		turnButton.textContent = icicle ? 'Flame' : 'Icicle';
		setHover(-1);
		drawFrames();
		showRoot();
	}
	function showRoot() {
		if (alone)
			window.scrollTo(0, icicle ? 0 : document.documentElement.scrollHeight);
		stick();
	}
	function isDark() {
		const theme = svg.dataset.theme;
		return theme ? theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
	}
	function paint(theme) {
		if (theme)
			svg.dataset.theme = theme;
		themeButton.textContent = isDark() ? 'Light' : 'Dark';
	}
	function resetAll() {
		search('');
		zoomTo(0);
		focusOff();
	}
	function focusOff() {
		ring.dataset.on = '';
		mark(ring, -1, false);
		if (hover < 0)
			cardBox.style.display = 'none';
	}

	/* ---- the address: #x=depth.place&s=text&r=1&o=icicle ---- */

	function remember(step) {
		if (!alone)
			return;
		const parts = [];
		if (zoom)
			parts.push(`x=${depth[zoom]}.${zoom - first[depth[zoom]]}`);
		if (query)
			parts.push('s=' + encodeURIComponent(query) + (regex ? '&r=1' : ''));
		if (icicle !== icicleAtFirst)
			parts.push('o=' + (icicle ? 'icicle' : 'flame'));
		const hash = '#' + parts.join('&');
		if (hash === (location.hash || '#'))
			return;
		try {
			history[step ? 'pushState' : 'replaceState'](null, '', hash);
		} catch (e) {
			/* If the browser forbids changing the address, only the address is lost. */
		}
	}
	function recall() {
		const get = key => {
			const m = new RegExp('[#&]' + key + '=([^&]*)').exec(location.hash);
			try {
				return m ? decodeURIComponent(m[1]) : '';
			} catch (e) {
				return '';
			}
		};
		const at = /^(\d{1,6})\.(\d{1,6})$/.exec(get('x')), o = get('o');
		const i = at && +at[1] < rows.length ? first[+at[1]] + +at[2] : 0;
		regex = get('r') === '1';
		regexButton.setAttribute('aria-pressed', regex);
		if (o === 'icicle' || o === 'flame')
			turn(o === 'icicle');
		search(get('s'));
		zoomTo(at && +at[1] < rows.length && i < first[+at[1] + 1] ? i : 0, true);
	}

	/* ---- elements that the script adds ---- */

	const toolsBox = make(SVG, 'foreignObject', { class: 'hd-tools' });
	const bar = make(HTML, 'div', { class: 'hd-bar', role: 'toolbar', 'aria-label': 'Flamegraph' });
	const button = (text, title, act) => {
		const b = make(HTML, 'button', { type: 'button', title }, text);
		b.addEventListener('click', act);
		bar.append(b);
		return b;
	};
	const input = make(HTML, 'input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search names', spellcheck: 'false' });
	bar.append(input);
	const regexButton = button('.*', 'Search by regular expression', () => {
		regex = !regex;
		regexButton.setAttribute('aria-pressed', regex);
		search(query);
		remember(false);
	});
	regexButton.setAttribute('aria-pressed', 'false');
	const reset = button('Reset', 'Show everything, search nothing (Esc)', resetAll);
	const turnButton = button(icicle ? 'Flame' : 'Icicle', 'Turn upside down (i)', () => {
		turn(!icicle);
		remember(false);
	});
	const themeButton = button('Dark', 'Light or dark (d)', () => paint(isDark() ? 'light' : 'dark'));
	toolsBox.append(bar);
	const statusLine = make(SVG, 'text', { class: 'hd-status', role: 'status' });
	const floating = make(SVG, 'g', { class: 'hd-floating' });
	const strips = [make(SVG, 'rect', { class: 'hd-paper' }), make(SVG, 'line', { class: 'hd-line', x1: 0 }),
		make(SVG, 'text', { class: 'hd-strip', x: PAD, y: 18 })];
	floating.append(...strips, statusLine, toolsBox);
	head.after(floating);
	const over = make(SVG, 'rect', { class: 'hd-hover' }), ring = make(SVG, 'rect', { class: 'hd-ring' });
	graph.append(over, ring);
	const cardBox = make(SVG, 'foreignObject', { class: 'hd-float', 'aria-hidden': 'true' });
	const card = make(HTML, 'div', { class: 'hd-card' });
	cardBox.append(card);
	cardBox.style.display = 'none';
	svg.append(cardBox);
	svg.setAttribute('role', 'group');
	graph.setAttribute('role', 'group');
	graph.setAttribute('aria-label', 'Frames; arrow keys move, Enter zooms');

	/* ---- events ---- */

	const frameOf = target => {
		const g = target.closest ? target.closest('.r > g') : null;
		return g && index.has(g) ? index.get(g) : -1;
	};
	graph.addEventListener('click', e => {
		const i = frameOf(e.target);
		if (i < 0)
			return;
		focusOff();
		setCursor(i);
		zoomTo(i);
	});
	graph.addEventListener('mousemove', e => {
		const i = frameOf(e.target), box = svg.getBoundingClientRect();
		setHover(i);
		if (i >= 0)
			placeCard(e.clientX - box.left, e.clientY - box.top);
	});
	graph.addEventListener('mouseleave', () => setHover(-1));
	/* Not on an SVG element, because an SVG element with a focus listener becomes focusable. */
	const outside = alone ? document : svg.parentNode;
	outside.addEventListener('focusin', e => {
		const i = frameOf(e.target);
		if (i >= 0 && e.target.matches(':focus-visible'))
			showFocus(i);
	});
	outside.addEventListener('focusout', focusOff);
	input.addEventListener('input', () => {
		search(input.value);
		remember(false);
	});
	input.addEventListener('keydown', e => {
		if (e.key === 'Enter')
			nextMatch(1);
		else if (e.key === 'Escape') {
			search('');
			remember(false);
			focusFrame(cursor);
		} else
			return;
		e.preventDefault();
		e.stopPropagation();
	});

	/* Return the parent, the costliest child, or the left or right neighbour of the focused frame. */
	function neighbour(key) {
		const d = depth[cursor];
		const outward = icicle ? 'ArrowUp' : 'ArrowDown', inward = icicle ? 'ArrowDown' : 'ArrowUp';
		if (key === outward)
			return parent[cursor];
		if (key === inward) {
			let best = -1;
			for (let i = first[d + 1]; i < first[d + 2]; i++)
				if (shown[i] && (parent[i] === cursor || above(i)) && (best < 0 || total[i] > total[best]))
					best = i;
			return best;
		}
		const step = key === 'ArrowLeft' ? -1 : 1;
		for (let i = cursor + step; i >= first[d] && i < first[d + 1]; i += step)
			if (shown[i])
				return i;
		return -1;
	}
	function onKey(e) {
		const typing = e.target === input, at = e.target.closest && e.target.closest('.hd-bar');
		if (alone && (e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === 'f') {
			input.focus();
			input.select();
			e.preventDefault();
			return;
		}
		if (typing || e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key.startsWith('Arrow')) {
			const on = graph.contains(document.activeElement) && ring.dataset.on === '1';
			const to = on ? neighbour(e.key) : cursor;
			if (to >= 0)
				focusFrame(to);
		} else if (e.key === 'Home') {
			focusFrame(zoom);
		} else if ((e.key === 'Enter' || e.key === ' ') && !at && graph.contains(document.activeElement)) {
			zoomTo(cursor);
			focusFrame(cursor);
		} else if (e.key === 'Escape') {
			resetAll();
		} else if (e.key === '/') {
			input.focus();
			input.select();
		} else if (e.key === 'n' || e.key === 'p') {
			nextMatch(e.key === 'n' ? 1 : -1);
		} else if (e.key === 'i') {
			turnButton.click();
		} else if (e.key === 'd') {
			themeButton.click();
		} else {
			return;
		}
		e.preventDefault();
	}
	(alone ? document : svg).addEventListener('keydown', onKey);
	window.addEventListener('resize', () => {
		const page = document.documentElement, atEnd = alone && window.scrollY > 0 && window.scrollY + seen > page.scrollHeight - 4;
		seen = window.innerHeight;
		setHover(-1);
		layout();
		say();
		if (atEnd && !icicle)
			showRoot();
	});
	if (alone) {
		window.addEventListener('scroll', stick);
		window.addEventListener('popstate', recall);
		window.addEventListener('hashchange', recall);
	}
	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => paint());

	const icicleAtFirst = icicle;
	el[0].setAttribute('tabindex', '0');
	paint();
	layout();
	if (alone && location.hash.length > 1)
		recall();
	else
		say();
	if (svg.getBoundingClientRect().width !== W)
		layout();	/* a scroll bar may have appeared meanwhile */
	showRoot();
	svg.classList.add('hd-ready');
}

document.querySelectorAll('svg.hd-flame').forEach(attach);
/* Pages can add flamegraphs later. */
document.addEventListener('hd-attach', e => attach(e.target));
})();
