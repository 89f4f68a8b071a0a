/*
 * Decode the data that web/history_page.h describes: resolve texts, make columns typed arrays.
 * A lane is a list of comparable runs; a slot is the position of a run in its lane.
 */
const raw = JSON.parse(document.getElementById('data').textContent);
const text = i => raw.s[i];
const WORST = ['PASS', 'NOT_COMPARABLE', 'INCONCLUSIVE', 'SHIFT', 'FAIL'];
const KINDS = ['latency', 'memory', 'power', 'gpu', 'results', 'other'];
const NO_NAME = '[unknown]';

const symbolName = i => text(raw.symbols[i][0]) || NO_NAME;
const symbolObject = i => text(raw.symbols[i][1]);

function floats(v, scale) {
	const out = new Float64Array(v.length);
	for (let i = 0; i < v.length; i++)
		out[i] = v[i] === null ? NaN : v[i] * scale;
	return out;
}

/* The main series of each kind: total latency, resident memory, total power. */
const MAIN = ['wall_time_us', 'peak_rss_bytes', 'watts'];

function readColumn(c) {
	const share = c.sym !== undefined;
	const col = { share, v: floats(c.v, share ? 0.001 : 1), hidden: false, colour: 0,
		changes: c.c.map(([slot, before, after, magnitude, p, change = null, lo = null, hi = null]) =>
			({ slot, before, after, magnitude, p, change, lo, hi })),
		next: c.next && { slot: c.next[0], runs: c.next[1], lo: c.next[2], hi: c.next[3] } };
	if (share)
		return Object.assign(col, { sym: c.sym, label: symbolName(c.sym), object: symbolObject(c.sym) });
	const kind = text(c.kind), stat = text(c.stat), unit = /^joules$/.test(stat) ? 'joules' : text(c.unit);
	return Object.assign(col, { kind: KINDS.includes(kind) ? kind : 'other', name: text(c.name), stat, unit,
		main: MAIN.includes(text(c.name)), label: `${stat} ${text(c.name)}` });
}

/* Return the groups of consecutive runs of one commit.  Each group is one row of the table of the top five. */
function commitsOf(lane) {
	const groups = [];
	for (let i = 0; i < lane.n; i++) {
		const run = lane.run[i], last = groups[groups.length - 1];
		const commit = raw.runs.commit[run], dirty = raw.runs.dirty[run];
		if (last && commit && last.commit === commit && last.dirty === dirty)
			last.to = i + 1;
		else
			groups.push({ from: i, to: i + 1, commit, dirty });
	}
	return groups;
}

function readLane(l, number) {
	const lane = { number, n: l.run.length, run: Int32Array.from(l.run), weight: floats(l.w, 1),
		samples: floats(l.n, 1), top: l.top,
		event: text(l.event), unit: text(l.unit), target: text(l.target), mode: text(l.mode),
		inline: text(l.inline), stacks: text(l.stacks),
		machine: text(l.machine), config: text(l.config), selection: text(l.selection), cpu: text(l.cpu),
		cols: l.cols.map(readColumn) };
	lane.shares = lane.cols.filter(c => c.share);
	lane.series = lane.cols.filter(c => !c.share);
	lane.shares.forEach((c, i) => { c.colour = i; c.hidden = i >= 8; });
	lane.columnOf = new Map(lane.shares.map(c => [c.sym, c]));
	lane.index = Float64Array.from(lane.run, (_, i) => i);
	const work = lane.run.length && Array.from(lane.run, r => raw.runs.work[r]);
	lane.perWork = work && work.every(w => w > 0);
	/*
	 * Return the number by which the costs of a run are divided before runs are compared; 0: unknown.  What a
	 * program allocates does not depend on the speed of the machine.
	 */
	lane.divisor = slot => lane.perWork ? work[slot] : ['bytes', 'allocations'].includes(lane.unit) ? 1 : 0;
	/* Return the cost of a function with this share, per run or per unit of work. */
	lane.cost = (share, slot) => share / 100 * lane.weight[slot] / (lane.perWork ? work[slot] : 1);
	lane.time = Float64Array.from(lane.run, r => Date.parse(text(raw.runs.t[r])) / 1000 || 0);
	for (let i = 1; i < lane.n; i++)	/* keep times ascending even if a clock was wrong */
		lane.time[i] = Math.max(lane.time[i], lane.time[i - 1]);
	lane.slotOf = new Map();
	lane.run.forEach((r, i) => lane.slotOf.set(`${r} ${l.e[i]}`, i));
	lane.worst = new Int8Array(lane.n).fill(-1);
	lane.verdicts = new Map();
	lane.commits = commitsOf(lane);
	lane.byCommit = new Float64Array(lane.n);
	lane.commits.forEach((g, i) => lane.byCommit.fill(i, g.from, g.to));
	return lane;
}

const lanes = raw.lanes.map(readLane);
function addVerdict(lane, slot, v) {
	if (!lane.verdicts.has(slot))
		lane.verdicts.set(slot, []);
	lane.verdicts.get(slot).push(v);
	lane.worst[slot] = Math.max(lane.worst[slot], WORST.indexOf(v.verdict));
}
for (const [head, base, event, sym, kind, verdict, before, after, change, lo, hi, q, series] of raw.verdicts)
	for (const lane of lanes) {
		const slot = lane.slotOf.get(`${head} ${event}`), col = lane.series.find(c => c.label === text(series));
		if (slot !== undefined)
			addVerdict(lane, slot, { slot, base, sym, col, series: text(series), kind: text(kind),
				verdict: text(verdict), before, after, change, lo, hi, q });
	}
for (const lane of lanes)
	lane.run.forEach((r, i) => lane.slotOf.set(r, i));
for (const [head, event, verdict, base, reason] of raw.gates)
	for (const lane of lanes) {
		const slot = lane.slotOf.get(head);
		if (slot !== undefined && (!text(event) || text(event) === lane.event))
			addVerdict(lane, slot, { slot, sym: -1, series: '', verdict: text(verdict), base: text(base),
				reason: text(reason) });
	}
raw.trees.forEach((t, i) => { t.number = i; });

/* Return texts that describe a slot. */
const runId = (lane, slot) => text(raw.runs.id[lane.run[slot]]);
const when = (lane, slot) => text(raw.runs.t[lane.run[slot]]).replace('T', ' ').replace(/:\d\dZ$/, '');
const day = (lane, slot) => text(raw.runs.t[lane.run[slot]]).slice(0, 10);
const subject = (lane, slot) => text(raw.runs.subject[lane.run[slot]]);
const branch = (lane, slot) => text(raw.runs.branch[lane.run[slot]]);
const status = (lane, slot) => text(raw.runs.status[lane.run[slot]]);
function commit(lane, slot) {
	const run = lane.run[slot], sha = text(raw.runs.commit[run]);
	return sha ? sha.slice(0, 9) + (raw.runs.dirty[run] === 1 ? '+' : '') : 'no commit';
}
