/*
 * Mouse and keyboard of the flamegraph, and the card next to the pointer.
 */
function frameAt(e) {
	if (!flame)
		return -1;
	const box = $('flame-box').firstChild.getBoundingClientRect(), x = e.clientX - box.left, row = flame.rows[Math.floor((e.clientY - box.top) / FRAME_PX)];
	if (!row)
		return -1;
	const hit = row.find(at => {
		const [left, w] = boxOf(flame.frames[at]);
		return w >= LEAST_PX && x >= left && x < left + Math.max(w, 1);
	});
	return hit === undefined ? -1 : hit;
}
function fillCard(f) {
	const share = v => percent(v * 100), unit = state.lane.unit, row = (...cells) => make('tr', {}, ...cells.map((c, i) => make(i ? 'td' : 'th', {}, c)));
	const table = flame.both ?
		make('table', {}, row('', 'A', 'B', 'B \u2212 A'), row('total', share(f.a), share(f.b), points(f.b - f.a)),
			row('self', share(f.selfA), share(f.selfB), points(f.selfB - f.selfA)), row('weight', amount(f.weightA, unit), amount(f.weightB, unit), '')) :
		make('table', {}, row('total', share(f.w), amount(f.weightA || f.weightB, unit)), row('self', share(f.selfA || f.selfB), ''));
	$('card').replaceChildren(make('b', {}, frameName(f.frame)), table);
}
function placeCard(e) {
	const card = $('card'), w = card.offsetWidth, h = card.offsetHeight;
	let x = e.clientX + 14, y = e.clientY + 18;
	if (x + w > window.innerWidth - 8)
		x = Math.max(8, e.clientX - w - 14);
	if (y + h > window.innerHeight - 8)
		y = Math.max(8, e.clientY - h - 14);
	card.style.transform = `translate(${x}px,${y}px)`;
}
function hoverFrame(e) {
	const at = frameAt(e);
	if (at !== flameHover) {
		flameHover = at;
		$('card').classList.toggle('on', at >= 0);
		if (at >= 0)
			fillCard(flame.frames[at]);
		drawFlame();
	}
	if (at >= 0)
		placeCard(e);
}
/* Return the neighbour in the same row, or the costliest callee. */
function beside(at, by) {
	const row = flame.rows[flame.frames[at].depth].filter(i => seenInZoom(flame.frames[i])), k = row.indexOf(at) + by;
	return row[Math.min(Math.max(k, 0), row.length - 1)];
}
function costliest(at) {
	let best = at, most = -1;
	for (const i of flame.rows[flame.frames[at].depth + 1] || [])
		if (flame.frames[i].parent === at && flame.frames[i].w > most) {
			best = i;
			most = flame.frames[i].w;
		}
	return best;
}
function resetFlame() {
	$('flame-find').value = '';
	flameQuery = '';
	flameHits = new Set();
	zoomTo(0);
}
const FLAME_KEYS = {
	ArrowDown: at => costliest(at), ArrowUp: at => Math.max(flame.frames[at].parent, 0), ArrowLeft: at => beside(at, -1), ArrowRight: at => beside(at, 1),
	Home: () => 0,
};
function onFlameKey(e) {
	if (!flame || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (FLAME_KEYS[e.key]) {
		flameFocus = flameFocus < 0 ? flameZoom : FLAME_KEYS[e.key](flameFocus);
		const y = flame.frames[flameFocus].depth * FRAME_PX, box = $('flame-box');
		if (y < box.scrollTop || y + FRAME_PX > box.scrollTop + box.clientHeight)
			box.scrollTop = y - box.clientHeight / 2;
		sayFlame();
		drawFlame();
	} else if (e.key === 'Enter' && flameFocus >= 0) {
		zoomTo(flameFocus);
	} else if (e.key === 'Escape') {
		resetFlame();
	} else if (e.key === '/') {
		$('flame-find').focus();
	} else {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}
function initFlame() {
	const box = $('flame-box');
	box.addEventListener('pointermove', hoverFrame);
	box.addEventListener('pointerleave', () => { flameHover = -1; $('card').classList.remove('on'); drawFlame(); });
	box.addEventListener('click', e => { const at = frameAt(e); if (at >= 0) zoomTo(at); });
	box.addEventListener('keydown', onFlameKey);
	box.addEventListener('focus', drawFlame);
	box.addEventListener('blur', drawFlame);
	$('flame-find').addEventListener('input', e => searchFlame(e.target.value));
	$('flame-find').addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			e.target.value = '';
			searchFlame('');
			box.focus();
		}
	});
	$('flame-reset').addEventListener('click', resetFlame);
	for (const which of ['a', 'b'])
		$(`run-${which}`).addEventListener('change', e => setPair(which, +e.target.value));
	document.querySelectorAll('[data-mode]').forEach(b => b.addEventListener('click', () => setMode(b.dataset.mode)));
	new ResizeObserver(() => drawFlame()).observe(box);
}
