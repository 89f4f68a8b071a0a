/*
 * view_annotate.c - the view of the source lines and the instructions of the chosen function, with their costs
 *
 * The rows are those of annotation_rows.h.  If the recording has no addresses in the function, only the source lines
 * that the input names are shown.  A note says what is missing, and how to get it.
 */
#include "tui/tui.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/annotation.h"
#include "render/jump_arrows.h"
#include "tui/annotation_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 10 };		/* limit for the number of functions with one name that are shown */

struct annotate_state {
	struct hd_annotate_opts opts;
	struct hd_annotations found;
	struct hd_annotation_rows rows;
	struct hd_jump_arrows *arrows;	/* indexed by annotated function */
	size_t column;			/* index of the current event's column of costs */
};

/* ---- the function ---- */

/* Return an array with one element per symbol: whether it is a part of the chosen function.  The caller frees it. */
static bool *symbols_of(const struct hd_tui *t)
{
	bool *only = hd_new_array(bool, t->p->nsymbols + 1);

	for (uint32_t i = 0; i < t->p->nsymbols; i++)
		only[i] = hd_tui_is_function(t, i, t->function);
	return only;
}

static void annotate(const struct hd_tui *t, struct annotate_state *s)
{
	bool *only = symbols_of(t);

	s->opts = *t->in.annotate;
	s->opts.symbol = NULL;
	s->opts.limit = MOST_FUNCTIONS;
	s->found.opts = &s->opts;
	if (t->in.code)
		hd_annotate_symbols(&s->found, t->p, t->in.code, only);
	if (!s->found.n) {
		hd_annotations_release(&s->found);
		hd_annotate_lines(&s->found, t->p, t->in.code, only);
	}
	free(only);
	s->arrows = hd_new_array(struct hd_jump_arrows, s->found.n + 1);
	for (size_t i = 0; i < s->found.n; i++)
		hd_jump_arrows_init(&s->arrows[i], &s->found.items[i]);
	for (uint32_t e = 0; e < t->event; e++)
		s->column += t->p->events[e].samples != 0;
}

/* Move the cursor to a row, and the row to the middle of the screen. */
static void go_to(struct hd_tui *t, int view, size_t row)
{
	t->list[view].cursor = row;
	t->list[view].top = row > t->page / 2 ? row - t->page / 2 : 0;
}

static void go_to_hottest(struct hd_tui *t, int view)
{
	const struct annotate_state *s = t->state[view];
	size_t row = hd_annotation_rows_hottest(&s->rows, s->column, 0, HD_ANNOTATION_NONE);

	go_to(t, view, row < s->rows.n ? row : 0);
}

static bool has(const struct annotate_state *s, bool instructions)
{
	for (size_t i = 0; i < s->found.n; i++)
		if (instructions ? s->found.items[i].ninstructions > 0 : s->found.items[i].nlines > 1)
			return true;
	return false;
}

static void build_rows(struct annotate_state *s, bool instructions)
{
	hd_annotation_rows_build(&s->rows, &s->found, instructions);
	if (s->found.matched > s->found.n) {
		char text[120];

		snprintf(text, sizeof(text), "%zu functions have this name; the %zu hottest are shown.",
			s->found.matched, s->found.n);
		hd_annotation_rows_note(&s->rows, 0, text);
	}
	if (!s->found.n)
		hd_annotation_rows_note(&s->rows, 0, "No sample was taken in this function itself, only in functions "
			"that it called: choose one of its callees (3).");
}

static void open_annotate(struct hd_tui *t, int view)
{
	struct annotate_state *s = t->state[view] = hd_new(struct annotate_state);

	annotate(t, s);
	build_rows(s, !has(s, false) && has(s, true));
	go_to_hottest(t, view);
	for (size_t i = 0; i < s->rows.n; i++)
		if (s->rows.v[i].kind == HD_ANNOTATION_ROW_NOTE) {
			bool more = i + 1 < s->rows.n && s->rows.v[i + 1].kind == HD_ANNOTATION_ROW_NOTE;

			hd_tui_say(t, "%s%s", s->rows.texts.data + s->rows.v[i].at, more ? " ... (g: all)" : "");
			break;
		}
}

static void close_annotate(struct hd_tui *t, int view)
{
	struct annotate_state *s = t->state[view];

	for (size_t i = 0; i < s->found.n; i++)
		hd_jump_arrows_release(&s->arrows[i]);
	free(s->arrows);
	hd_annotation_rows_release(&s->rows);
	hd_annotations_release(&s->found);
	free(s);
	t->state[view] = NULL;
}

