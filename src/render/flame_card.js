/*
 * The card that describes a frame, next to the pointer or the focused frame.
 */
function setHover(i) {
	if (i === hover)
		return;
	/*
	 * The title of the frame under the pointer is removed, because the browser would show it as a second tooltip
	 * next to the card.  Put back the title of the previous frame.
	 */
	if (hover >= 0 && titles[hover])
		el[hover].prepend(titles[hover]);
	hover = i;
	mark(over, i, i >= 0);
	if (i >= 0) {
		titles[i].remove();
		fillCard(i);
	} else {
		cardBox.style.display = 'none';
	}
}
function fillCard(i) {
	const table = make(HTML, 'table', {}), tag = kind(i), change = numbers(i), p = parent[i], l = labelOf(i);
	const row = (cells, tagName) => {
		const tr = make(HTML, 'tr', {});
		cells.forEach(c => tr.append(make(HTML, tagName, {}, c)));
		table.append(tr);
	};
	card.replaceChildren(make(HTML, 'b', {}, nameType + name(i)));
	if (tag)
		card.append(make(HTML, 'i', {}, tag));
	if (change) {
		changeRows(row, i, change);
	} else {
		const cols = ['of all'], own = [total[0]];
		if (p > 0) {
			cols.push('of caller');
			own.push(total[p]);
		}
		if (zoom && inZoom(i) && zoom !== p) {
			cols.push('of zoomed');
			own.push(total[zoom]);
		}
		row(['', 'weight', ...cols], 'th');
		row(['total', weight(total[i]), ...own.map(w => share(total[i], w))], 'td');
		row(['self', weight(self[i]), ...own.map(w => share(self[i], w))], 'td');
		if (suffix !== 'samples' && samples[0])
			row(['samples', thousands(samples[i], 0), share(samples[i], samples[0])], 'td');
	}
	card.append(table);
	const at = view.tree.place[view.node[i]];
	if (at && (at.object || at.file)) {
		const lines = at.first ? `:${at.first}${at.last > at.first ? '-' + at.last : ''}` : '';
		card.append(make(HTML, 'p', { class: 'hd-place' },
			[at.object, at.file ? at.file + lines : ''].filter(Boolean).join('  \u00b7  ')));
	}
	if (l.cls[0] === 'q')
		card.append(make(HTML, 'p', {}, UNKNOWN_HELP));
}
/* Add the rows of a comparison: both weights and shares, the change in points, and that of the cost per run or work. */
function changeRows(row, i, c) {
	const all = numbers(0), [div1, div0] = (svg.dataset.divisor || '1,1').split(',').map(Number);
	const points = (a, b) => {
		const d = share100(a, all.now) - share100(b, all.was);
		return `${d < 0 ? '\u2212' : '+'}${Math.abs(d).toFixed(2)} points`;
	};
	const cost = (a, b) => (b ?
		`${a / div1 < b / div0 ? '\u2212' : '+'}${Math.abs((a / div1) / (b / div0) * 100 - 100).toFixed(1)}%` :
		a ? 'new' : '');
	row(['', 'now', 'of all', 'base', 'of all', 'change', 'cost'], 'th');
	row(['total', weight(c.now), share(c.now, all.now), weight(c.was), share(c.was, all.was),
		points(c.now, c.was), cost(c.now, c.was)], 'td');
	row(['self', weight(c.nowSelf), share(c.nowSelf, all.now), weight(c.wasSelf), share(c.wasSelf, all.was),
		points(c.nowSelf, c.wasSelf), cost(c.nowSelf, c.wasSelf)], 'td');
	const was = /, in the base (.*)$/s.exec(titles[i] ? titles[i].textContent : '');
	if (was)
		card.append(make(HTML, 'p', { class: 'hd-place' }, `in the base: ${was[1]}`));
}
const share100 = (part, all) => (all ? part / all * 100 : 0);
/* Return the text that the key `c` copies: the stack, outermost caller first, and the numbers. */
function describe(i) {
	const path = [];
	for (let k = i; k > 0; k = parent[k])
		path.unshift(name(k));
	return `${path.join(';')}\n${[...card.querySelectorAll('tr')].map(r =>
		[...r.children].map(c => c.textContent).join('\t').trim()).join('\n')}\n`;
}
/* Place the card next to (x, y) of the picture, where the window has room. */
function placeCard(x, y) {
	const box = svg.getBoundingClientRect(), room = document.documentElement;
	cardBox.style.display = '';
	cardBox.setAttribute('width', Math.max(Math.min(620, W - 16), 100));
	const w = card.offsetWidth, h = card.offsetHeight, winH = window.innerHeight || room.clientHeight;
	cardBox.setAttribute('height', h + 2);
	let left = x + 14, at = y + 18;
	if (left + w > W - 8)
		left = Math.max(8, Math.min(x - w - 14, W - 8 - w));
	if (at + box.top + h > winH - 4 && y - h - 12 + box.top > 0)
		at = y - h - 12;
	cardBox.setAttribute('x', left);
	cardBox.setAttribute('y', at);
}
function mark(rect, i, on) {
	rect.style.display = on && i >= 0 && shown[i] ? '' : 'none';
	if (!on || i < 0 || !rects[i])
		return;
	for (const k of ['x', 'width', 'height'])
		rect.setAttribute(k, rects[i].getAttribute(k));
	rect.setAttribute('y', rowY(depth[i]));
}
async function copyFrame() {
	if (cursor < 0)
		return;
	fillCard(cursor);
	const done = await copyText(describe(cursor));
	statusLine.replaceChildren(document.createTextNode(done ? `Copied: ${cut(name(cursor), 60)}` :
		'The browser does not permit to copy.'));
}
