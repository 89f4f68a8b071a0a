/*
 * Reduce the runs of a chart to its width.  If more than 2 * MOST_BINS runs are visible, the runs of one bin become a
 * band from their smallest to their largest value and a line at their mean.  So no peak is lost, and nothing invisible
 * is drawn.
 */
const MOST_BINS = 360;

const isDense = () => {
	const [from, to] = inRange();
	return to - from > 2 * MOST_BINS;
};
/*
 * Return rows [place, value of column 0, ...] for the chart library; null where nothing was measured.  If runs share
 * bins, values are means, and rows.bands[k][2 b] and rows.bands[k][2 b + 1] are the smallest and largest value of bin b
 * in column k.
 */
function rowsOf(columns) {
	const [from, to] = inRange(), first = Math.max(from - 1, 0), end = Math.min(to + 1, state.lane.n);
	return isDense() ? binnedRows(columns, first, end) : state.axis === 'commit' ? commitRows(columns, first, end) :
		plainRows(columns, first, end);
}
const orNull = v => Number.isFinite(v) ? v : null;
function plainRows(columns, from, to) {
	const x = places(), rows = [];
	for (let i = from; i < to; i++) {
		const row = [x[i]];
		for (const c of columns)
			row.push(orNull(c.v[i]));
		rows.push(row);
	}
	return rows;
}
/*
 * 97.5 % quantiles of Student's t for 1 to 10 degrees of freedom.  With more, 1.96 + 2.47 / df is within 0.8 % of them.
 */
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
const student = df => STUDENT[df - 1] || 1.96 + 2.47 / df;
/* Return one row per commit: the mean of its runs.  `bands` of the result has the 95 % interval of each mean. */
function commitRows(columns, from, to) {
	const x = state.lane.byCommit, rows = [], groups = state.lane.commits.slice(x[from], x[to - 1] + 1);
	rows.whiskers = true;
	rows.bands = columns.map(() => new Float64Array(2 * groups.length).fill(NaN));
	groups.forEach((g, b) => {
		rows.push([x[g.from], ...columns.map((c, k) => {
			const v = Array.from(c.v.subarray(g.from, g.to)).filter(Number.isFinite), n = v.length,
				mean = v.reduce((s, e) => s + e, 0) / n;
			if (n > 1) {
				const half = student(n - 1) *
					Math.sqrt(v.reduce((s, e) => s + (e - mean) ** 2, 0) / (n - 1) / n);
				rows.bands[k][2 * b] = Math.max(0, mean - half);
				rows.bands[k][2 * b + 1] = mean + half;
			}
			return n ? mean : null;
		})]);
	});
	return rows;
}
/* Return the first slot of each bin, followed by the slot after the last bin. */
function binEdges(from, to) {
	const x = places(), lo = x[from], width = (x[to - 1] - lo) / MOST_BINS || 1, edges = [];
	let last = -1;
	for (let i = from; i < to; i++) {
		const bin = Math.floor((x[i] - lo) / width);
		if (bin !== last)
			edges.push(i);
		last = bin;
	}
	edges.push(to);
	return edges;
}
function binnedRows(columns, from, to) {
	const x = places(), edges = binEdges(from, to), rows = [];
	rows.bands = columns.map(() => new Float64Array(2 * edges.length).fill(NaN));
	for (let b = 0; b + 1 < edges.length; b++) {
		const lo = edges[b], hi = edges[b + 1], row = [(x[lo] + x[hi - 1]) / 2];
		columns.forEach((c, k) => {
			let low = Infinity, high = -Infinity, sum = 0, n = 0;
			for (let i = lo; i < hi; i++) {
				const v = c.v[i];
				if (v === v) {		/* not NaN */
					low = v < low ? v : low;
					high = v > high ? v : high;
					sum += v;
					n++;
				}
			}
			row.push(n ? sum / n : null);
			if (n) {
				rows.bands[k][2 * b] = low;
				rows.bands[k][2 * b + 1] = high;
			}
		});
		rows.push(row);
	}
	return rows;
}
/* Return the smallest and the largest visible value. */
function extent(columns) {
	const [from, to] = inRange();
	let lo = Infinity, hi = -Infinity;
	for (const c of columns)
		for (let i = from; i < to; i++) {
			if (c.v[i] > hi)
				hi = c.v[i];
			if (c.v[i] < lo)
				lo = c.v[i];
		}
	return hi >= lo ? [lo, hi] : [0, 1];
}