/* ---- rows ---- */

static size_t annotate_rows(const struct hd_tui *t, int view)
{
	const struct annotate_state *s = t->state[view];

	return s->rows.n;
}

static bool has_share_of_function(const struct hd_tui *t)
{
	return t->grid.columns >= 60;
}

static unsigned text_column(const struct hd_tui *t)
{
	return has_share_of_function(t) ? 19 : 9;
}

static void annotate_header(struct hd_tui *t, int view, unsigned y)
{
	const struct annotate_state *s = t->state[view];

	hd_tui_grid_textf(&t->grid, y, 0, HD_TUI_BOLD, "%8s ", "total");
	if (has_share_of_function(t))
		hd_tui_grid_textf(&t->grid, y, 9, HD_TUI_BOLD, "%8s ", "function");
	hd_tui_grid_text(&t->grid, y, text_column(t), t->grid.columns, s->rows.instructions ? "instruction" : "line",
		HD_TUI_BOLD);
}

static void add_source_text(struct hd_buf *out, const struct hd_annotation *a, const struct hd_annotation_line *line)
{
	const char *text = hd_annotation_text_of(a, line);

	if (text)
		hd_annotation_source(out, text);
}

static void add_instruction(struct hd_buf *out, const struct annotate_state *s, const struct hd_annotation_row *row)
{
	const struct hd_annotation *a = &s->found.items[row->item];
	const struct hd_annotation_instruction *in = &a->instructions[row->at];
	int digits = snprintf(NULL, 0, "%llx", (unsigned long long)a->instructions[a->ninstructions - 1].vaddr);

	hd_buf_addf(out, "%*llx: ", digits, (unsigned long long)in->vaddr);
	hd_jump_arrows_row(out, &s->arrows[row->item], row->at);
	if (in->target != HD_ANNOTATION_NONE && !s->arrows[row->item].drawn[row->at])
		hd_buf_adds(out, in->target > row->at ? "↓ " : "↑ ");
	if (in->text)
		hd_enc_visible(out, in->text, strlen(in->text));
	if (in->callee) {
		hd_buf_adds(out, " <");
		hd_enc_term(out, in->callee, strlen(in->callee));
		hd_buf_adds(out, ">");
	}
}

static void add_text(struct hd_buf *out, const struct annotate_state *s, const struct hd_annotation_row *row)
{
	const struct hd_annotation *a = row->item < s->found.n ? &s->found.items[row->item] : NULL;

	switch (row->kind) {
	case HD_ANNOTATION_ROW_TITLE:
		hd_enc_term(out, a->name, strlen(a->name));
		hd_buf_adds(out, " in ");
		hd_enc_term(out, a->object, strlen(a->object));
		break;
	case HD_ANNOTATION_ROW_NOTE:
		hd_buf_adds(out, s->rows.texts.data + row->at);
		break;
	case HD_ANNOTATION_ROW_FILE:
		hd_enc_term(out, a->files[row->at].path, strlen(a->files[row->at].path));
		break;
	case HD_ANNOTATION_ROW_GAP:
		hd_buf_addf(out, "... %u lines", row->number);
		break;
	case HD_ANNOTATION_ROW_SCOPE:
		hd_buf_adds(out, "[");
		hd_annotation_scope(out, a, a->instructions[row->at].scope);
		hd_buf_adds(out, "]");
		break;
	case HD_ANNOTATION_ROW_PLACE:
		hd_annotation_place(out, a, &a->lines[row->at], false);
		hd_buf_adds(out, "  ");
		add_source_text(out, a, &a->lines[row->at]);
		break;
	case HD_ANNOTATION_ROW_SOURCE:
		if (row->file == HD_ANNOTATION_NONE) {
			hd_buf_adds(out, "       [no line]");
			break;
		}
		hd_buf_addf(out, "%6u  ", row->number);
		add_source_text(out, a, &(struct hd_annotation_line){ row->file, row->number, 0 });
		break;
	case HD_ANNOTATION_ROW_INSTRUCTION:
		add_instruction(out, s, row);
		break;
	}
}

static enum hd_tui_style style_of(enum hd_annotation_row_kind kind)
{
	switch (kind) {
	case HD_ANNOTATION_ROW_TITLE: case HD_ANNOTATION_ROW_NOTE: case HD_ANNOTATION_ROW_FILE: return HD_TUI_BOLD;
	case HD_ANNOTATION_ROW_GAP: case HD_ANNOTATION_ROW_SCOPE: case HD_ANNOTATION_ROW_PLACE: return HD_TUI_DIM;
	case HD_ANNOTATION_ROW_SOURCE: case HD_ANNOTATION_ROW_INSTRUCTION: break;
	}
	return HD_TUI_PLAIN;
}

