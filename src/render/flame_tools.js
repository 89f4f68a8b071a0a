/*
 * Create the elements that the script adds: tools, status line, marks, card, and the panel of view settings.
 */
const toolsBox = make(SVG, 'foreignObject', { class: 'hd-tools' });
const bar = make(HTML, 'div', { class: 'hd-bar', role: 'toolbar', 'aria-label': 'Flamegraph' });
const button = (text, title, act) => {
	const b = make(HTML, 'button', { type: 'button', title }, text);
	b.addEventListener('click', act);
	bar.append(b);
	return b;
};
const input = make(HTML, 'input',
	{ type: 'search', placeholder: 'Search', 'aria-label': 'Search names', spellcheck: 'false' });
bar.append(input);
const regexButton = button('.*', 'Search by regular expression', () => {
	regex = !regex;
	regexButton.setAttribute('aria-pressed', regex);
	search(query);
	remember(false);
});
regexButton.setAttribute('aria-pressed', 'false');
const reset = button('Reset', 'Show everything, search nothing (Esc)', resetAll);
const turnButton = button(icicle ? 'Flame' : 'Icicle', 'Turn upside down (i)', () => {
	turn(!icicle);
	remember(false);
});
const viewButton = button('View', 'View settings (v)', () => toggleSettings());
viewButton.setAttribute('aria-expanded', 'false');
const themeButton = button('Dark', 'Light or dark (d)', () => paint(isDark() ? 'light' : 'dark'));
button('?', 'Keys (?)', () => toggleHelp()).classList.add('hd-help');
toolsBox.append(bar);
const statusLine = make(SVG, 'text', { class: 'hd-status', role: 'status' });
const floating = make(SVG, 'g', { class: 'hd-floating' });
const strips = [make(SVG, 'rect', { class: 'hd-paper' }), make(SVG, 'line', { class: 'hd-line', x1: 0 }),
	make(SVG, 'text', { class: 'hd-strip', x: PAD, y: 18 })];
floating.append(...strips, statusLine, toolsBox);
head.after(floating);
const over = make(SVG, 'rect', { class: 'hd-hover' }), ring = make(SVG, 'rect', { class: 'hd-ring' });
graph.append(over, ring);
const cardBox = make(SVG, 'foreignObject', { class: 'hd-float', 'aria-hidden': 'true' });
const card = make(HTML, 'div', { class: 'hd-card' });
cardBox.append(card);
cardBox.style.display = 'none';
svg.append(cardBox);
const place = (box, frame) => {
	const scroll = alone ? window.scrollY : 0;
	box.setAttribute('width', Math.max(Math.min(460, W - 2 * PAD), 200));
	box.setAttribute('height', frame.offsetHeight + 2);
	box.setAttribute('x', Math.max(PAD, W - PAD - Math.min(460, W - 2 * PAD)));
	box.setAttribute('y', scroll + (narrow ? 76 : 44));
};
const panel = makePanel(svg, 'Flamegraph', place);
const settings = makeSettings();
let shownPanel = '';
function togglePanel(which, content) {
	const same = panel.isOpen() && shownPanel === which;
	panel.close();
	shownPanel = same ? '' : which;
	viewButton.setAttribute('aria-expanded', !same && which === 'view');
	if (!same)
		panel.open(content);
}
const toggleHelp = () => togglePanel('help', helpSheet());
function toggleSettings() {
	settings.update();
	togglePanel('view', settings.element);
}
/* Create the panel of view settings, with one button per setting.  The button is pressed if the setting is on. */
function makeSettings() {
	const element = make(HTML, 'div', { class: 'hd-card hd-settings' }), who = make(HTML, 'p', {}),
		state = make(HTML, 'p', {}), list = [];
	const add = (text, key, isOn, can, act) => {
		const b = make(HTML, 'button', { type: 'button', title: `${text} (${key})` }, text);
		b.addEventListener('click', () => {
			act();
			settings.update();
		});
		list.push({ b, isOn, can });
		return b;
	};
	const group = (title, ...buttons) => {
		const div = make(HTML, 'div', { class: 'hd-group' });
		div.append(...buttons);
		element.append(make(HTML, 'b', {}, title), div);
	};
	group('View',
		add('Reverse', 'r', () => how.reverse, () => true, () => change('reverse')),
		add('Merge threads', 't', () => how.merge, hasThreads, () => change('merge')),
		add('Sort by width', 'w', () => how.order === 'width', () => true, () => change('order')),
		add('Sort by name', 'w', () => how.order === 'name', () => true, () => {
			how.order = how.order === 'name' ? 'given' : 'name';
			review();
		}));
	const some = () => cursor > 0;
	group('Selected frame',
		add('Focus', 'f', () => false, some, () => change('focus')),
		add('Exclude', 'x', () => false, some, () => change('exclude')),
		add('Hide', 'h', () => false, some, () => change('hide')),
		add('Copy', 'c', () => false, some, copyFrame),
		add('Undo', 'u', () => false, () => how.steps.length > 0, () => change('undo')));
	element.append(who, state);
	return {
		element,
		update() {
			who.textContent = cursor > 0 ? name(cursor) :
				'Click a frame or use the arrow keys to select it.';
			state.textContent = isDefault() ? '' : viewText();
			for (const { b, isOn, can } of list) {
				b.setAttribute('aria-pressed', isOn());
				b.disabled = !can();
			}
			panel.place();
		},
	};
}
svg.setAttribute('role', 'group');
graph.setAttribute('role', 'group');
graph.setAttribute('aria-label', 'Frames; arrow keys move, Enter zooms');
