/*
 * Call trees: one, or two merged.  The width of a frame is the mean of its shares in A and B, so callees fit into their
 * caller, and removed frames are visible next to new ones.
 */
const frameName = f => text(raw.frames[f][0]) || '[unknown]';
const frameClass = f => raw.frames[f][1];
const shadeClasses = () => raw.frames.map(f => f[1]);

/* Return the tree as arrays in preorder; end[i] is the index after the subtree of node i. */
function unpack(t) {
	if (t.open)
		return t.open;
	const n = t.f.length / 4, o = { n, frame: new Int32Array(n), depth: new Int32Array(n),
		total: new Float64Array(n), self: new Float64Array(n), end: new Int32Array(n) };
	const stack = [];
	for (let i = 0; i < n; i++) {
		o.frame[i] = t.f[4 * i];
		o.depth[i] = t.f[4 * i + 1];
		o.total[i] = t.f[4 * i + 2];
		o.self[i] = t.f[4 * i + 3];
		while (stack.length && o.depth[stack[stack.length - 1]] >= o.depth[i])
			o.end[stack.pop()] = i;
		stack.push(i);
	}
	while (stack.length)
		o.end[stack.pop()] = n;
	t.open = o;
	return o;
}

/* Return the callees of node ia of A and ib of B (-1: none) as pairs with equal frames, sorted by name. */
function callees(a, ia, b, ib) {
	const pairs = new Map();
	for (let c = ia < 0 ? 0 : ia + 1; ia >= 0 && c < a.end[ia]; c = a.end[c])
		pairs.set(a.frame[c], [c, -1]);
	for (let c = ib < 0 ? 0 : ib + 1; ib >= 0 && c < b.end[ib]; c = b.end[c])
		if (pairs.has(b.frame[c]))
			pairs.get(b.frame[c])[1] = c;
		else
			pairs.set(b.frame[c], [-1, c]);
	return [...pairs].sort(([f], [g]) => frameName(f) < frameName(g) ? -1 : frameName(f) > frameName(g) ? 1 : f - g)
		.map(p => p[1]);
}

/*
 * Return the factor that makes shares of B comparable with shares of A.  When one function grows, the shares of all
 * others fall although their cost is unchanged.  The factor is the median of the ratios (A / B) of the self shares of
 * all functions, weighted by the smaller share.  It is 1 if fewer than three functions have self cost in both.
 */
function levelOf(frames) {
	const self = new Map();
	for (const f of frames) {
		const s = self.get(f.frame) || [0, 0];
		self.set(f.frame, [s[0] + f.selfA, s[1] + f.selfB]);
	}
	const ratios = [...self.values()].filter(([a, b]) => a > 0 && b > 0).map(([a, b]) => [a / b, Math.min(a, b)])
		.sort((p, q) => p[0] - q[0]);
	const half = ratios.reduce((sum, [, w]) => sum + w, 0) / 2;
	let sum = 0;
	for (const [ratio, w] of ratios)
		if ((sum += w) >= half)
			return ratios.length < 3 ? 1 : ratio;
	return 1;
}

/*
 * Return the picture.  divisors: see lane.divisor().  frames: x and w are fractions of the width; a, b, selfA and selfB
 * are shares; weightA and weightB are costs.  scale: the factor by which a share of B becomes a cost in units of A's
 * total, which is the factor of levelOf() unless both divisors are known.  moved: the largest change of a share, at
 * least 0.002, and 0 if there is only one tree.
 */
function layOut([treeA, treeB], [divisorA, divisorB]) {
	const a = treeA ? unpack(treeA) : null, b = treeB ? unpack(treeB) : null, frames = [], both = a && b;
	const allA = a ? a.total[0] || 1 : 1, allB = b ? b.total[0] || 1 : 1;
	const stack = [[a ? 0 : -1, b ? 0 : -1, 0, -1]];
	while (stack.length) {
		const [ia, ib, depth, parent] = stack.pop(), at = frames.length;
		const f = { at, depth, parent, frame: ia >= 0 ? a.frame[ia] : b.frame[ib],
			a: ia >= 0 ? a.total[ia] / allA : 0, b: ib >= 0 ? b.total[ib] / allB : 0,
			selfA: ia >= 0 ? a.self[ia] / allA : 0, selfB: ib >= 0 ? b.self[ib] / allB : 0,
			weightA: ia >= 0 ? a.total[ia] : 0, weightB: ib >= 0 ? b.total[ib] : 0, x: 0, fill: 0 };
		f.w = both ? (f.a + f.b) / 2 : a ? f.a : f.b;
		if (parent >= 0) {
			f.x = frames[parent].x + frames[parent].fill;
			frames[parent].fill += f.w;
		}
		frames.push(f);
		const next = callees(a, ia, b, ib);
		for (let i = next.length - 1; i >= 0; i--)
			stack.push([...next[i], depth + 1, at]);
	}
	const open = [];	/* `end` is the index after the subtree */
	for (const f of frames) {
		while (open.length > f.depth)
			frames[open.pop()].end = f.at;
		open.push(f.at);
	}
	open.forEach(at => { frames[at].end = frames.length; });
	const known = both && divisorA > 0 && divisorB > 0,
		scale = !both ? 1 : known ? allB / divisorB / (allA / divisorA) : levelOf(frames),
		moved = both ? frames.reduce((m, f) => Math.max(m, Math.abs(f.b * scale - f.a)), 0.002) : 0;
	return { frames, both, known, scale, moved, cut: (treeA ? treeA.cut : 0) + (treeB ? treeB.cut : 0) };
}
