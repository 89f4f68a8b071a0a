/*
 * Add up the selected samples: by row, and from the rows by node, function, object, thread and line.
 */

/* Return the index of the first item at or after a tick. */
function firstAt(tick, at) {
	let lo = 0, hi = tick.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (tick[mid] < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Return the weight and the number of samples of each row in the ticks range[0] <= tick < range[1]; if `range` is null,
 * of all samples.
 */
function sumRows(event, range) {
	if (!range || !event.time)
		return { weight: event.row.weight, count: event.row.count };
	const weight = new Float64Array(event.n), count = new Float64Array(event.n), t = event.time;
	for (let i = firstAt(t.tick, range[0]), end = firstAt(t.tick, range[1]); i < end; i++) {
		const row = t.row[i];
		weight[row] += t.weight[i];
		count[row] += 1 + t.more[i];
	}
	return { weight, count };
}

/*
 * Return the sums of an event.  chosen: a Set of threads, or null for all.  Sums by thread include the threads that are
 * not chosen, so that they can be chosen.  Recursion counts once in the total of a function.
 */
function sumUp(event, range, chosen) {
	const rows = sumRows(event, range), r = event.row, nf = data.functions.n;
	const s = { weight: 0, samples: 0, rows: rows.weight, self: new Float64Array(nodes.n),
		total: new Float64Array(nodes.n), samplesOf: new Float64Array(nodes.n),
		functionSelf: new Float64Array(nf), functionSamples: new Float64Array(nf),
		functionTotal: new Float64Array(nf),
		threadSelf: new Float64Array(threads.n), threadSamples: new Float64Array(threads.n), line: new Map() };
	const on = new Uint8Array(threads.n).fill(chosen ? 0 : 1);
	if (chosen)
		chosen.forEach(t => { on[t] = 1; });
	for (let i = 0; i < event.n; i++) {
		const w = rows.weight[i], c = rows.count[i], thread = r.thread[i];
		if (!w && !c)
			continue;
		s.threadSelf[thread] += w;
		s.threadSamples[thread] += c;
		if (!on[thread])
			continue;
		s.weight += w;
		s.samples += c;
		s.self[r.node[i]] += w;
		s.samplesOf[r.node[i]] += c;
		s.functionSelf[r.self[i]] += w;
		s.functionSamples[r.self[i]] += c;
		if (r.line[i])
			s.line.set(r.line[i], (s.line.get(r.line[i]) || 0) + w);
	}
	s.on = on;
	s.total.set(s.self);
	for (let i = nodes.n - 1; i > 0; i--) {
		s.total[nodes.parent[i]] += s.total[i];
		s.samplesOf[nodes.parent[i]] += s.samplesOf[i];
		if (nodes.outermost[i])
			s.functionTotal[nodes.fn[i]] += s.total[i];
	}
	return s;
}

/* Return [object, self, samples] of each object, the costliest first. */
function sumObjects(s) {
	const sums = new Map();
	for (let f = 0; f < data.functions.n; f++)
		if (s.functionSamples[f] || s.functionSelf[f]) {
			const o = data.functions.object[f], at = sums.get(o) || [o, 0, 0];
			at[1] += s.functionSelf[f];
			at[2] += s.functionSamples[f];
			sums.set(o, at);
		}
	return [...sums.values()].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

/* Return { line, fn, self } of each pair of a line and a function with self cost; only: one function, or -1. */
function sumLines(event, s, only) {
	const sums = new Map(), r = event.row;
	for (let i = 0; i < event.n; i++)
		if (s.rows[i] && r.line[i] && s.on[r.thread[i]] && (only < 0 || r.self[i] === only)) {
			const key = r.line[i] * data.functions.n + r.self[i];
			sums.set(key, (sums.get(key) || 0) + s.rows[i]);
		}
	return [...sums].map(
		([key, self]) => ({ line: Math.floor(key / data.functions.n), fn: key % data.functions.n, self }))
		.sort((a, b) => b.self - a.self || a.line - b.line);
}

/*
 * Return the tree of the callers or the callees of a function, which is the root, as arrays in preorder.  roots: items
 * { node } of the function; weightOf(item) returns the weight of an item, next(item) its callers or callees.  Those
 * that are narrower than a pixel of any screen are dropped; the self cost of their parent does not include them.
 */
const NARROWEST = 1 / 8000;
function buildTree(roots, weightOf, next) {
	const tree = { depth: [], fn: [], inlined: [], end: [], total: [], self: [] };
	const all = roots.reduce((sum, it) => sum + weightOf(it), 0), open = [];
	const stack = [{ fn: roots.length ? nodes.fn[roots[0].node] : 0, depth: 0, items: roots, total: all }];
	while (stack.length) {
		const g = stack.pop(), at = tree.fn.length, groups = new Map();
		while (open.length > g.depth)
			tree.end[open.pop()] = at;
		open.push(at);
		tree.depth.push(g.depth);
		tree.fn.push(g.fn);
		tree.inlined.push(g.items.length && g.items.every(it => nodes.inlined[it.node]) ? 1 : 0);
		tree.total.push(g.total);
		let below = 0;
		for (const it of g.items)
			for (const child of next(it)) {
				const f = nodes.fn[child.node], w = weightOf(child);
				if (!w)
					continue;
				below += w;
				const group = groups.get(f);
				if (group) {
					group.items.push(child);
					group.total += w;
				} else {
					groups.set(f, { fn: f, depth: g.depth + 1, items: [child], total: w });
				}
			}
		tree.self.push(g.total - below);
		stack.push(...[...groups.values()].filter(c => c.total >= all * NARROWEST).sort((a, b) => b.fn - a.fn));
	}
	while (open.length)
		tree.end[open.pop()] = tree.fn.length;
	tree.n = tree.fn.length;
	return tree;
}
function outermostNodes(f, s) {
	const found = [];
	for (let i = 1; i < nodes.n; i++)
		if (nodes.fn[i] === f && nodes.outermost[i] && s.total[i])
			found.push({ node: i, weight: s.total[i] });
	return found;
}
function calleeTree(f, s) {
	return buildTree(outermostNodes(f, s), it => s.total[it.node], it => {
		const below = [];
		for (let c = it.node + 1; c < nodes.end[it.node]; c = nodes.end[c])
			if (s.total[c])
				below.push({ node: c });
		return below;
	});
}
function callerTree(f, s) {
	return buildTree(outermostNodes(f, s), it => it.weight, it => {
		const p = nodes.parent[it.node];
		return p > 0 ? [{ node: p, weight: it.weight }] : [];
	});
}
