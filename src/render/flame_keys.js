/*
 * Handle events of the pointer, the search field and the keys.
 */
const frameOf = target => {
	const g = target.closest ? target.closest('.r > *') : null;
	return g && index.has(g) ? index.get(g) : -1;
};
graph.addEventListener('click', e => {
	const i = frameOf(e.target);
	if (i < 0)
		return;
	if (el[i].localName === 'a') {	/* a link of --nameattr: a click follows it, Ctrl and a click zoom */
		if (!e.ctrlKey)
			return;
		e.preventDefault();
	}
	focusOff();
	setCursor(i);
	zoomTo(i);
	settings.update();
});
graph.addEventListener('mousemove', e => {
	const i = frameOf(e.target), box = svg.getBoundingClientRect();
	setHover(i);
	if (i >= 0)
		placeCard(e.clientX - box.left, e.clientY - box.top);
});
graph.addEventListener('mouseleave', () => setHover(-1));
/* The focus listeners are not on an SVG element, because such a listener would make the element focusable. */
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

/* Return the parent, the costliest child, or the left or right neighbour of the focused frame; -1 if there is none. */
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
const ACTS = { r: 'reverse', t: 'merge', w: 'order', f: 'focus', x: 'exclude', h: 'hide', u: 'undo' };
function onKey(e) {
	const typing = e.target === input, at = e.target.closest && e.target.closest('.hd-bar, .hd-panel');
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
		if (panel.isOpen())
			panel.close();
		else
			resetAll();
	} else if (e.key === '/') {
		input.focus();
		input.select();
	} else if (e.key === 'n' || e.key === 'p') {
		nextMatch(e.key === 'n' ? 1 : -1);
	} else if (ACTS[e.key]) {
		change(ACTS[e.key]);
	} else if (e.key === 'c') {
		copyFrame();
	} else if (e.key === 'v') {
		toggleSettings();
	} else if (e.key === '?') {
		toggleHelp();
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
