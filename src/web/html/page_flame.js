/*
 * The flamegraph on a canvas: the root is at the top, a click zooms.  In a difference, blue frames cost less and red
 * frames cost more than in A; stronger colours mean larger changes.  Unchanged frames are grey, also if their share fell
 * because another function grew.
 */
const FRAME_PX = 20, LEAST_PX = 0.4, TEXT_FROM = 28, MOST_ROWS = 1200;
const LEAST_POINTS = 0.001;	/* smaller changes, as a part of the whole, count as none */
let flame = null, flameZoom = 0, flameFocus = -1, flameHover = -1, flameQuery = '', flameHits = new Set(), charPx = 7.2;

const drawnTrees = () => state.mode === 'a' ? [raw.trees[state.a], null] : state.mode === 'b' ? [null, raw.trees[state.b]] : [raw.trees[state.a], raw.trees[state.b]];

function setPair(which, number) {
	state[which] = number;
	state.pairSet = true;
	if (state.mode !== 'diff' && state.mode !== which)
		state.mode = which;
	if (state.a >= 0 && state.b >= 0 && state.a !== state.b)
		state.mode = 'diff';
	changed('pair');
}
function setMode(mode) {
	state.mode = mode;
	state.pairSet = true;
	changed('pair');
}

/* ---- colours ---- */

/* Colour as `flame --base` does: by the square root of change / largest change. */
const changeInk = step => ink.frame[CHANGE_CLASSES[5 + step]];
function frameInk(f) {
	if (flameHits.has(f.at))
		return ink.match;
	if (!flame.both)
		return ink.frame[frameClass(f.frame)];
	const d = f.b * flame.scale - f.a;
	return changeInk(Math.abs(d) < LEAST_POINTS ? 0 : Math.sign(d) * Math.min(5, 1 + Math.floor(Math.sqrt(Math.abs(d) / flame.moved) * 5)));
}

/* ---- drawing ---- */

const flameWidth = () => $('flame-box').clientWidth;
/* Return [left, width] of a frame on the canvas.  Callers of the zoomed frame fill the width. */
function boxOf(f) {
	const z = flame.frames[flameZoom], width = flameWidth();
	if (f.depth <= z.depth && f.x <= z.x + 1e-12 && f.x + f.w >= z.x + z.w - 1e-12)
		return [0, width];
	return [(f.x - z.x) / z.w * width, f.w / z.w * width];
}
function fitName(name, px) {
	const room = Math.floor((px - 8) / charPx);
	if (name.length <= room)
		return name;
	const tail = name.replace(/^.*::/s, '');
	if (tail.length + 1 <= room)
		return `\u2026${tail}`;
	return room > 2 ? `${name.slice(0, room - 1)}\u2026` : '';
}
function drawFrame(ctx, f, left, width) {
	const y = f.depth * FRAME_PX, faded = f.depth < flame.frames[flameZoom].depth;
	const from = Math.max(left, -2), to = Math.min(left + width, flameWidth() + 2);
	ctx.globalAlpha = faded ? 0.5 : flameHits.size && !flameHits.has(f.at) ? 0.45 : 1;
	ctx.fillStyle = frameInk(f);
	ctx.fillRect(from, y, Math.max(to - from - (width > 3 ? 0.7 : 0), 0.5), FRAME_PX - 1);
	ctx.globalAlpha = 1;
	if (to - from < TEXT_FROM)
		return;
	ctx.fillStyle = flameHits.has(f.at) ? (isDark() ? '#1b1b1b' : '#ffffff') : ink.text;
	ctx.fillText(fitName(frameName(f.frame), to - from), from + 4, y + FRAME_PX - 6);
}
function outline(ctx, at, colour, width) {
	if (at < 0 || !seenInZoom(flame.frames[at]))
		return;
	const [left, w] = boxOf(flame.frames[at]);
	ctx.strokeStyle = colour;
	ctx.lineWidth = width;
	ctx.strokeRect(left + width / 2, flame.frames[at].depth * FRAME_PX + width / 2, Math.max(w - width, 1), FRAME_PX - 1 - width);
}
const seenInZoom = f => {
	const [left, w] = boxOf(f);
	return w >= LEAST_PX && left < flameWidth() && left + w > 0;
};
function drawFlame() {
	if (!flame)
		return;
	const box = $('flame-box'), canvas = box.firstChild, ratio = window.devicePixelRatio || 1;
	const rows = Math.min(flame.rows.length, MOST_ROWS), width = flameWidth(), height = rows * FRAME_PX;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
	}
	const ctx = canvas.getContext('2d');
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.clearRect(0, 0, width, height);
	ctx.font = '12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
	charPx = ctx.measureText('MMMMMMMMMM').width / 10;
	for (let d = 0; d < rows; d++)
		for (const at of flame.rows[d]) {
			const f = flame.frames[at], [left, w] = boxOf(f);
			if (w >= LEAST_PX && left < width && left + w > 0)
				drawFrame(ctx, f, left, w);
		}
	outline(ctx, flameHover, ink.text, 1);
	if (document.activeElement === box)
		outline(ctx, flameFocus, ink.accent, 2.5);
}

