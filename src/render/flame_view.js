/*
 * The state of one flamegraph, and the views of its tree.  This file, flame_draw.js, flame_card.js, flame_search.js,
 * flame_zoom.js, flame_tools.js, flame_keys.js and flame_main.js are, in this order, the body of attach(svg), so that
 * each picture of a document has its own state.  Every view is laid out from weights, not from drawn elements.  Names
 * are read and written with textContent; no string is parsed as markup.
 */
const alone = svg === document.documentElement || svg.hasAttribute('data-alone');
const graph = svg.querySelector('.hd-graph'), head = svg.querySelector('.hd-head');
const [PAD, ROW, HEAD, FOOT, BASELINE, TEXT_PAD, MIN_TEXT] = svg.dataset.geometry.split(' ').map(Number);
const steps = parseSteps(svg), suffix = svg.dataset.suffix || '', factor = +svg.dataset.factor || 1;
const cutRight = svg.dataset.cut === 'right', nameType = svg.dataset.nametype ? svg.dataset.nametype + ' ' : '';
/*
 * whole: the tree of the file; view: the displayed view; then the arrays of the view, which arrange() and makeView()
 * describe, as variables of their own.
 */
let whole = null, view = null, rows, el, start, total, samples, self, depth, parent, first;
let titles, rects, texts, faded, shown, label, matched, index;
const how = { reverse: false, merge: false, order: 'given', steps: [] };
let icicle = svg.dataset.orient === 'icicle';
let W = 0, top = HEAD, zoom = 0, cursor = 0, hover = -1, query = '', regex = false, order = [];
let charWidth = 7.23, narrow = false, toolsWidth = 500, statusY = 0, floated = false, seen = window.innerHeight;

/* ---- the view ---- */

/*
 * Make the view of a tree.  drawn: the rows of the picture, whose elements the view uses; without it, makeFrame() makes
 * the elements.
 */
function makeView(tree, drawn) {
	const v = arrange(tree, how.order), n = v.node.length, list = x => new Array(n).fill(x);
	Object.assign(v, { el: list(null), titles: list(null), rects: list(null), texts: list(null), faded: list(false),
		shown: list(false), label: list(''), matched: list(false), index: new Map(), rows: drawn || [] });
	for (let d = 0; d + 1 < v.first.length; d++) {
		if (!drawn) {
			v.rows.push(make(SVG, 'g', { class: 'r' }));
			continue;
		}
		[...drawn[d].children].forEach((g, k) => {
			const i = v.first[d] + k, [title, rect, text] = g.children;
			v.el[i] = g;
			v.index.set(g, i);
			v.titles[i] = title;
			v.rects[i] = rect;
			v.texts[i] = text || null;
			v.label[i] = text ? text.textContent : '';
			v.shown[i] = true;
		});
	}
	return v;
}
function use(v) {
	view = v;
	({ rows, el, start, total, samples, self, depth, parent, first, titles, rects, texts, faded, shown,
		label, matched, index } = v);
	zoom = cursor = 0;
	hover = -1;
}
const labelOf = i => view.tree.labels[view.tree.label[view.node[i]]];
const name = i => labelOf(i).name;
const classOf = i => (view.tree.now && view.tree !== whole ? changeClass(i) : labelOf(i).cls);
const numbers = i => {
	const t = view.tree, k = view.node[i];
	return t.now ? { now: t.now.total[k], nowSelf: t.now.self[k], was: t.was.total[k],
		wasSelf: t.was.self[k] } : null;
};
/*
 * Return the CSS class for the change of a frame, in views that the file does not contain.  Whether a change is
 * significant is decided by the z-test of two counts, as in hd_difference_at().
 */
