/*
 * A table of any length: only the rows in its scrolling box have elements.
 *
 * columns: { title, num, value, cell, width, wide }.  value returns what the column is sorted by, cell its text or
 * elements (default: the value); num: right-aligned, sorted descending first; width: of a CSS grid track; wide: hidden
 * on narrow screens.  owner: { label, pick, title, active, most }; pick is called for a click and Enter; title and
 * active return the tooltip of a row and whether it is marked; most: limit of visible rows.
 */
const TABLE_ROW_PX = 30;

class VirtualTable {
	constructor(box, columns, owner) {
		Object.assign(this,
			{ box, columns, owner, by: columns.findIndex(c => c.num), down: true, rows: [], at: -1 });
		const template = wide => columns.map(c => c.wide && !wide ? '' : c.width || 'minmax(0,1fr)').join(' ');
		box.classList.add('vtable');
		box.style.setProperty('--columns', template(true));
		box.style.setProperty('--few', template(false));
		this.head = columns.map((c, i) =>
			make('button', { type: 'button', class: 'link-head', onclick: () => this.sortBy(i) }, c.title));
		this.body = make('div', { role: 'rowgroup', class: 'body' });
		this.table = make('div', { role: 'table', 'aria-label': owner.label },
			make('div', { role: 'rowgroup', class: 'sticky' },
			make('div', { role: 'row', class: 'trow head-row' }, ...columns.map((c, i) => make('span',
				{ role: 'columnheader', class: this.classOf(c) }, this.head[i])))), this.body);
		this.note = make('p', { class: 'mute table-note' });
		this.scroller = make('div', { class: 'tscroll', tabindex: 0, role: 'group',
			'aria-label': `${owner.label}. Up and down move, Enter chooses.` }, this.table);
		box.replaceChildren(this.scroller, this.note);
		this.scroller.addEventListener('scroll', () => this.draw(), { passive: true });
		this.scroller.addEventListener('keydown', e => this.onKey(e));
		new ResizeObserver(() => this.draw()).observe(this.scroller);
	}
	classOf(c) {
		return [c.num ? 'num' : 'cut', c.wide ? 'wide' : ''].join(' ').trim();
	}
	show(rows, note = '') {
		this.rows = rows;
		this.note.textContent = note || (rows.length ? '' : `${this.owner.label}: none`);
		this.note.hidden = !this.note.textContent;
		this.scroller.hidden = !rows.length;
		this.at = -1;
		this.sort();
	}
	sortBy(i) {
		this.down = i === this.by ? !this.down : !!this.columns[i].num;
		this.by = i;
		this.sort();
	}
	sort() {
		const value = this.columns[this.by].value, sign = this.down ? -1 : 1;
		this.sorted = this.rows.map((row, i) => ({ row, i, v: value(row) }))
			.sort((a, b) => (a.v < b.v ? -1 : a.v > b.v ? 1 : 0) * sign || a.i - b.i).map(x => x.row);
		this.head.forEach((b, i) => b.parentNode.setAttribute('aria-sort',
			i === this.by ? (this.down ? 'descending' : 'ascending') : 'none'));
		this.table.setAttribute('aria-rowcount', this.rows.length + 1);
		this.body.style.height = `${this.sorted.length * TABLE_ROW_PX}px`;
		this.scroller.style.height =
			`${Math.min(this.sorted.length + 1, this.owner.most || 20) * TABLE_ROW_PX + 18}px`;
		this.draw();
	}
	rowOf(i) {
		const row = this.sorted[i], active = i === this.at || (this.owner.active && this.owner.active(row));
		return make('div', { role: 'row', class: `trow${active ? ' active' : ''}`, 'aria-rowindex': i + 2,
			style: `top:${i * TABLE_ROW_PX}px`, title: this.owner.title && this.owner.title(row),
			onclick: e => this.owner.pick && this.owner.pick(row, e) },
			...this.columns.map(c => make('span', { role: 'cell', class: this.classOf(c) },
				c.cell ? c.cell(row) : c.value(row))));
	}
	draw() {
		if (!this.sorted)
			return;
		const from = Math.max(0, Math.floor(this.scroller.scrollTop / TABLE_ROW_PX) - 3),
			to = Math.min(this.sorted.length,
			from + Math.ceil((this.scroller.clientHeight || 600) / TABLE_ROW_PX) + 6);
		this.body.replaceChildren(
			...Array.from({ length: Math.max(0, to - from) }, (_, k) => this.rowOf(from + k)));
	}
	/* Scroll to the first row for which `test` is true. */
	reveal(test) {
		const i = this.sorted.findIndex(test);
		if (i >= 0)
			this.scroller.scrollTop = Math.max(0, (i - 5) * TABLE_ROW_PX);
	}
	onKey(e) {
		const by =
			{ ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[e.key];
		if (e.ctrlKey || e.metaKey || e.altKey || e.target !== this.scroller || !this.sorted.length)
			return;
		if (by) {
			this.at = Math.min(Math.max(this.at + by, 0), this.sorted.length - 1);
			const y = this.at * TABLE_ROW_PX, s = this.scroller;
			if (y < s.scrollTop)
				s.scrollTop = y;
			else if (y + 3 * TABLE_ROW_PX > s.scrollTop + s.clientHeight)
				s.scrollTop = y + 3 * TABLE_ROW_PX - s.clientHeight;
			this.draw();
		} else if (e.key === 'Enter' && this.at >= 0 && this.owner.pick) {
			this.owner.pick(this.sorted[this.at], e);
		} else {
			return;
		}
		e.preventDefault();
	}
}
