/*
 * The panels of a flamegraph: the view settings and the help sheet.  They are HTML in a foreignObject.
 */
const KEYS = [
	['click, Enter', 'zoom into a frame; a caller zooms out'],
	['arrow keys', 'move to caller, callee, neighbours'],
	['/  or  Ctrl-F', 'search names; n and p go through the matches'],
	['v', 'view settings'],
	['i', 'flame or icicle: the root at the bottom or at the top'],
	['r', 'reverse: merge the stacks from their innermost frames'],
	['t', 'merge the threads'],
	['w', 'sort by width or by name'],
	['f', 'focus: only stacks with the selected function'],
	['x', 'exclude: no stacks with the selected function'],
	['h', 'hide the selected function; its callees move to its callers'],
	['u', 'undo the last of these three'],
	['c', 'copy the selected frame: stack and numbers'],
	['d', 'light or dark'],
	['Esc', 'reset zoom and search'],
	['?', 'this sheet'],
];

function helpSheet() {
	const sheet = make(HTML, 'div', { class: 'hd-card hd-sheet' }), table = make(HTML, 'table', {});
	for (const [keys, text] of KEYS) {
		const tr = make(HTML, 'tr', {});
		tr.append(make(HTML, 'td', {}, keys), make(HTML, 'td', {}, text));
		table.append(tr);
	}
	sheet.append(make(HTML, 'b', {}, 'Keys of this flamegraph'), table,
		make(HTML, 'p', {}, 'The width of a frame is its share of the whole, with everything that it ' +
			'calls. The address keeps zoom, search and view.'));
	return sheet;
}

/* The advice in the card of a frame without a name. */
const UNKNOWN_HELP =
	'No symbol was found for this address. \'hotdrift info FILE\' names the objects and the packages with their ' +
	'symbols; for JIT code run the program with a perf map; for broken stacks record with --call-graph dwarf.';

/*
 * Make a panel with a close button.  Returns { box, open(content), close(), isOpen(), place() }.  The function
 * place(box, frame) of the caller sets the position and the size of `box`, the foreignObject around `frame`.
 */
function makePanel(svg, label, place) {
	const box = make(SVG, 'foreignObject', { class: 'hd-panel' }), frame = make(HTML, 'div',
		{ class: 'hd-panel-frame', role: 'dialog', 'aria-label': label, tabindex: '-1' });
	let back = null;
	box.append(frame);
	box.style.display = 'none';
	const panel = {
		box,
		isOpen: () => box.style.display !== 'none',
		close() {
			if (!panel.isOpen())
				return;
			box.style.display = 'none';
			if (back && back.focus)
				back.focus({ preventScroll: true });
		},
		open(content) {
			const button = make(HTML, 'button', { type: 'button', class: 'hd-close', title: 'Close (Esc)',
				'aria-label': 'Close' }, '\u00d7');
			button.addEventListener('click', panel.close);
			if (!panel.isOpen())
				back = document.activeElement;
			frame.replaceChildren(button, content);
			box.style.display = '';
			panel.place();
			frame.focus({ preventScroll: true });
		},
		place() {
			if (panel.isOpen())
				place(box, frame);
		},
	};
	frame.addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			panel.close();
			e.preventDefault();
			e.stopPropagation();
		}
	});
	svg.append(box);
	return panel;
}

/*
 * Copy text to the clipboard.  If the clipboard interface fails, select the text in a temporary field and copy the
 * selection.  Returns whether the text was copied.
 */
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (e) {
		const area = make(HTML, 'textarea', { 'aria-hidden': 'true' }),
			root = document.body || document.querySelector('.hd-bar'), had = document.activeElement;
		area.value = text;
		area.style.position = 'fixed';
		area.style.opacity = '0';
		root.append(area);
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		if (had && had.focus)
			had.focus({ preventScroll: true });
		return done;
	}
}
