/*
 * view_tree.c - the views of trees that fold: the whole call tree, the callers and the callees of the chosen function
 *
 * The visible rows are an array.  Opening a row inserts its children, by descending cost, and opens single children,
 * too; closing it removes the rows of its subtree.  So the work depends on what is shown, not on the size of the tree.
 */
#include "tui/tui.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_ALL_ROWS = 20000 };	/* the key E stops to open rows when the list has more rows than this */

struct tree_row {
	uint32_t node;
	uint32_t level;			/* indentation; a child without siblings has that of its parent */
	bool open;
};

struct tree_state {
	struct hd_call_tree *tree;
	bool owned;
	struct tree_row *rows;
	size_t n, cap;
	uint32_t *children;
	size_t children_cap;
};

/* ---- rows ---- */

static int by_total_then_index(const void *va, const void *vb, void *vt)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct hd_call_tree *t = vt;

	if (t->nodes[a].total != t->nodes[b].total)
		return t->nodes[a].total < t->nodes[b].total ? 1 : -1;
	return a < b ? -1 : 1;		/* nodes of one parent are in the order of their names */
}

static bool has_children(const struct tree_state *s, uint32_t node)
{
	return s->tree->nodes[node].end > node + 1;
}

/* Store the children of a node in s->children and return their number. */
static size_t list_children(struct tree_state *s, uint32_t node)
{
	size_t n = 0;

	for (uint32_t k = node + 1; k < s->tree->nodes[node].end; k = s->tree->nodes[k].end) {
		HD_GROW(s->children, n + 1, s->children_cap);
		s->children[n++] = k;
	}
	if (n > 1)
		qsort_r(s->children, n, sizeof(*s->children), by_total_then_index, s->tree);
	return n;
}

/* Insert the children of a closed row.  Returns their number. */
static size_t open_row(struct tree_state *s, size_t row)
{
	size_t n = list_children(s, s->rows[row].node);
	uint32_t level = s->rows[row].level + (n > 1);

	s->rows[row].open = n > 0;
	HD_GROW(s->rows, s->n + n, s->cap);
	memmove(s->rows + row + 1 + n, s->rows + row + 1, (s->n - row - 1) * sizeof(*s->rows));
	for (size_t i = 0; i < n; i++)
		s->rows[row + 1 + i] = (struct tree_row){ .node = s->children[i], .level = level };
	s->n += n;
	return n;
}

/* Open a row.  As long as the opened row has a single child, open this child, too. */
static void open_chain(struct tree_state *s, size_t row)
{
	while (!s->rows[row].open && open_row(s, row) == 1)
		row++;
}

static void close_row(struct tree_state *s, size_t row)
{
	uint32_t end = s->tree->nodes[s->rows[row].node].end;
	size_t after = row + 1;

	while (after < s->n && s->rows[after].node > s->rows[row].node && s->rows[after].node < end)
		after++;
	memmove(s->rows + row + 1, s->rows + after, (s->n - after) * sizeof(*s->rows));
	s->n -= after - row - 1;
	s->rows[row].open = false;
}

static size_t parent_row(const struct tree_state *s, size_t row)
{
	uint32_t parent = s->tree->nodes[s->rows[row].node].parent;

	while (row > 0 && s->rows[row].node != parent)
		row--;
	return row;
}

/* Open `row` and the rows of its subtree until all are open or the limit is reached.  Returns false at the limit. */
static bool open_all(struct tree_state *s, size_t row)
{
	uint32_t end = s->tree->nodes[s->rows[row].node].end, first = s->rows[row].node;

	for (; row < s->n && s->rows[row].node >= first && s->rows[row].node < end; row++) {
		if (s->n > OPEN_ALL_ROWS)
			return false;
		if (!s->rows[row].open)
			open_row(s, row);
	}
	return true;
}

/* ---- the view ---- */

static void open_tree(struct hd_tui *t, int view)
{
	struct tree_state *s = t->state[view] = hd_new(struct tree_state);

	s->owned = view != HD_TUI_VIEW_tree;
	s->tree = view == HD_TUI_VIEW_tree ? t->tree
		: view == HD_TUI_VIEW_callers ? hd_function_graph_callers(t->graph, t->function, false)
					      : hd_function_graph_callees(t->graph, t->function);
	HD_GROW(s->rows, 1, s->cap);
	s->rows[s->n++] = (struct tree_row){ 0 };
	open_chain(s, 0);
}

