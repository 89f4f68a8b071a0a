/*
 * The call tree behind a picture, and the trees that the reader makes of it.
 *
 * A tree is a struct of arrays by node, parents first: label, parent, self, own (self cost, and the cost of callees
 * that are not drawn), count (samples), place (object, source file, first and last line).  In a comparison, `now` and
 * `was` are the costs in the head and in the base.  labels: { name, cls, fill } by label.  A view is a tree with
 * positions: nodes in rows, see arrange().
 */
const newTree = () =>
	({ labels: [], label: [], parent: [], self: [], own: [], count: [], place: [], now: null, was: null });

/* Read the tree from the frames of the picture.  A name is the first line of a title; it contains no line end. */
function treeOfPicture(rows) {
	const tree = newTree(), known = new Map(), total = [], start = [];
	let from = 0, counts = [];
	rows.forEach((row, d) => {
		const nums = row.dataset.f.split(' '), pairs = row.dataset.b ? row.dataset.b.split(' ') : null,
			to = tree.label.length;
		let end = 0, p = from;
		[...row.children].forEach((g, k) => {
			const [gap, t, n, s] = nums[k].split(',').map(Number), rect = g.children[1],
				i = tree.label.length;
			const text = g.children[0].textContent, name = text.slice(0, text.indexOf('\n'));
			const cls = rect.getAttribute('class'), fill = rect.getAttribute('fill') || '',
				key = `${cls}${fill} ${name}`;
			if (!known.has(key)) {
				known.set(key, tree.labels.length);
				tree.labels.push({ name, cls, fill });
			}
			start.push(end + gap);
			total.push(t);
			end += gap + t;
			while (d && p + 1 < to && start[p] + total[p] <= start[i])
				p++;
			tree.label.push(known.get(key));
			tree.parent.push(d ? p : -1);
			tree.self.push(s);
			counts.push(n);
			if (pairs) {
				const [ht, hs, bt, bs] = pairs[k].split(',').map(Number);
				tree.now = tree.now || { self: [], total: [] };
				tree.was = tree.was || { self: [], total: [] };
				tree.now.self.push(hs);
				tree.now.total.push(ht);
				tree.was.self.push(bs);
				tree.was.total.push(bt);
			}
		});
		from = to;
	});
	tree.start = start;
	tree.own = total.slice();
	tree.count = counts.slice();
	for (let i = tree.parent.length - 1; i > 0; i--) {
		tree.own[tree.parent[i]] -= total[i];
		tree.count[tree.parent[i]] -= counts[i];
	}
	return tree;
}

/* Parse the text of the element hd-data, as render/flame_data.h defines it.  Returns null if it has another format. */
function treeOfData(text) {
	const lines = text.split('\n'), tree = newTree(), texts = [''];
	let at = 0;
	const next = word => {
		const [key, n] = (lines[at++] || '').split(' ');
		return key === word ? +n : -1;
	};
	if (lines[at++] !== 'hotdrift.flame 1' || next('reversed') < 0 || next('comm') < 0)
		return null;
	for (let n = next('labels'); n > 0; n--, at++) {
		const space = lines[at].indexOf(' '), word = lines[at].slice(0, space), hash = word.indexOf('#');
		tree.labels.push({ name: lines[at].slice(space + 1), cls: hash < 0 ? word : word.slice(0, hash),
			fill: hash < 0 ? '' : word.slice(hash) });
	}
	for (let n = next('texts'); n > 0; n--)
		texts.push(lines[at++]);
	const open = [];
	for (let i = 0, n = next('nodes'); i < n; i++) {
		const v = lines[at++].split(' ').map(Number);
		open.length -= i ? v[0] : 0;
		tree.parent.push(open.length ? open[open.length - 1] : -1);
		tree.label.push(v[1]);
		tree.self.push(v[2]);
		tree.count.push(v.length > 3 ? v[3] : v[2]);
		if (v.length > 4)
			tree.place[i] = { object: texts[v[4]] || '', file: v.length > 5 ? texts[v[5]] || '' : '',
				first: v[6] || 0, last: v[7] || 0 };
		open.push(i);
	}
	tree.own = tree.self;
	return tree;
}

