/*
 * view_top.c - the view of the costliest functions, by self or by total cost
 *
 * Its rows are those that `hotdrift top` prints with --limit 0.
 */
#include "tui/tui.h"

#include "base/encode.h"
#include "base/mem.h"
#include "profile/symbol_text.h"

#include <stdlib.h>
#include <string.h>

struct top_state {
	struct hd_top top;
	bool by_total;
};

static void build(struct hd_tui *t, struct top_state *s)
{
	struct hd_functions fn = { 0 };

	if (t->inlined)
		hd_functions_init(&fn, t->p);
	hd_top_release(&s->top);
	hd_top_build_inlined(&s->top, t->p, t->event, s->by_total, t->inlined ? &fn : NULL);
	hd_functions_release(&fn);
}

static void open_top(struct hd_tui *t, int view)
{
	struct top_state *s = t->state[view] = hd_new(struct top_state);

	build(t, s);
}

static void close_top(struct hd_tui *t, int view)
{
	struct top_state *s = t->state[view];

	hd_top_release(&s->top);
	free(s);
	t->state[view] = NULL;
}

static size_t top_rows(const struct hd_tui *t, int view)
{
	const struct top_state *s = t->state[view];

	return s->top.n;
}

static void top_header(struct hd_tui *t, int view, unsigned y)
{
	const struct top_state *s = t->state[view];
	unsigned x = hd_tui_grid_textf(&t->grid, y, 0, HD_TUI_BOLD, "%8s %8s ", s->by_total ? "self" : "SELF",
		s->by_total ? "TOTAL" : "total");

	if (t->grid.columns >= 60)
		x += hd_tui_grid_textf(&t->grid, y, x, HD_TUI_BOLD, "%9s ", "samples");
	hd_tui_grid_text(&t->grid, y, x, t->grid.columns, "symbol", HD_TUI_BOLD);
	if (t->grid.columns >= 60)
		hd_tui_grid_text(&t->grid, y, t->grid.columns - 18, 18, "object", HD_TUI_BOLD);
}

static void top_row(struct hd_tui *t, int view, size_t row, unsigned y)
{
	const struct top_state *s = t->state[view];
	const struct hd_top_row *r = &s->top.rows[row];
	const struct hd_profile_symbol *symbol = &t->p->symbols[r->symbol];
	const struct hd_object *object = &t->p->objects[symbol->object];
	const char *path = hd_profile_str(t->p, object->name), *slash = strrchr(path, '/');
	char address[HD_SYMBOL_TEXT];
	unsigned x = 18, columns = t->grid.columns, room = columns;

	hd_tui_draw_share(t, y, 0, r->self, s->top.weight);
	hd_tui_draw_share(t, y, 9, r->total, s->top.weight);
	if (columns >= 60) {
		x += hd_tui_grid_textf(&t->grid, y, x, HD_TUI_PLAIN, "%9llu ", (unsigned long long)r->samples);
		room = columns - 19;
		hd_tui_grid_name(&t->grid, y, columns - 18, 18,
			object->unknown ? HD_UNKNOWN : slash && slash[1] ? slash + 1 : path, object->unknown,
			HD_TUI_DIM);
	}
	hd_tui_grid_name(&t->grid, y, x, room > x ? room - x : 0,
		hd_symbol_text(t->p, r->symbol, false, address, sizeof(address)), symbol->no_address,
		symbol->kernel ? HD_TUI_KERNEL : HD_TUI_PLAIN);
}

static void top_text(const struct hd_tui *t, int view, size_t row, struct hd_buf *out)
{
	const struct top_state *s = t->state[view];
	char address[HD_SYMBOL_TEXT];
	const char *name = hd_symbol_text(t->p, s->top.rows[row].symbol, false, address, sizeof(address));

	hd_enc_term(out, name, strlen(name));
}

static uint32_t top_function(const struct hd_tui *t, int view, size_t row)
{
	const struct top_state *s = t->state[view];

	return row < s->top.n ? hd_tui_function_of_symbol(t, s->top.rows[row].symbol) : HD_FUNCTION_GRAPH_NONE;
}

static bool top_key(struct hd_tui *t, int view, int key)
{
	struct top_state *s = t->state[view];

	if (key != 's')
		return false;
	s->by_total = !s->by_total;
	build(t, s);
	t->list[view].cursor = t->list[view].top = 0;
	return true;
}

const struct hd_tui_view hd_tui_view_top = {
	.name = "top",
	.keys = "Enter callers  s self/total",
	.open = open_top,
	.close = close_top,
	.rows = top_rows,
	.header = top_header,
	.row = top_row,
	.text = top_text,
	.function_of = top_function,
	.key = top_key,
};
