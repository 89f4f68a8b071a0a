/*
 * view_text.c - the views of plain text: what `hotdrift info` prints about the recording, and the keys
 */
#include "tui/tui.h"

#include "base/mem.h"
#include "render/info.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
	"q                quit; in this help, go back\n"
	"1 .. 7           a view; Tab and Shift-Tab: the next and the previous one\n"
	"Enter            callers of the function under the cursor, and from there its callees\n"
	"arrows, j k      move; PgUp PgDn, b Space: by pages; Home End, g G: to the ends\n"
	"/                search in the view; n N: next and previous match; Esc: end the search\n"
	"e                next event of the recording\n"
	"Esc              end the search, or go back to the first view\n"
	"^Z               suspend\n"
	"\n"
	"1 top            functions by cost; s: rank by self or by total cost\n"
	"2 callers        who called the function, up to the outermost caller\n"
	"3 callees        what the function called\n"
	"4 tree           the call tree from the outermost caller downwards\n"
	"                 right + open, left - close, E open all below, C close all\n"
	"5 flame          the call tree as boxes; arrows: callee, caller, neighbours\n"
	"                 Enter + zoom in, u - zoom out, Esc zoom out completely\n"
	"6 annotate       source lines or instructions of the function with their cost\n"
	"                 a: change between them; h: the hottest row\n"
	"                 ] [: next and previous row with cost; Enter: follow a jump\n"
	"7 info           content and quality of the recording\n"
	"\n"
	"total is the share of the event in the function and what it called, self in the\n"
	"function alone.  Recursion counts once.\n";

struct text_state {
	struct hd_buf text;
	size_t *starts;
	size_t n, cap;
};

static void open_text(struct hd_tui *t, int view)
{
	struct text_state *s = t->state[view] = hd_new(struct text_state);

	if (view == HD_TUI_VIEW_help)
		hd_buf_adds(&s->text, help);
	else
		hd_info_text(&s->text, t->p);
	for (char *at = s->text.data, *end; at && *at; at = end + 1) {
		HD_GROW(s->starts, s->n + 1, s->cap);
		s->starts[s->n++] = (size_t)(at - s->text.data);
		end = strchr(at, '\n');
		if (!end)
			break;
		*end = '\0';
	}
}

static void close_text(struct hd_tui *t, int view)
{
	struct text_state *s = t->state[view];

	hd_buf_release(&s->text);
	free(s->starts);
	free(s);
	t->state[view] = NULL;
}

static size_t text_rows(const struct hd_tui *t, int view)
{
	const struct text_state *s = t->state[view];

	return s->n;
}

static void text_row(struct hd_tui *t, int view, size_t row, unsigned y)
{
	const struct text_state *s = t->state[view];

	hd_tui_grid_text(&t->grid, y, 0, t->grid.columns, s->text.data + s->starts[row], HD_TUI_PLAIN);
}

static void text_text(const struct hd_tui *t, int view, size_t row, struct hd_buf *out)
{
	const struct text_state *s = t->state[view];

	hd_buf_adds(out, s->text.data + s->starts[row]);
}

#define TEXT_VIEW(name_)										\
	const struct hd_tui_view hd_tui_view_##name_ = {						\
		.name = #name_, .keys = "", .open = open_text, .close = close_text, .rows = text_rows,		\
		.row = text_row, .text = text_text,								\
	}
TEXT_VIEW(info);
TEXT_VIEW(help);
