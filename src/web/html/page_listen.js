/*
 * Changes of the page's state: changed('range') calls the listeners of `range` in the next animation frame, each
 * of them once.  Then keep(), which the page defines, stores the state in the address.
 */
const listeners = {};
let pending = new Set();

const listen = (what, f) => what.split(' ').forEach(w => (listeners[w] = listeners[w] || []).push(f));
function flush() {
	const now = pending, ran = new Set();
	pending = new Set();
	/* Listeners of `lane` run first, because they build what the others draw into. */
	for (const what of [...now].sort((a, b) => (b === 'lane') - (a === 'lane')))
		for (const f of listeners[what] || [])
			if (!ran.has(f)) {
				ran.add(f);
				f();
			}
	keep();
}
function changed(...what) {
	if (!pending.size)
		requestAnimationFrame(flush);
	what.forEach(w => pending.add(w));
}
