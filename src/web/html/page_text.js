/*
 * Create elements and format numbers.  Names are set by textContent only; no string is parsed as markup.
 */
const $ = id => document.getElementById(id);

function make(tag, attrs, ...children) {
	const e = document.createElement(tag);
	for (const k in attrs)
		if (k === 'class')
			e.className = attrs[k];
		else if (k.startsWith('on'))
			e.addEventListener(k.slice(2), attrs[k]);
		else if (attrs[k] !== undefined && attrs[k] !== false)
			e.setAttribute(k, attrs[k] === true ? '' : attrs[k]);
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

const thousands = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
const count = (n, word) => `${thousands(n)} ${word}${n === 1 ? '' : 's'}`;

function percent(v) {
	if (!Number.isFinite(v))
		return '\u2013';
	return (v > 0 && v < 0.005 ? '<0.01' : v.toFixed(v >= 99.995 ? 1 : 2)) + ' %';
}
/* Format a change in per cent: +26.4 %. */
const signed = pct => `${pct < 0 ? '\u2212' : '+'}${Math.abs(pct).toFixed(1)} %`;
/* Format the relative change of two values. */
function relative(before, after) {
	if (!(before > 0))
		return after > 0 ? 'new' : '\u2013';
	if (!(after > 0))
		return 'gone';
	return signed(100 * (after / before - 1));
}

const digits3 = v => {
	const a = Math.abs(v);
	return a >= 1000 ? thousands(v) : a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : a >= 1 ? v.toFixed(2) :
		a === 0 ? '0' : String(+v.toPrecision(3));
};
const SCALES = {
	time: [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']],
	bytes: [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']],
	joules: [[1e3, 'kJ'], [1, 'J'], [1e-3, 'mJ']],
	watts: [[1e3, 'kW'], [1, 'W'], [1e-3, 'mW']],
};
const UNITS = { ns: ['time', 1], us: ['time', 1e3], '\u00b5s': ['time', 1e3], ms: ['time', 1e6], s: ['time', 1e9],
	bytes: ['bytes', 1],
	joules: ['joules', 1], J: ['joules', 1], watts: ['watts', 1], W: ['watts', 1] };

/* Return the scale for values near v: [divisor, name of the unit]. */
function stepOf(v, unit) {
	const known = UNITS[unit], a = Math.abs(v);
	if (!known) {
		const [by, prefix] = a >= 1e9 ? [1e9, 'G'] : a >= 1e6 ? [1e6, 'M'] : a >= 1e4 ? [1e3, 'k'] : [1, ''];
		return [by, `${prefix} ${unit}`.trim()];
	}
	const scale = SCALES[known[0]], step = scale.find(([from]) => a * known[1] >= from) || scale[scale.length - 1];
	return [step[0] / known[1], step[1]];
}
function amount(v, unit) {
	if (!Number.isFinite(v))
		return '\u2013';
	const [by, name] = stepOf(v, unit);
	return `${digits3(v / by)} ${name}`.trim();
}
const valueOf = (col, v) => col.share ? percent(v) : amount(v, col.unit);
const expected = c => c.next && `${c.label}: the next run is expected from ${valueOf(c, c.next.lo)} to ` +
	`${valueOf(c, c.next.hi)}, by the last ${c.next.runs}`;

function median(list) {
	const v = list.filter(Number.isFinite).sort((a, b) => a - b);
	return v.length ? (v[(v.length - 1) >> 1] + v[v.length >> 1]) / 2 : NaN;
}

const chip = verdict => make('span', { class: `chip v-${verdict.toLowerCase().replace(/[^a-z]/g, '-')}` },
	verdict.toLowerCase().replace(/_/g, ' '));
