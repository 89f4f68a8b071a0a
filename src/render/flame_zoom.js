/*
 * Change the zoom, the cursor, the keyboard focus, the direction and the theme, and store this state in the address.
 */
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
	if (el[cursor])
		el[cursor].removeAttribute('tabindex');
	cursor = i;
	if (el[i])
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
	const changed = !isDefault();
	Object.assign(how, { reverse: false, merge: false, order: 'given', steps: [] });
	if (changed)
		review();
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

/* ---- the address: #x=depth.place&s=text&r=1&o=icicle&v=settings&k=steps ---- */

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
	const flags = (how.reverse ? 'r' : '') + (how.merge ? 't' : '') +
		{ given: '', name: 'n', width: 'w' }[how.order];
	if (flags)
		parts.push('v=' + flags);
	if (how.steps.length)
		parts.push('k=' + how.steps.map(x => x.act[0] + encodeURIComponent(x.name)).join(','));
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
	const flags = get('v'), acts = { f: 'focus', e: 'exclude', h: 'hide' }, o = get('o');
	const kept = (new RegExp('[#&]k=([^&]*)').exec(location.hash) || ['', ''])[1].split(',')
		.filter(x => acts[x[0]]);
	const before = JSON.stringify(how);
	Object.assign(how, { reverse: flags.includes('r'), merge: flags.includes('t') && hasThreads(),
		order: flags.includes('w') ? 'width' : flags.includes('n') ? 'name' : 'given', steps: [] });
	try {
		how.steps = kept.map(x => ({ act: acts[x[0]], name: decodeURIComponent(x.slice(1)) }));
	} catch (e) {
		how.steps = [];
	}
	if (JSON.stringify(how) !== before)
		review(true);
	const at = /^(\d{1,6})\.(\d{1,6})$/.exec(get('x'));
	const i = at && +at[1] < rows.length ? first[+at[1]] + +at[2] : 0;
	regex = get('r') === '1';
	regexButton.setAttribute('aria-pressed', regex);
	if (o === 'icicle' || o === 'flame')
		turn(o === 'icicle');
	search(get('s'));
	zoomTo(at && +at[1] < rows.length && i < first[+at[1] + 1] ? i : 0, true);
}