/* ---- texts ---- */

const points = d => `${d < 0 ? '\u2212' : '+'}${Math.abs(d * 100).toFixed(2)} points`;
function describe(f) {
	const share = v => percent(v * 100);
	if (flame.both)
		return `${frameName(f.frame)}: ${share(f.a)} of A, ${share(f.b)} of B, ${points(f.b - f.a)}`;
	return `${frameName(f.frame)}: ${share(f.w)}, ${amount(f.weightA || f.weightB, state.lane.unit)}`;
}
function sayFlame() {
	let text = 'Click a frame to zoom  \u00b7  / to search  \u00b7  arrow keys to move, Enter to zoom  \u00b7  Esc to reset';
	if (flameFocus > 0)
		text = describe(flame.frames[flameFocus]);
	else if (flameZoom)
		text = `Zoomed into ${describe(flame.frames[flameZoom])}`;
	if (flameQuery) {
		const [a, b] = matchedShares();
		text = `${thousands(flameHits.size)} matched, ${flame.both ? `${percent(a * 100)} of A, ${percent(b * 100)} of B` : `${percent((a || b) * 100)} of all`}` +
			(flameZoom || flameFocus > 0 ? `  \u00b7  ${text}` : '');
	}
	$('flame-say').textContent = text;
	$('flame-reset').disabled = !flameZoom && !flameQuery;
}
/* Frames below a match are not counted again. */
function matchedShares() {
	const covered = new Uint8Array(flame.frames.length);
	let a = 0, b = 0;
	for (const f of flame.frames) {
		const above = f.parent >= 0 && covered[f.parent];
		covered[f.at] = above || flameHits.has(f.at) ? 1 : 0;
		if (!above && flameHits.has(f.at)) {
			a += f.a;
			b += f.b;
		}
	}
	return [a, b];
}
function searchFlame(query) {
	flameQuery = query;
	flameHits = new Set();
	if (flame && query)
		for (const f of flame.frames)
			if (f.at && frameName(f.frame).toLowerCase().includes(query.toLowerCase()))
				flameHits.add(f.at);
	if (flame) {
		sayFlame();
		drawFlame();
	}
}
function zoomTo(at) {
	flameZoom = at;
	flameFocus = at;
	sayFlame();
	drawFlame();
}

/* ---- selection of trees ---- */

function fillSelects() {
	const here = treesHere().slice().reverse();
	for (const which of ['a', 'b']) {
		const select = $(`run-${which}`);
		select.replaceChildren(...here.map(t => make('option', { value: t.number }, `${commit(state.lane, t.slot)}  ${day(state.lane, t.slot)}  #${t.slot + 1}`)));
		select.disabled = !here.length;
	}
}
function showFlame() {
	const here = treesHere();
	$('flame').classList.toggle('empty', !here.length);
	$('flame-note').textContent = here.length ? `${count(here.length, 'run')} of these have their stacks on this page` :
		'No run of these has its stacks on this page; --stacks and --runs choose them.';
	if (!here.length) {
		flame = null;
		return;
	}
	$('run-a').value = state.a;
	$('run-b').value = state.b;
	document.querySelectorAll('[data-mode]').forEach(b => b.setAttribute('aria-pressed', b.dataset.mode === state.mode));
	flame = layOut(...drawnTrees());
	flameZoom = 0;
	flameFocus = flameHover = -1;
	const key = (colour, words) => make('span', {}, make('i', { class: 'swatch', style: `background:${colour}` }), words);
	$('flame-key').replaceChildren(...(flame.both ? [key(changeInk(4), 'more in B'), key(changeInk(0), 'the same'), key(changeInk(-4), 'less in B'),
		make('span', { class: 'mute' }, 'width: mean of the shares in A and B')] : [make('span', { class: 'mute' }, `width: share of ${state.lane.event}`)]),
	flame.cut ? make('span', { class: 'mute' }, `${count(flame.cut, 'frame')} too small to be here`) : '');
	searchFlame(flameQuery);
}
