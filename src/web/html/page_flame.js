/*
 * The flamegraph of one run, or the difference of two.  In a difference, blue frames cost less and red frames cost more
 * than in A; stronger colours mean larger changes.  Frames whose change is not significant are grey, also if their
 * share fell because another function grew.
 */
const LEAST_POINTS = 0.001;	/* a smaller change of a share (0 to 1) is not shown as a change */
let flame = null, flameView = null, flameQuery = '', flameHits = new Set();

const drawnTrees = () => state.mode === 'a' ? [raw.trees[state.a], null] :
	state.mode === 'b' ? [null, raw.trees[state.b]] : [raw.trees[state.a], raw.trees[state.b]];

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

/*
 * Return the colour of a change.  step: -5 (less) to 5 (more), chosen by the square root of change / largest change, as
 * `flame --base` does.
 */
const changeInk = step => ink.frame[CHANGE_CLASSES[5 + step]];
/*
 * Return true if a change may be the error of counting: it is small, or a z-test of the two shares has |z| < 2.58
 * (99 %).  The samples of a frame are a binomial share of those of its run; if costs of runs are compared as they are,
 * they are a Poisson count.  There is no z-test if a number of samples is unknown.  A root has a change only if costs
 * are compared, because its share is always 100 %.
 */
function isChance(f) {
	const d = f.b * flame.scale - f.a, [nA, nB] = flame.samples, p = (f.a + f.b) / 2;
	const variance = flame.known ? f.a / nA + f.b * flame.scale * flame.scale / nB :
		p * (1 - p) * (1 / nA + 1 / nB);
	return (f.parent < 0 && !flame.known) || Math.abs(d) < LEAST_POINTS ||
		(nA > 0 && nB > 0 && Math.abs(d) < 2.58 * Math.sqrt(variance));
}
function frameInk(f) {
	if (!flame.both)
		return ink.frame[frameClass(f.frame)];
	const d = f.b * flame.scale - f.a;
	return changeInk(isChance(f) ? 0 :
		Math.sign(d) * Math.min(5, 1 + Math.floor(Math.sqrt(Math.abs(d) / flame.moved) * 5)));
}

/* ---- texts ---- */

const points = d => `${d < 0 ? '\u2212' : '+'}${Math.abs(d * 100).toFixed(2)} points`;
function describe(f) {
	const share = v => percent(v * 100);
	if (flame.both)
		return `${frameName(f.frame)}: ${share(f.a)} of A, ${share(f.b)} of B, ${points(f.b - f.a)}` +
			(flame.known ? `, cost${state.lane.perWork ? ' of a unit of work' : ''} ${
				relative(f.a, f.b * flame.scale)}` : '');
	return `${frameName(f.frame)}: ${share(f.w)}, ${amount(f.weightA || f.weightB, state.lane.unit)}`;
}
function sayFlame() {
	const focus = flameView.focus, zoom = flameView.zoom;
	let text = 'Click a frame to zoom  \u00b7  / to search  \u00b7  arrow keys to move, Enter to zoom  \u00b7  ' +
		'Esc to reset';
	if (focus > 0)
		text = describe(flame.frames[focus]);
	else if (zoom)
		text = `Zoomed into ${describe(flame.frames[zoom])}`;
	if (flameQuery) {
		const [a, b] = matchedShares();
		text = `${thousands(flameHits.size)} matched, ${flame.both ?
			`${percent(a * 100)} of A, ${percent(b * 100)} of B` : `${percent((a || b) * 100)} of all`}` +
			(zoom || focus > 0 ? `  \u00b7  ${text}` : '');
	}
	$('flame-say').textContent = text;
	$('flame-reset').disabled = !zoom && !flameQuery;
}
/* Return the shares of A and B in matching frames; a frame below another matching frame is not counted again. */
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
		flameView.draw();
	}
}

/* ---- selection of trees ---- */

function fillSelects() {
	const here = treesHere().slice().reverse();
	for (const which of ['a', 'b']) {
		const select = $(`run-${which}`);
		select.replaceChildren(...here.map(t => make('option', { value: t.number },
			`${commit(state.lane, t.slot)}  ${day(state.lane, t.slot)}  #${t.slot + 1}`)));
		select.disabled = !here.length;
	}
}
function showFlame() {
	const here = treesHere();
	$('flame').classList.toggle('empty', !here.length);
	$('flame-note').textContent = here.length ?
		`${count(here.length, 'run')} of these have their stacks on this page` :
		'No run of these has its stacks on this page; --stacks and --runs choose them.';
	if (!here.length) {
		flame = null;
		return;
	}
	$('run-a').value = state.a;
	$('run-b').value = state.b;
	document.querySelectorAll('[data-mode]')
		.forEach(b => b.setAttribute('aria-pressed', b.dataset.mode === state.mode));
	flame = layOut(drawnTrees(), drawnTrees().map(t => t ? state.lane.divisor(t.slot) : 0));
	flame.samples = drawnTrees()
		.map(t => t ? (state.lane.unit === 'samples' ? state.lane.weight : state.lane.samples)[t.slot] : 0);
	flameView.focus = -1;
	flameView.show({ n: flame.frames.length, depth: flame.frames.map(f => f.depth),
		end: flame.frames.map(f => f.end), total: flame.frames.map(f => f.w) });
	const key = (colour, words) =>
		make('span', {}, make('i', { class: 'swatch', style: `background:${colour}` }), words);
	$('flame-key').replaceChildren(...(flame.both ? [key(changeInk(4), 'more in B'),
		key(changeInk(0), 'within chance, or below 0.1 points'), key(changeInk(-4), 'less in B'),
		make('span', { class: 'mute' }, 'width: mean of the shares in A and B')] :
			[make('span', { class: 'mute' }, `width: share of ${state.lane.event}`)]),
	flame.cut ? make('span', { class: 'mute' }, `${count(flame.cut, 'frame')} too small to be here`) : '');
	searchFlame(flameQuery);
}
