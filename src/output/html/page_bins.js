/*
 * Points for the width there is.  Where there are more runs than pixels, the runs of one bin become its smallest
 * and its largest value of each column, in the order in which they came: no peak is lost, and no more is
 * drawn than can be seen.
 */
const MOST_BINS = 360;

/* Rows [place, value of column 0, ...] for the chart library; null where nothing was measured. */
function rowsOf(columns) {
	let [from, to] = inRange();
	from = Math.max(from - 1, 0);
	to = Math.min(to + 1, state.lane.n);
	return to - from <= 2 * MOST_BINS ? plainRows(columns, from, to) : binnedRows(columns, from, to);
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
/* Where each bin begins, and the slot behind the last one. */
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
	for (let b = 0; b + 1 < edges.length; b++) {
		const lo = edges[b], hi = edges[b + 1], first = [x[lo]], second = [x[hi - 1]];
		for (const c of columns) {
			let low = -1, high = -1;
			for (let i = lo; i < hi; i++) {
				const v = c.v[i];
				if (v === v) {		/* not NaN */
					if (low < 0 || v < c.v[low])
						low = i;
					if (high < 0 || v > c.v[high])
						high = i;
				}
			}
			first.push(low < 0 ? null : c.v[Math.min(low, high)]);
			second.push(low < 0 ? null : c.v[Math.max(low, high)]);
		}
		rows.push(first);
		if (hi - lo > 1)
			rows.push(second);
	}
	return rows;
}
/* The largest and the smallest value in sight. */
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
