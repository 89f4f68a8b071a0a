/*
 * view_flame.c - the call tree drawn as boxes: the width of a box is its share of the zoomed function
 *
 * Callers are above callees.  The edges of a box are rounded down to whole columns.  A box without any column is not
 * drawn, and neither are its callees.  A box of one column is drawn as `~`.  The left edge of a wider box is a vertical
 * line, so boxes are visible without colours, too.
 */
#include "tui/tui.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct flame_state {
	uint32_t zoom;			/* node that has the whole width */
	uint32_t cursor;		/* the selected node: the zoomed node, or one below it */
	uint32_t first;			/* depth of the first visible line, relative to the zoomed node */
};

static void open_flame(struct hd_tui *t, int view)
{
	t->state[view] = hd_new(struct flame_state);
}

static void close_flame(struct hd_tui *t, int view)
{
	free(t->state[view]);
	t->state[view] = NULL;
}

static size_t flame_rows(const struct hd_tui *t, int view)
{
	(void)view;
	return t->tree->n;
}

/* Return the column at which `part` of `whole` ends in a line of `columns`. */
static unsigned column_of(uint64_t part, uint64_t whole, unsigned columns)
{
	return whole ? (unsigned)((double)part / (double)whole * columns + 1e-9) : 0;
}

struct flame_canvas {
	struct hd_tui *t;
	const struct flame_state *s;
	unsigned from, to;		/* the lines of the screen to draw in: from .. to - 1 */
};

static enum hd_tui_style box_style(const struct hd_tui *t, const struct flame_state *s, uint32_t node)
{
	const struct hd_call_tree_node *n = &t->tree->nodes[node];
	unsigned hash = 0;