static void close_tree(struct hd_tui *t, int view)
{
	struct tree_state *s = t->state[view];

	if (s->owned)
		hd_call_tree_free(s->tree);
	free(s->rows);
	free(s->children);
	free(s);
	t->state[view] = NULL;
}

static size_t tree_rows(const struct hd_tui *t, int view)
{
	const struct tree_state *s = t->state[view];

	return s->n;
}

static void tree_header(struct hd_tui *t, int view, unsigned y)
{
	hd_tui_grid_textf(&t->grid, y, 0, HD_TUI_BOLD, "%8s %8s   symbol", "total",
		view == HD_TUI_VIEW_tree ? "self" : "function");
}

static void tree_row_draw(struct hd_tui *t, int view, size_t row, unsigned y)
{
	const struct tree_state *s = t->state[view];
	const struct tree_row *r = &s->rows[row];
	const struct hd_call_tree_node *n = &s->tree->nodes[r->node];
	unsigned x = 18, columns = t->grid.columns, most = columns > 40 ? (columns - 18) / 4 : 2;
	unsigned level = r->level < most ? r->level : most;

	hd_tui_draw_share(t, y, 0, n->total, hd_tui_weight(t));
	if (view == HD_TUI_VIEW_tree)
		hd_tui_draw_share(t, y, 9, n->self, hd_tui_weight(t));
	else
		hd_tui_grid_textf(&t->grid, y, 9, HD_TUI_PLAIN, "%7.2f%%",
			hd_share_pct(n->total, s->tree->nodes[0].total));
	for (unsigned i = 0; i < level; i++, x += 2)
		hd_tui_grid_text(&t->grid, y, x, 2, "│ ", HD_TUI_DIM);
	hd_tui_grid_text(&t->grid, y, x, 2, !has_children(s, r->node) ? "  " : r->open ? "▾ " : "▸ ", HD_TUI_BOLD);
	hd_tui_grid_name(&t->grid, y, x + 2, columns > x + 2 ? columns - x - 2 : 0, n->name,
		n->flags & (HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_ROOT),
		n->flags & HD_CALL_NODE_KERNEL ? HD_TUI_KERNEL : HD_TUI_PLAIN);
}

static void tree_text(const struct hd_tui *t, int view, size_t row, struct hd_buf *out)
{
	const struct tree_state *s = t->state[view];
	const char *name = s->tree->nodes[s->rows[row].node].name;

	hd_enc_term(out, name, strlen(name));
}

static uint32_t tree_function(const struct hd_tui *t, int view, size_t row)
{
	const struct tree_state *s = t->state[view];
	const struct hd_call_tree_node *n;

	if (row >= s->n)
		return HD_FUNCTION_GRAPH_NONE;
	n = &s->tree->nodes[s->rows[row].node];
	for (uint32_t i = 0; i < t->graph->n; i++)
		if (((t->graph->functions[i].flags ^ n->flags) & HD_CALL_NODE_LABEL) == 0 &&
			!strcmp(t->graph->functions[i].name, n->name))
			return i;
	return HD_FUNCTION_GRAPH_NONE;
}

static bool tree_key(struct hd_tui *t, int view, int key)
{
	struct tree_state *s = t->state[view];
	size_t row = t->list[view].cursor;

	if (row >= s->n)
		return false;
	if (key == HD_TUI_RIGHT || key == '+' || key == 'l') {
		if (!s->rows[row].open)
			open_chain(s, row);
		else if (row + 1 < s->n)
			t->list[view].cursor++;
	} else if (key == HD_TUI_LEFT || key == '-' || key == 'h') {
		if (s->rows[row].open)
			close_row(s, row);
		else
			t->list[view].cursor = parent_row(s, row);
	} else if (key == 'E') {
		if (!open_all(s, row))
			hd_tui_say(t, "%d rows are open; the others stay closed", OPEN_ALL_ROWS);
	} else if (key == 'C') {
		close_row(s, 0);
		t->list[view].cursor = 0;
		open_chain(s, 0);
	} else {
		return false;
	}
	return true;
}

#define TREE_VIEW(name_, function_)								\
	const struct hd_tui_view hd_tui_view_##name_ = {					\
		.name = #name_, .keys = "arrows open and close  Enter function",		\
		.function = function_, .open = open_tree, .close = close_tree,			\
		.rows = tree_rows, .header = tree_header, .row = tree_row_draw,			\
		.text = tree_text, .function_of = tree_function, .key = tree_key,		\
	}
TREE_VIEW(callers, true);
TREE_VIEW(callees, true);
TREE_VIEW(tree, false);