function changeClass(i) {
	const [scale, most, n1, n0, negate, counts] = (svg.dataset.test || '1,0,0,0,0,0').split(',').map(Number),
		v = numbers(i), all = numbers(0);
	const p1 = all.now ? v.now / all.now : 0, p0 = all.was ? v.was / all.was : 0, d = (p1 * scale - p0) * 100;
	const variance = (p, n) => (n ? p * (1 - (counts ? 0 : p)) / n : 0);
	const error = Math.sqrt(variance(p1, n1) * scale * scale + variance(p0, n0));
	if (!v.now && v.was)
		return 'v0';
	if (!d || (n1 && n0 && (p1 * n1 + p0 * n0 < 10 || Math.abs(d) < 196 * error)))
		return 'z0';
	return (d > 0 !== (negate === 1) ? 'r' : 'b') +
		Math.min(4, Math.floor(most > 0 ? Math.sqrt(Math.abs(d) / most) * 5 : 0));
}
function makeFrame(i) {
	const g = make(SVG, 'g', {}), l = labelOf(i), rect = make(SVG, 'rect', { class: classOf(i), height: ROW - 1 });
	if (l.fill)
		rect.setAttribute('fill', l.fill);
	titles[i] = make(SVG, 'title', {}, `${name(i)}\n${weight(total[i])}, ${share(total[i], total[0])}`);
	rects[i] = rect;
	g.append(titles[i], rect);
	if (matched[i])
		g.classList.add('m');
	el[i] = g;
	index.set(g, i);
	rows[depth[i]].append(g);
}

whole = treeOfPicture([...graph.children]);
const first0 = makeView(whole, [...graph.children]);
let firstView = first0;
use(first0);
const weight = w => weightText(w * factor, steps, suffix);
const kind = i => KIND[classOf(i)[0]];
const inZoom = i => depth[i] >= depth[zoom] && start[i] >= start[zoom] &&
	start[i] + total[i] <= start[zoom] + total[zoom];
const above = i => depth[i] < depth[zoom] && start[i] <= start[zoom] &&
	start[i] + total[i] >= start[zoom] + total[zoom];
const rowY = d => (icicle ? d : rows.length - 1 - d) * ROW;

/* ---- changes of the view ---- */

const isDefault = () => !how.reverse && !how.merge && how.order === 'given' && !how.steps.length;
const hasThreads = () => whole.labels.some((l, k) => k && isThread(l));
function viewText() {
	const parts = [];
	if (how.reverse)
		parts.push('reversed');
	if (how.merge)
		parts.push('threads merged');
	if (how.order !== 'given')
		parts.push(`sorted by ${how.order}`);
	how.steps.forEach(s =>
		parts.push(`${{ focus: 'only', exclude: 'without', hide: 'hidden' }[s.act]} ${cut(s.name, 40)}`));
	if (how.steps.length)
		parts.push(`${share(total[0], whole.all)} of all (u to undo)`);
	return parts.join(', ');
}
/* Make the view again after `how` has changed.  The zoom stays on the frame with the same path, if there is one. */
function review(quiet) {
	const path = [], had = query;
	for (let k = zoom; k > 0; k = parent[k])
		path.unshift(name(k));
	setHover(-1);
	focusOff();
	if (isDefault())
		use(firstView);
	else
		use(makeView(how.reverse || how.merge || how.steps.length ? transform(whole, how) : whole));
	let at = 0;
	for (const step of path) {
		let next = -1;
		for (let i = first[depth[at] + 1]; i < first[depth[at] + 2] && next < 0; i++)
			if (parent[i] === at && name(i) === step)
				next = i;
		if (next < 0) {
			at = 0;
			break;
		}
		at = next;
	}
	zoom = at;
	graph.replaceChildren(...rows, over, ring);
	layout();
	setCursor(shown[zoom] ? zoom : 0);
	search(had);
	settings.update();
	if (!quiet)
		remember(true);
	if (!icicle)
		showRoot();
}
function change(what) {
	if (what === 'reverse')
		how.reverse = !how.reverse;
	else if (what === 'merge')
		how.merge = !how.merge && hasThreads();
	else if (what === 'order')
		how.order = how.order === 'width' ? 'name' : 'width';
	else if (what === 'undo' && how.steps.length)
		how.steps.pop();
	else if (['focus', 'exclude', 'hide'].includes(what) && cursor > 0)
		how.steps.push({ act: what, name: name(cursor) });
	else
		return;
	review();
}