static void annotate_row(struct hd_tui *t, int view, size_t row, unsigned y)
{
	const struct annotate_state *s = t->state[view];
	const struct hd_annotation_row *r = &s->rows.v[row];
	const struct hd_annotation_cost *cost = hd_annotation_rows_cost(&s->rows, row);
	unsigned x = style_of(r->kind) == HD_TUI_BOLD ? 1 : text_column(t);
	struct hd_buf text = { 0 };

	if (cost && (cost[s->column].weight || cost[s->column].samples)) {
		hd_tui_draw_share(t, y, 0, cost[s->column].weight, hd_tui_weight(t));
		if (has_share_of_function(t))
			hd_tui_draw_share(t, y, 9, cost[s->column].weight,
				s->found.items[r->item].events[s->column].symbol.weight);
	}
	add_text(&text, s, r);
	hd_tui_grid_text(&t->grid, y, x, t->grid.columns, hd_buf_str(&text), style_of(r->kind));
	hd_buf_release(&text);
}

static void annotate_text(const struct hd_tui *t, int view, size_t row, struct hd_buf *out)
{
	const struct annotate_state *s = t->state[view];

	add_text(out, s, &s->rows.v[row]);
}

/* ---- keys ---- */

/* Change between source and instructions.  The cursor moves to the hottest row of its source line, or else of all. */
static void change_list(struct hd_tui *t, int view)
{
	struct annotate_state *s = t->state[view];
	size_t cursor = t->list[view].cursor, row;
	uint32_t item = cursor < s->rows.n ? s->rows.v[cursor].item : 0;
	uint32_t line = hd_annotation_rows_line(&s->rows, cursor);

	if (!has(s, !s->rows.instructions)) {
		hd_tui_say(t, s->rows.instructions ? "no source lines: build with -g, or install debug symbols"
			: "no instructions: the note at the top (g) says why");
		return;
	}
	build_rows(s, !s->rows.instructions);
	row = hd_annotation_rows_hottest(&s->rows, s->column, item, line);
	if (row < s->rows.n)
		go_to(t, view, row);
	else
		go_to_hottest(t, view);
}

/* Move to the next row with cost in direction 1 or -1. */
static void next_cost(struct hd_tui *t, int view, int direction)
{
	const struct annotate_state *s = t->state[view];
	size_t at = t->list[view].cursor;

	while (direction > 0 ? at + 1 < s->rows.n : at > 0) {
		const struct hd_annotation_cost *cost;

		at = direction > 0 ? at + 1 : at - 1;
		cost = hd_annotation_rows_cost(&s->rows, at);
		if (cost && cost[s->column].weight) {
			t->list[view].cursor = at;
			return;
		}
	}
	hd_tui_say(t, "no more rows with cost");
}

/* Follow the jump under the cursor. */
static void follow_jump(struct hd_tui *t, int view)
{
	const struct annotate_state *s = t->state[view];
	size_t cursor = t->list[view].cursor;
	const struct hd_annotation_row *from = cursor < s->rows.n ? &s->rows.v[cursor] : NULL;
	uint32_t target = HD_ANNOTATION_NONE;

	if (from && from->kind == HD_ANNOTATION_ROW_INSTRUCTION)
		target = s->found.items[from->item].instructions[from->at].target;
	for (size_t i = 0; target != HD_ANNOTATION_NONE && i < s->rows.n; i++)
		if (s->rows.v[i].item == from->item && s->rows.v[i].kind == HD_ANNOTATION_ROW_INSTRUCTION &&
			s->rows.v[i].at == target) {
			t->list[view].cursor = i;
			return;
		}
	hd_tui_say(t, "this row has no jump inside the function");
}

static bool annotate_key(struct hd_tui *t, int view, int key)
{
	switch (key) {
	case 'a': change_list(t, view); return true;
	case 'h': go_to_hottest(t, view); return true;
	case ']': next_cost(t, view, 1); return true;
	case '[': next_cost(t, view, -1); return true;
	case HD_TUI_ENTER: follow_jump(t, view); return true;
	default: return false;
	}
}

const struct hd_tui_view hd_tui_view_annotate = {
	.name = "annotate",
	.keys = "a source/instructions  h hottest  ] [ next cost",
	.function = true,
	.open = open_annotate,
	.close = close_annotate,
	.rows = annotate_rows,
	.header = annotate_header,
	.row = annotate_row,
	.text = annotate_text,
	.key = annotate_key,
};
