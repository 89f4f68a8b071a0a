/*
 * A flame graph on a canvas that fills a scrolling box.  Frames that are too narrow to be seen are not laid out, and
 * only the rows in the box are drawn, so the number of frames does not matter.
 *
 * show({ n, depth, end, total, self }) displays a tree in preorder; subtree of node i: [i, end[i]).  The owner passes
 *     up      the root is at the bottom
 *     name, ink, hit    functions of a node: its name, its colour, whether a search matches it
 *     searching         returns true while there is a search
 *     card    returns the contents of the card next to the pointer
 *     say     is called when the zoom or the focus changed, with the node
 *     key     (optional) is called first for a key; returns true if it handled it
 *     pick    is called for Shift+Enter and a double click, with the node
 */
const FRAME_PX = 20, LEAST_PX = 0.5, TEXT_FROM = 28;
const FLAME_FONT = '12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

function fitName(name, px, charPx) {
	const room = Math.floor((px - 8) / charPx);
	if (name.length <= room)
		return name;
	const tail = name.replace(/^.*::/s, '');
	if (tail.length + 1 <= room)
		return `\u2026${tail}`;
	return room > 2 ? `${name.slice(0, room - 1)}\u2026` : '';
}

class FlameCanvas {
	constructor(box, owner) {
		this.box = box;
		this.owner = owner;
		this.tree = null;
		this.zoom = 0;
		this.focus = this.hover = -1;
		this.rows = [];
		this.canvas = make('canvas', { 'aria-hidden': 'true' });
		this.filler = make('div', { class: 'flame-rows' }, this.canvas);
		box.replaceChildren(this.filler);
		box.addEventListener('scroll', () => this.draw(), { passive: true });
		box.addEventListener('pointermove', e => this.onMove(e));
		box.addEventListener('pointerleave', () => this.leave());
		box.addEventListener('click', e => this.onClick(e));
		box.addEventListener('dblclick', e => this.onDouble(e));
		box.addEventListener('keydown', e => this.onKey(e));
		box.addEventListener('focus', () => this.draw());
		box.addEventListener('blur', () => this.draw());
		new ResizeObserver(() => this.layOut()).observe(box);
	}
	show(tree, zoom = 0) {
		this.tree = tree;
		this.zoom = zoom < tree.n && tree.total[zoom] ? zoom : 0;
		this.hover = -1;
		if (this.focus >= tree.n)
			this.focus = -1;
		this.layOut();
	}
	zoomTo(at) {
		this.zoom = this.focus = at;
		this.layOut();
		this.owner.say(at);
	}
	/* Return the callers of a node, outermost first. */
	callers(at) {
		const t = this.tree, list = [];
		for (let i = 0; i < at; i++)
			if (t.end[i] > at)
				list.push(i);
			else
				i = t.end[i] - 1;
		return list;
	}
	/* Compute rows[depth]: the visible nodes with their left edges and widths in px. */
	layOut() {
		const t = this.tree, width = this.box.clientWidth;
		if (!t || !width)
			return;
		this.width = width;
		this.rows = [];
		const place = (d, i, x, w) => {
			const row = this.rows[d] = this.rows[d] || { node: [], x: [], w: [] };
			row.node.push(i);
			row.x.push(x);
			row.w.push(w);
		};
		const z = this.zoom, scale = width / (t.total[z] || 1), cursor = [];
		this.above = this.callers(z);
		this.above.forEach(i => place(t.depth[i], i, 0, width));
		place(t.depth[z], z, 0, width);
		cursor[t.depth[z] + 1] = 0;
		for (let i = z + 1; i < t.end[z];) {
			const d = t.depth[i], x = cursor[d], w = t.total[i] * scale;
			cursor[d] += w;
			if (w < LEAST_PX) {
				i = t.end[i];
				continue;
			}
			cursor[d + 1] = x;
			place(d, i, x, w);
			i++;
		}
		this.filler.style.height = `${this.rows.length * FRAME_PX}px`;
		if (!z)		/* a zoomed picture keeps the full height, so that the page does not move */
			this.box.style.height = `${this.rows.length * FRAME_PX}px`;
		if (this.owner.up)
			this.box.scrollTop = Math.max(0, this.filler.offsetHeight - this.box.clientHeight);
		this.draw();
	}
	/* Return the top of a row, relative to the contents of the box. */
	topOf(depth) {
		const height = Math.max(this.rows.length * FRAME_PX, this.owner.up ? this.box.clientHeight : 0);
		return this.owner.up ? height - (depth + 1) * FRAME_PX : depth * FRAME_PX;
	}
	draw() {
		const { box, canvas, tree } = this, ratio = window.devicePixelRatio || 1, width = box.clientWidth,
			height = box.clientHeight;
		if (!tree || !width)
			return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = `${width}px`;
			canvas.style.height = `${height}px`;
		}
		const ctx = this.ctx = canvas.getContext('2d');
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.clearRect(0, 0, width, height);
		ctx.font = FLAME_FONT;
		this.charPx = ctx.measureText('MMMMMMMMMM').width / 10;
		for (let d = 0; d < this.rows.length; d++) {
			const y = this.topOf(d) - box.scrollTop;
			if (y > -FRAME_PX && y < height && this.rows[d])
				this.drawRow(this.rows[d], y, d < tree.depth[this.zoom]);
		}
		this.outline(this.hover, ink.text, 1);
		if (document.activeElement === box)
			this.outline(this.focus, ink.accent, 2.5);
	}
	drawRow(row, y, faded) {
		const ctx = this.ctx, searching = this.owner.searching();
		for (let k = 0; k < row.node.length; k++) {
			const i = row.node[k], w = row.w[k], x = row.x[k], hit = searching && this.owner.hit(i);
			ctx.globalAlpha = faded ? 0.5 : searching && !hit ? 0.45 : 1;
			ctx.fillStyle = hit ? ink.match : this.owner.ink(i);
			ctx.fillRect(x, y, Math.max(w - (w > 3 ? 0.7 : 0), 0.5), FRAME_PX - 1);
			if (w < TEXT_FROM)
				continue;
			ctx.globalAlpha = 1;
			ctx.fillStyle = hit ? (isDark() ? '#1b1b1b' : '#ffffff') : ink.text;
			ctx.fillText(fitName(this.owner.name(i), w, this.charPx), x + 4, y + FRAME_PX - 6);
		}
		ctx.globalAlpha = 1;
	}
	find(at) {
		const d = at >= 0 && this.tree ? this.tree.depth[at] : -1, row = this.rows[d],
			k = row ? row.node.indexOf(at) : -1;
		return k < 0 ? null : { x: row.x[k], w: row.w[k], y: this.topOf(d) - this.box.scrollTop };
	}
	outline(at, colour, width) {
		const f = this.find(at);
		if (!f)
			return;
		this.ctx.strokeStyle = colour;
		this.ctx.lineWidth = width;
		this.ctx.strokeRect(f.x + width / 2, f.y + width / 2, Math.max(f.w - width, 1), FRAME_PX - 1 - width);
	}

	/* ---- mouse ---- */

	nodeAt(e) {
		const box = this.canvas.getBoundingClientRect(), y = e.clientY - box.top + this.box.scrollTop,
			x = e.clientX - box.left;
		const d = this.owner.up ? Math.ceil((this.topOf(0) + FRAME_PX - y) / FRAME_PX) - 1 :
			Math.floor(y / FRAME_PX), row = this.rows[d];
		if (!row)
			return -1;
		let lo = 0, hi = row.x.length;
		while (lo < hi) {	/* the last frame that begins at or before x */
			const mid = (lo + hi) >> 1;
			if (row.x[mid] <= x)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo && x < row.x[lo - 1] + Math.max(row.w[lo - 1], 1) ? row.node[lo - 1] : -1;
	}
	onMove(e) {
		const at = this.nodeAt(e);
		if (at !== this.hover) {
			this.hover = at;
			$('card').classList.toggle('on', at >= 0);
			if (at >= 0)
				$('card').replaceChildren(...this.owner.card(at));
			this.draw();
		}
		if (at >= 0)
			placeCard(e);
	}
	leave() {
		this.hover = -1;
		$('card').classList.remove('on');
		this.draw();
	}
	onClick(e) {
		const at = this.nodeAt(e);
		if (at >= 0)
			this.zoomTo(at);
	}
	onDouble(e) {
		const at = this.nodeAt(e);
		if (at >= 0)
			this.owner.pick(at);
	}

	/* ---- keyboard ---- */

	/* Return the node `by` places to the right of the focused one in its row. */
	beside(by) {
		const row = this.rows[this.tree.depth[this.focus]], k = row.node.indexOf(this.focus) + by;
		return row.node[Math.min(Math.max(k, 0), row.node.length - 1)];
	}
	costliest() {
		const t = this.tree;
		let best = this.focus;
		for (let c = this.focus + 1; c < t.end[this.focus]; c = t.end[c])
			if (best === this.focus || t.total[c] > t.total[best])
				best = c;
		return best;
	}
	caller() {
		const above = this.callers(this.focus);
		return above.length ? above[above.length - 1] : this.focus;
	}
	onKey(e) {
		if (!this.tree || e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (this.owner.key && this.owner.key(e)) {
			e.preventDefault();
			e.stopPropagation();
			return;
		}
		const [out, into] = this.owner.up ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp'];
		const move = { [out]: () => this.costliest(), [into]: () => this.caller(),
			ArrowLeft: () => this.beside(-1), ArrowRight: () => this.beside(1), Home: () => 0 }[e.key];
		if (move) {
			this.focus = this.focus < 0 || !this.find(this.focus) ? this.zoom : move();
			this.reveal();
			this.owner.say(this.focus);
			this.draw();
		} else if (e.key === 'Enter' && this.focus >= 0) {
			if (e.shiftKey)
				this.owner.pick(this.focus);
			else
				this.zoomTo(this.focus);
		} else if (e.key === 'Escape' && this.zoom) {
			this.zoomTo(0);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
	reveal() {
		const y = this.topOf(this.tree.depth[this.focus]), box = this.box;
		if (y < box.scrollTop || y + FRAME_PX > box.scrollTop + box.clientHeight)
			box.scrollTop = y - box.clientHeight / 2;
	}
}

function placeCard(e) {
	const card = $('card'), w = card.offsetWidth, h = card.offsetHeight;
	let x = e.clientX + 14, y = e.clientY + 18;
	if (x + w > window.innerWidth - 8)
		x = Math.max(8, e.clientX - w - 14);
	if (y + h > window.innerHeight - 8)
		y = Math.max(8, e.clientY - h - 14);
	card.style.transform = `translate(${x}px,${y}px)`;
}