/* Decompress the data of a picture; the result is a promise of the text. */
async function unpack(element) {
	const packed = Uint8Array.from(atob(element.textContent.trim()), c => c.charCodeAt(0));
	return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

const isThread = label => label.cls[0] === 'c';

/*
 * Make a tree of another one.  how: reverse (callees first), merge (without the level of threads), steps: a list of
 * { act, name }, where `focus` keeps the stacks with a function, `exclude` drops them, and `hide` removes its frames.
 */
function transform(tree, how) {
	const out = newTree(), known = new Map(), n = tree.label.length, names = tree.labels.map(l => l.name);
	const all = (act, name) => how.steps.filter(s => s.act === act).map(s => s.name).includes(name);
	const hidden = tree.labels.map((l, k) => all('hide', names[k]) || (how.merge && isThread(l)));
	const drop = names.map(name => all('exclude', name));
	const focus = how.steps.filter(s => s.act === 'focus').map(s => s.name), every = 2 ** focus.length - 1;
	const bits = names.map(name => focus.reduce((b, f, k) => b + (f === name ? 2 ** k : 0), 0));
	const seen = new Float64Array(n), dead = new Uint8Array(n), to = new Int32Array(n);
	out.labels = tree.labels;
	if (tree.now) {
		out.now = { self: [], total: [] };
		out.was = { self: [], total: [] };
	}
	const add = (parent, label) => {
		const key = parent * names.length + label;
		let i = known.get(key);
		if (i === undefined) {
			i = out.label.length;
			known.set(key, i);
			out.label.push(label);
			out.parent.push(parent);
			out.self.push(0);
			out.own.push(0);
			out.count.push(0);
			if (out.now) {
				out.now.self.push(0);
				out.was.self.push(0);
			}
		}
		return i;
	};
	const put = (i, from) => {
		out.self[i] += tree.self[from];
		out.own[i] += tree.own[from];
		out.count[i] += tree.count[from];
		if (out.now) {
			out.now.self[i] += tree.now.self[from];
			out.was.self[i] += tree.was.self[from];
		}
		if (tree.place[from])
			out.place[i] = out.place[i] === undefined ? tree.place[from] :
				samePlace(out.place[i], tree.place[from]);
	};
	add(-1, tree.label[0]);
	for (let i = 0; i < n; i++) {
		const p = tree.parent[i], label = tree.label[i];
		const own = i ? bits[label] : 0;
		seen[i] = p < 0 ? 0 : seen[p];
		for (let k = 0; k < focus.length; k++)
			if (own & 2 ** k && !(seen[i] & 2 ** k))
				seen[i] += 2 ** k;
		dead[i] = p >= 0 && (dead[p] || drop[label]) ? 1 : 0;
		if (dead[i])
			continue;
		if (!how.reverse) {
			to[i] = p < 0 ? 0 : hidden[label] ? to[p] : add(to[p], label);
			if (seen[i] === every)
				put(to[i], i);
		} else if ((tree.own[i] || (tree.was && tree.was.self[i])) && seen[i] === every) {
			let at = 0;
			for (let k = i; tree.parent[k] >= 0; k = tree.parent[k])
				if (!hidden[tree.label[k]])
					at = add(at, tree.label[k]);
			put(at, i);
		}
	}
	return out;
}
/* Return the place of a frame that represents two frames; a part in which they differ is unknown. */
function samePlace(a, b) {
	const file = a.file === b.file ? a.file : '';
	return { object: a.object === b.object ? a.object : '', file, first: file ? Math.min(a.first, b.first) : 0,
		last: file ? Math.max(a.last, b.last) : 0 };
}

/* Return for each node the sum of its number and of the numbers of all nodes below it. */
function totals(tree, self) {
	const sum = self.slice();
	for (let i = sum.length - 1; i > 0; i--)
		sum[tree.parent[i]] += sum[i];
	return sum;
}

/*
 * Arrange a tree in rows.  order: 'given', 'name' or 'width'.  The result has arrays by frame, row by row and from left
 * to right: node, start, total, samples, self, depth, parent; the frames of row d are first[d] .. first[d + 1] - 1.
 */
function arrange(tree, order) {
	const total = totals(tree, tree.own), samples = totals(tree, tree.count), n = total.length, children = [];
	const v = { tree, node: [0], start: [0], total: [total[0]], samples: [samples[0]], self: [tree.self[0]],
		depth: [0], parent: [-1], first: [0, 1] };
	const name = i => tree.labels[tree.label[i]].name;
	const byName = (a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a - b);
	const orders = { given: null, name: byName, width: (a, b) => total[b] - total[a] || byName(a, b) };
	for (let i = 1; i < n; i++)
		if (total[i] > 0)
			(children[tree.parent[i]] = children[tree.parent[i]] || []).push(i);
	if (tree.now && !tree.start) {
		tree.now.total = totals(tree, tree.now.self);
		tree.was.total = totals(tree, tree.was.self);
	}
	for (let d = 0; v.first[d] < v.first[d + 1]; d++) {
		for (let f = v.first[d]; f < v.first[d + 1]; f++) {
			const below = children[v.node[f]] || [];
			let at = v.start[f] + tree.own[v.node[f]];	/* the self cost comes first */
			if (orders[order])
				below.sort(orders[order]);
			for (const i of below) {
				v.node.push(i);
				v.start.push(tree.start && order === 'given' ? tree.start[i] : at);
				v.total.push(total[i]);
				v.samples.push(samples[i]);
				v.self.push(tree.self[i]);
				v.depth.push(d + 1);
				v.parent.push(f);
				at += total[i];
			}
		}
		v.first.push(v.node.length);
	}
	v.first.pop();
	return v;
}
