/*
 * Handle the controls of the flamegraph, and fill the card next to the pointer.
 */
function flameCard(f) {
	const share = v => percent(v * 100), unit = state.lane.unit,
		row = (...cells) => make('tr', {}, ...cells.map((c, i) => make(i ? 'td' : 'th', {}, c)));
	const table = flame.both ?
		make('table', {}, row('', 'A', 'B', 'B \u2212 A'),
			row('total', share(f.a), share(f.b), points(f.b - f.a)),
			row('self', share(f.selfA), share(f.selfB), points(f.selfB - f.selfA)), row('weight',
				amount(f.weightA, unit), amount(f.weightB, unit), isChance(f) ? 'within chance' : '')) :
		make('table', {}, row('total', share(f.w), amount(f.weightA || f.weightB, unit)),
			row('self', share(f.selfA || f.selfB), ''));
	return [make('b', {}, frameName(f.frame)), table];
}
function resetFlame() {
	$('flame-find').value = '';
	flameQuery = '';
	flameHits = new Set();
	flameView.zoomTo(0);
}
function onFlameKey(e) {
	if (e.key === 'Escape')
		resetFlame();
	else if (e.key === '/')
		$('flame-find').focus();
	else
		return false;
	return true;
}
function initFlame() {
	const box = $('flame-box');
	flameView = new FlameCanvas(box, { searching: () => flameHits.size > 0, hit: i => flameHits.has(i),
		name: i => frameName(flame.frames[i].frame), ink: i => frameInk(flame.frames[i]),
		card: i => flameCard(flame.frames[i]), say: sayFlame, pick: () => {}, key: onFlameKey });
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
	document.querySelectorAll('[data-mode]')
		.forEach(b => b.addEventListener('click', () => setMode(b.dataset.mode)));
}
