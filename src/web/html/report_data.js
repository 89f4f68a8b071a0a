/*
 * Decode the data that web/report_page.h describes into typed arrays.
 */
const raw = JSON.parse($('data').textContent);

class PackedReader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
		this.decoder = new TextDecoder();
	}
	number() {
		let b = this.bytes[this.at++], v = b & 127;
		for (let scale = 128; b > 127; scale *= 128) {
			b = this.bytes[this.at++];
			v += (b & 127) * scale;
		}
		return v;
	}
	text() {
		const n = this.number();
		return this.decoder.decode(this.bytes.subarray(this.at, this.at += n));
	}
	column(n, Type) {
		const out = new Type(n), bytes = this.bytes;
		let at = this.at;
		for (let i = 0; i < n; i++) {
			let b = bytes[at++], v = b & 127;
			for (let scale = 128; b > 127; scale *= 128) {
				b = bytes[at++];
				v += (b & 127) * scale;
			}
			out[i] = v;
		}
		this.at = at;
		return out;
	}
	/* Read a column of differences, and return the values. */
	sums(n, Type) {
		const out = new Type(n), coded = this.column(n, Float64Array);
		for (let i = 0, sum = 0; i < n; i++) {
			const v = coded[i];
			sum += v % 2 ? -(v + 1) / 2 : v / 2;
			out[i] = sum;
		}
		return out;
	}
	classes(n) {
		const out = Array.from({ length: n },
			(_, i) => String.fromCharCode(this.bytes[this.at + 2 * i], this.bytes[this.at + 2 * i + 1]));
		this.at += 2 * n;
		return out;
	}
}

async function unzip(base64) {
	const text = atob(base64), bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	return new Uint8Array(await new Response(
		new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

/* Read the nodes, which are in preorder: the subtree of node i is [i, end[i]). */
function readNodes(r, functions) {
	const n = r.number(), depth = r.sums(n, Int32Array), coded = r.column(n, Int32Array), cut = r.number();
	const nodes = { n, depth, fn: coded.map(v => v >> 1), inlined: coded.map(v => v & 1),
		parent: new Int32Array(n).fill(-1), end: new Int32Array(n), outermost: new Uint8Array(n), cut };
	/* open: the callers of node i; times: how often each function is among them */
	const open = [], times = new Int32Array(functions);
	const close = i => {
		nodes.end[open[open.length - 1]] = i;
		times[nodes.fn[open.pop()]]--;
	};
	for (let i = 0; i < n; i++) {
		while (open.length > depth[i])
			close(i);
		const f = nodes.fn[i];
		nodes.parent[i] = open.length ? open[open.length - 1] : -1;
		nodes.outermost[i] = times[f]++ ? 0 : 1;
		open.push(i);
	}
	while (open.length)
		close(n);
	return nodes;
}

function readEvent(r, texts) {
	const e = { name: texts[r.number()], unit: texts[r.number()], samples: r.number(), weight: r.number(),
		n: r.number() };
	e.row = { node: r.sums(e.n, Int32Array), self: r.column(e.n, Int32Array), line: r.column(e.n, Int32Array),
		thread: r.column(e.n, Int32Array),
		weight: r.column(e.n, Float64Array), count: r.column(e.n, Float64Array) };
	e.clock = r.number();
	if (!e.clock)
		return e;
	e.first = r.number();
	const n = r.number(), tick = r.column(n, Float64Array);
	for (let i = 1; i < n; i++)
		tick[i] += tick[i - 1];
	e.time = { n, tick, row: r.column(n, Int32Array), weight: r.sums(n, Float64Array),
		more: r.column(n, Int32Array) };
	return e;
}

function readData(bytes) {
	const r = new PackedReader(bytes), info = JSON.parse(r.text()), advice = r.text(), code = JSON.parse(r.text()),
		list = (n, f) => Array.from({ length: n }, f);
	const texts = list(r.number(), () => r.text());
	let n = r.number();
	const functions = { n, name: r.column(n, Int32Array), object: r.column(n, Int32Array),
		classes: [r.classes(n), r.classes(n)] };
	const nodes = readNodes(r, functions.n);
	n = r.number();
	const lines = { n, file: r.column(n, Int32Array), line: r.column(n, Int32Array) };
	n = r.number();
	const threads =
		{ n, comm: r.column(n, Int32Array), pid: r.column(n, Float64Array), tid: r.column(n, Float64Array) };
	const events = list(r.number(), () => readEvent(r, texts));
	return { info, advice, code, texts, functions, nodes, lines, threads, events };
}

const data = readData(await unzip(raw.packed));
raw.packed = '';
const nodes = data.nodes, threads = data.threads;
const functionName = f => data.texts[data.functions.name[f]] || '[unknown]',
	functionObject = f => data.texts[data.functions.object[f]];
const objectName = f => functionObject(f).replace(/^.*\/(?=[^/]+$)/s, '');
const nodeName = i => functionName(nodes.fn[i]), nodeClass = i => data.functions.classes[nodes.inlined[i]][nodes.fn[i]];
const shadeClasses = () => [...new Set([...data.functions.classes[0], ...data.functions.classes[1]])];
const isKernel = Uint8Array.from(data.functions.classes[0], c => c[0] === 'k' ? 1 : 0);
const lineName = i => `${data.texts[data.lines.file[i]].replace(/^.*\/(?=[^/]+\/[^/]+$)/s, '')}:${data.lines.line[i]}`;

/*
 * Return a thread's name and tid.  If the recording has several processes, the pid is added unless it equals the tid.
 */
const onePid = threads.pid.every(pid => pid === threads.pid[0]);
function threadName(i) {
	const pid = threads.pid[i] - 1, tid = threads.tid[i] - 1, name = data.texts[threads.comm[i]] || '[no name]';
	const both = pid >= 0 && tid >= 0 && pid !== tid && !onePid;
	return `${name} ${both ? `${pid}/${tid}` : tid >= 0 ? tid : pid >= 0 ? pid : ''}`.trim();
}