	if (node == s->cursor)
		return HD_TUI_CURSOR;
	if (hd_tui_contains(n->name, t->search))
		return HD_TUI_MATCH;
	if (n->flags & HD_CALL_NODE_KERNEL)
		return HD_TUI_COLD;
	for (const char *c = n->name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return HD_TUI_WARM + hash % HD_TUI_WARMS;
}

static void draw_box(const struct flame_canvas *c, uint32_t node, unsigned y, unsigned x, unsigned width)
{
	const struct hd_call_tree_node *n = &c->t->tree->nodes[node];
	enum hd_tui_style style = box_style(c->t, c->s, node);
	struct hd_tui_grid *g = &c->t->grid;

	hd_tui_grid_paint(g, y, x, width, style);
	hd_tui_grid_text(g, y, x, 1, width > 1 ? "│" : "~", style);
	if (width > 3)
		hd_tui_grid_name(g, y, x + 1, width - 1, n->name,
			n->flags & (HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_ROOT), style);
}

/*
 * Draw the subtree of the zoomed node.  A child begins where the cost of its elder siblings ends.  Nodes are visited in
 * preorder; the subtree of a node without any column, or below the last line, is skipped.
 */
static void draw_boxes(const struct flame_canvas *c)
{
	const struct hd_call_tree_node *nodes = c->t->tree->nodes;
	uint32_t zoom = c->s->zoom, deepest = c->s->first + (c->to - c->from);
	unsigned columns = c->t->grid.columns;
	uint64_t *start = NULL;		/* start[depth below zoom]: cost to the left of the next node of this depth */
	size_t cap = 0;

	for (uint32_t i = zoom; i < nodes[zoom].end;) {
		uint32_t depth = nodes[i].depth - nodes[zoom].depth;
		uint64_t at;
		unsigned x, end;

		HD_GROW(start, depth + 2, cap);
		at = depth ? start[depth] : 0;
		start[depth] = at + nodes[i].total;
		start[depth + 1] = at;
		x = column_of(at, nodes[zoom].total, columns);
		end = column_of(at + nodes[i].total, nodes[zoom].total, columns);
		if (depth >= c->s->first && depth < deepest && end > x)
			draw_box(c, i, c->from + depth - c->s->first, x, end - x);
		i = end > x && depth < deepest ? i + 1 : nodes[i].end;
	}
	free(start);
}

static void draw_details(struct hd_tui *t, const struct flame_state *s, unsigned y)
{
	const struct hd_call_tree_node *n = &t->tree->nodes[s->cursor];
	unsigned x = hd_tui_grid_textf(&t->grid, y, 0, HD_TUI_BOLD, "%.2f%%, self %.2f%%, of parent %.2f%%: ",
		hd_share_pct(n->total, hd_tui_weight(t)), hd_share_pct(n->self, hd_tui_weight(t)),
		hd_share_pct(n->total, t->tree->nodes[n->parent].total));

	if (x < t->grid.columns)
		hd_tui_grid_name(&t->grid, y, x, t->grid.columns - x, n->name,
			n->flags & (HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_ROOT), HD_TUI_BOLD);
}

static void flame_draw(struct hd_tui *t, int view, unsigned from, unsigned to)
{
	struct flame_state *s = t->state[view];
	uint32_t depth = t->tree->nodes[s->cursor].depth - t->tree->nodes[s->zoom].depth;
	struct flame_canvas c = { t, s, from, to };

	if (to <= from)
		return;
	if (to - from > 2) {
		draw_details(t, s, from);
		c.from++;
	}
	if (depth < s->first)
		s->first = depth;
	if (depth >= s->first + (c.to - c.from))
		s->first = depth + 1 - (c.to - c.from);
	draw_boxes(&c);
}

/* ---- moving ---- */

/* Return true if the share of a node in the zoomed node is at least the width of one column. */
static bool is_wide(const struct hd_tui *t, const struct flame_state *s, uint32_t node)
{
	return (double)t->tree->nodes[node].total * t->grid.columns >= (double)t->tree->nodes[s->zoom].total;
}

static void move_to_sibling(struct hd_tui *t, struct flame_state *s, int direction)
{
	const struct hd_call_tree_node *nodes = t->tree->nodes;
	uint32_t depth = nodes[s->cursor].depth, end = nodes[s->zoom].end, i = s->cursor;

	if (direction > 0) {
		for (i = nodes[i].end; i < end && (nodes[i].depth != depth || !is_wide(t, s, i));)
			i = nodes[i].depth >= depth ? nodes[i].end : i + 1;
		if (i < end)
			s->cursor = i;
		return;
	}
	while (i > s->zoom) {
		i--;
		if (nodes[i].depth == depth && is_wide(t, s, i)) {
			s->cursor = i;
			return;
		}
	}
}

static void move_to_child(struct hd_tui *t, struct flame_state *s)
{
	const struct hd_call_tree_node *nodes = t->tree->nodes;
	uint32_t best = s->cursor;

	for (uint32_t k = s->cursor + 1; k < nodes[s->cursor].end; k = nodes[k].end)
		if (best == s->cursor || nodes[k].total > nodes[best].total)
			best = k;
	if (best != s->cursor && is_wide(t, s, best))
		s->cursor = best;
	else if (best != s->cursor)
		hd_tui_say(t, "the callees are too narrow: press Enter to zoom");
}

static bool flame_key(struct hd_tui *t, int view, int key)
{
	struct flame_state *s = t->state[view];
	const struct hd_call_tree_node *nodes = t->tree->nodes;

	switch (key) {
	case HD_TUI_LEFT: case 'h': move_to_sibling(t, s, -1); return true;
	case HD_TUI_RIGHT: case 'l': move_to_sibling(t, s, 1); return true;
	case HD_TUI_DOWN: case 'j': move_to_child(t, s); return true;
	case HD_TUI_UP: case 'k':
		if (s->cursor != s->zoom)
			s->cursor = nodes[s->cursor].parent;
		return true;
	case HD_TUI_HOME: case 'g': s->cursor = s->zoom; return true;
	case HD_TUI_ENTER: case '+': s->zoom = s->cursor; s->first = 0; return true;
	case HD_TUI_BACKSPACE: case 'u': case '-': s->zoom = nodes[s->zoom].parent; s->first = 0; return true;
	case HD_TUI_ESCAPE:
		if (!s->zoom)
			return false;
		s->zoom = 0;
		s->first = 0;
		return true;
	default: return false;
	}
}

static bool flame_find(struct hd_tui *t, int view, int direction)
{
	struct flame_state *s = t->state[view];
	size_t n = t->tree->n, at = s->cursor;

	for (size_t i = 0; i < n; i++) {
		at = direction > 0 ? (at + 1) % n : (at + n - 1) % n;
		if (!hd_tui_contains(t->tree->nodes[at].name, t->search))
			continue;
		s->cursor = (uint32_t)at;
		if (at < s->zoom || at >= t->tree->nodes[s->zoom].end)
			s->zoom = 0;
		while (!is_wide(t, s, s->cursor) && s->zoom != t->tree->nodes[s->cursor].parent)
			s->zoom = t->tree->nodes[s->cursor].parent;
		return true;
	}
	return false;
}

static uint32_t flame_function(const struct hd_tui *t, int view, size_t row)
{
	const struct flame_state *s = t->state[view];

	(void)row;
	return t->graph->of[s->cursor];
}

const struct hd_tui_view hd_tui_view_flame = {
	.name = "flame",
	.keys = "arrows move  Enter zoom  u out",
	.open = open_flame,
	.close = close_flame,
	.rows = flame_rows,
	.function_of = flame_function,
	.key = flame_key,
	.draw = flame_draw,
	.find = flame_find,
};
