/*
 * Draw the view: the frames, the head, and the tools, which float over a picture that is taller than the window.
 */
function drawFrame(i, x, w, fade) {
	if (!el[i])
		makeFrame(i);
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
	const want = (cutRight ? cut : shorten)(name(i), Math.floor((w - 2 * TEXT_PAD) / charWidth));
	if (!text) {
		text = texts[i] = make(SVG, 'text', { y: BASELINE });
		el[i].append(text);
	}
	text.setAttribute('x', (PAD + x + TEXT_PAD).toFixed(2));
	if (want !== label[i])
		text.textContent = label[i] = want;
}
function hideFrame(i) {
	if (shown[i] || (el[i] && el[i].style.display !== 'none')) {
		el[i].style.display = 'none';
		shown[i] = false;
	}
}
/* Return the least width of a frame in px, so that at most MOST_DRAWN frames get an element.  k: px per weight. */
function leastDrawn(k) {
	let least = MIN_PX, n = Infinity;
	for (; el.length > MOST_DRAWN && n > MOST_DRAWN; least *= 1.5) {
		n = 0;
		for (let i = 0; i < el.length; i++)
			n += total[i] * k >= least && inZoom(i) ? 1 : 0;
		if (n <= MOST_DRAWN)
			break;
	}
	return least;
}
function drawFrames() {
	const span = W - 2 * PAD, k = total[zoom] ? span / total[zoom] : 0, least = leastDrawn(k);
	for (let i = 0; i < el.length; i++) {
		if (above(i))
			drawFrame(i, 0, span, true);
		else if (inZoom(i) && (total[i] * k >= least || i === 0))
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
	const title = head.querySelector('.hd-title'), sub = head.querySelector('.hd-sub'),
		note = head.querySelector('.hd-note');
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
/* Put the tools and the status into the head or, if the page is scrolled, on a strip that floats over the picture. */
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
