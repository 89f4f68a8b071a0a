/*
 * tui.c - see tui.h
 */
#include "tui/tui.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/top.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hd_tui_view *const views[HD_TUI_VIEW_COUNT] = {
#define ADDRESS(name)	&hd_tui_view_##name,
	HD_TUI_VIEWS(ADDRESS)
#undef ADDRESS
};

/* ---- functions that the views call ---- */

void hd_tui_say(struct hd_tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
}

uint64_t hd_tui_weight(const struct hd_tui *t)
{
	return t->p->events[t->event].weight;
}

void hd_tui_draw_share(struct hd_tui *t, unsigned y, unsigned x, uint64_t part, uint64_t whole)
{
	double pct = hd_share_pct(part, whole);

	hd_tui_grid_textf(&t->grid, y, x, pct >= 5 ? HD_TUI_HOT : HD_TUI_PLAIN, "%7.2f%%", pct);
}

bool hd_tui_is_function(const struct hd_tui *t, uint32_t symbol, uint32_t function)
{
	const struct hd_profile_symbol *s = &t->p->symbols[symbol];
	const struct hd_function_graph_function *f = &t->graph->functions[function];
	bool kernel = s->kernel || t->p->objects[s->object].kernel;
	const char *name = s->unresolved ? HD_UNKNOWN : hd_profile_str(t->p, s->name);

	return !(f->flags & HD_CALL_NODE_KERNEL) == !kernel &&
		!(f->flags & HD_CALL_NODE_UNKNOWN) == !s->unresolved && !strcmp(f->name, name);
}

uint32_t hd_tui_function_of_symbol(const struct hd_tui *t, uint32_t symbol)
{
	for (uint32_t i = 0; i < t->graph->n; i++)
		if (hd_tui_is_function(t, symbol, i))
			return i;
	return HD_FUNCTION_GRAPH_NONE;
}

/* ---- event and function ---- */

static void close_views(struct hd_tui *t, bool of_function)
{
	for (int i = 0; i < HD_TUI_VIEW_COUNT; i++) {
		if (!t->opened[i] || (of_function && !views[i]->function))
			continue;
		if (views[i]->close)
			views[i]->close(t, i);
		t->opened[i] = false;
		t->list[i].cursor = t->list[i].top = 0;
	}
}

static void leave_event(struct hd_tui *t)
{
	close_views(t, false);
	hd_function_graph_free(t->graph);
	hd_call_tree_free(t->tree);
}

static void enter_event(struct hd_tui *t, uint32_t event)
{
	struct hd_call_tree_opts opts = { .event = event };

	t->event = event;
	t->tree = hd_call_tree_new(t->p, &opts);
	t->graph = hd_function_graph_new(t->tree);
	t->function = HD_FUNCTION_GRAPH_NONE;
}

static void next_event(struct hd_tui *t)
{
	uint32_t e = t->event;

	do
		e = (e + 1) % (uint32_t)t->p->nevents;
	while (!t->p->events[e].samples && e != t->event);
	if (e == t->event) {
		hd_tui_say(t, "there is one event with samples");
		return;
	}
	leave_event(t);
	enter_event(t, e);
	if (views[t->view]->function)
		t->view = HD_TUI_VIEW_top;
}

static void show_view(struct hd_tui *t, int view)
{
	if (views[view]->function && t->function == HD_FUNCTION_GRAPH_NONE) {
		hd_tui_say(t, "choose a function first: move to it and press Enter");
		return;
	}
	t->view = view;
}

void hd_tui_init(struct hd_tui *t, const struct hd_tui_input *in)
{
	const struct hd_profile *p = in->p;
	uint32_t event = 0;

	*t = (struct hd_tui){ .in = *in, .p = p, .inlined = in->inlined };
	while (event + 1 < p->nevents && !p->events[event].samples)
		event++;
	enter_event(t, event);
}

void hd_tui_release(struct hd_tui *t)
{
	leave_event(t);
	hd_tui_grid_release(&t->grid);
}

/* ---- drawing ---- */

static void draw_title(struct hd_tui *t)
{
	struct hd_tui_grid *g = &t->grid;
	unsigned x = 0, end = g->columns;

	hd_tui_grid_paint(g, 0, 0, g->columns, HD_TUI_BAR);
	for (int i = 0; i < HD_TUI_VIEW_help; i++) {
		if (g->columns < 60 && i != t->view)
			continue;
		x += hd_tui_grid_textf(g, 0, x, i == t->view ? HD_TUI_CURSOR : HD_TUI_BAR, " %d %s ",
			i + 1, views[i]->name);
	}
	if (t->view == HD_TUI_VIEW_help)
		x += hd_tui_grid_text(g, 0, x, end, " ? help ", HD_TUI_CURSOR);
	if (x + 4 < end)
		hd_tui_grid_name(g, 0, x + 2, end - x - 3, hd_profile_str(t->p, t->p->events[t->event].name),
			false, HD_TUI_BAR);
}

/* Draw the second line of the screen: the function that the view shows or, if it shows none, the event. */
static void draw_subject(struct hd_tui *t)
{
	struct hd_buf b = { 0 };

	if (views[t->view]->function && t->function != HD_FUNCTION_GRAPH_NONE) {
		const struct hd_function_graph_function *f = &t->graph->functions[t->function];
		unsigned x = hd_tui_grid_textf(&t->grid, 1, 0, HD_TUI_BOLD, "%s of ", views[t->view]->name);
		unsigned room = t->grid.columns > x + 36 ? t->grid.columns - x - 32 : t->grid.columns - x;

		x += hd_tui_grid_name(&t->grid, 1, x, room, f->name, f->flags & HD_CALL_NODE_UNKNOWN, HD_TUI_BOLD);
		hd_tui_grid_textf(&t->grid, 1, x, HD_TUI_DIM, ": total %.2f%%, self %.2f%%",
			hd_share_pct(f->total, hd_tui_weight(t)), hd_share_pct(f->self, hd_tui_weight(t)));
	} else {
		hd_event_line(&b, t->p, t->event, false);
		hd_tui_grid_text(&t->grid, 1, 0, t->grid.columns, hd_buf_str(&b), HD_TUI_DIM);
	}
	hd_buf_release(&b);
}

static void draw_status(struct hd_tui *t, unsigned y, size_t rows)
{
	struct hd_tui_grid *g = &t->grid;

	if (t->typing)
		hd_tui_grid_textf(g, y, 0, HD_TUI_BOLD, "/%s_", t->search);
	else if (t->message[0])
		hd_tui_grid_text(g, y, 0, g->columns, t->message, HD_TUI_BOLD);
	else
		hd_tui_grid_textf(g, y, 0, HD_TUI_DIM, "q quit  ? help  / search  Tab next view  %s",
			views[t->view]->keys);
	if (rows && !views[t->view]->draw && g->columns >= 40) {
		char place[48];
		int n = snprintf(place, sizeof(place), " %zu of %zu", t->list[t->view].cursor + 1, rows);

		hd_tui_grid_text(g, y, g->columns - (unsigned)n, (unsigned)n, place, HD_TUI_DIM);
	}
}

/* Keep the cursor in the list, and the list's visible part around the cursor. */
static void settle(struct hd_tui *t, size_t rows)
{
	size_t *cursor = &t->list[t->view].cursor, *top = &t->list[t->view].top;

	if (*cursor >= rows)
		*cursor = rows ? rows - 1 : 0;
	if (*top > *cursor)
		*top = *cursor;
	if (*top + t->page <= *cursor)
		*top = *cursor + 1 - t->page;
	if (*top + t->page > rows)
		*top = rows > t->page ? rows - t->page : 0;
}

static void open_view(struct hd_tui *t)
{
	if (!t->opened[t->view] && views[t->view]->open)
		views[t->view]->open(t, t->view);
	t->opened[t->view] = true;
}

/* Draw the cursor on a line: set the style of all cells except matches of the search. */
static void draw_cursor(struct hd_tui *t, unsigned y)
{
	const struct hd_tui_cell *line = &t->grid.cells[(size_t)y * t->grid.columns];

	for (unsigned x = 0; x < t->grid.columns; x++)
		if (line[x].style != HD_TUI_MATCH)
			hd_tui_grid_paint(&t->grid, y, x, 1, HD_TUI_CURSOR);
}

void hd_tui_draw(struct hd_tui *t)
{
	const struct hd_tui_view *v = views[t->view];
	unsigned lines = t->grid.lines, first = lines > 5 ? 3 : 1;
	size_t rows = 0;

	if (lines < 2)
		return;
	t->page = lines > first + 1 ? lines - first - 1 : 1;
	open_view(t);
	draw_title(t);
	if (first == 3)
		draw_subject(t);
	if (v->draw) {
		v->draw(t, t->view, first == 3 ? 2 : 1, lines - 1);
	} else {
		rows = v->rows(t, t->view);
		settle(t, rows);
		if (first == 3 && v->header)
			v->header(t, t->view, 2);
		for (unsigned i = 0; i < t->page && t->list[t->view].top + i < rows; i++) {
			size_t row = t->list[t->view].top + i;

			v->row(t, t->view, row, first + i);
			hd_tui_grid_highlight(&t->grid, first + i, t->search, HD_TUI_MATCH);
			if (row == t->list[t->view].cursor)
				draw_cursor(t, first + i);
		}
		if (!rows)
			hd_tui_grid_text(&t->grid, first, 1, t->grid.columns, "nothing to show", HD_TUI_DIM);
	}
	draw_status(t, lines - 1, rows);
}

/* ---- search ---- */

static bool find_row(struct hd_tui *t, int direction, bool here)
{
	const struct hd_tui_view *v = views[t->view];
	size_t n, at = t->list[t->view].cursor;
	struct hd_buf b = { 0 };
	bool found = false;

	open_view(t);
	n = v->rows(t, t->view);
	for (size_t i = 0; i < n && !found; i++) {
		if (i || !here)
			at = direction > 0 ? (at + 1) % n : (at + n - 1) % n;
		hd_buf_reset(&b);
		v->text(t, t->view, at, &b);
		found = hd_tui_contains(hd_buf_str(&b), t->search);
	}
	if (found)
		t->list[t->view].cursor = at;
	hd_buf_release(&b);
	return found;
}

static void search(struct hd_tui *t, int direction, bool here)
{
	const struct hd_tui_view *v = views[t->view];
	bool found;

	if (!t->search[0]) {
		hd_tui_say(t, "no search yet: press / and type");
		return;
	}
	found = v->draw ? v->find && v->find(t, t->view, direction) : find_row(t, direction, here);
	if (!found)
		hd_tui_say(t, "not found: %.60s", t->search);
}

/* Handle a key in the search prompt: Enter searches, Esc gives up, other keys edit the text. */
static void type_search(struct hd_tui *t, int key)
{
	size_t n = strlen(t->search);

	if (key == HD_TUI_ENTER) {
		t->typing = false;
		if (n)
			search(t, 1, true);
	} else if (key == HD_TUI_ESCAPE) {
		t->typing = false;
		t->search[0] = '\0';
	} else if (key == HD_TUI_BACKSPACE) {
		while (n > 0 && (t->search[--n] & 0xc0) == 0x80)
			;
		t->search[n] = '\0';
	} else if (key >= ' ' && key < HD_TUI_UP && n + 5 < sizeof(t->search)) {
		struct hd_buf b = { 0 };

		hd_utf8_add(&b, (uint32_t)key);
		memcpy(t->search + n, b.data, b.len + 1);
		hd_buf_release(&b);
	}
}

/* ---- keys ---- */

static bool move_key(struct hd_tui *t, int key)
{
	size_t n = views[t->view]->rows(t, t->view), *cursor = &t->list[t->view].cursor;
	size_t last = n ? n - 1 : 0;

	switch (key) {
	case HD_TUI_UP: case 'k': *cursor -= *cursor > 0; return true;
	case HD_TUI_DOWN: case 'j': *cursor += *cursor < last; return true;
	case HD_TUI_PAGE_UP: case 'b': *cursor -= *cursor < t->page ? *cursor : t->page; return true;
	case HD_TUI_PAGE_DOWN: case ' ': *cursor = *cursor + t->page < last ? *cursor + t->page : last; return true;
	case HD_TUI_HOME: case 'g': *cursor = 0; return true;
	case HD_TUI_END: case 'G': *cursor = last; return true;
	default: return false;
	}
}

/*
 * Choose the function of the row under the cursor and show its callers, or its callees if the view is that of callers.
 * Returns false if the row has no function.
 */
static bool enter_key(struct hd_tui *t)
{
	const struct hd_tui_view *v = views[t->view];
	uint32_t f = HD_FUNCTION_GRAPH_NONE;

	if (v->function_of)
		f = v->function_of(t, t->view, t->list[t->view].cursor);
	if (f == HD_FUNCTION_GRAPH_NONE)
		return false;
	if (f != t->function) {
		close_views(t, true);
		t->function = f;
	}
	t->view = t->view == HD_TUI_VIEW_callers ? HD_TUI_VIEW_callees : HD_TUI_VIEW_callers;
	return true;
}

/* Choose the function under the cursor, if there is one, without changing the view. */
static void choose_function(struct hd_tui *t)
{
	const struct hd_tui_view *v = views[t->view];
	uint32_t f = v->function_of ? v->function_of(t, t->view, t->list[t->view].cursor) : HD_FUNCTION_GRAPH_NONE;

	if (f == HD_FUNCTION_GRAPH_NONE || f == t->function)
		return;
	close_views(t, true);
	t->function = f;
}

static void step_view(struct hd_tui *t, int step)
{
	int v = t->view;

	if (!views[t->view]->function)
		choose_function(t);
	do
		v = (v + step + HD_TUI_VIEW_help) % HD_TUI_VIEW_help;
	while (views[v]->function && t->function == HD_FUNCTION_GRAPH_NONE);
	t->view = v;
}

static void common_key(struct hd_tui *t, int key)
{
	if (key == 'q' && t->view == HD_TUI_VIEW_help)
		t->view = t->before_help;
	else if (key == 'q')
		t->quit = true;
	else if (key == '?') {
		if (t->view != HD_TUI_VIEW_help)
			t->before_help = t->view;
		t->view = t->view == HD_TUI_VIEW_help ? t->before_help : HD_TUI_VIEW_help;
	} else if (key == '/') {
		t->typing = true;
		t->search[0] = '\0';
	} else if (key == 'n' || key == 'N')
		search(t, key == 'n' ? 1 : -1, false);
	else if (key == 'e')
		next_event(t);
	else if (key == HD_TUI_TAB || key == HD_TUI_BACKTAB)
		step_view(t, key == HD_TUI_TAB ? 1 : -1);
	else if (key >= '1' && key < '1' + HD_TUI_VIEW_help) {
		if (views[key - '1']->function && !views[t->view]->function)
			choose_function(t);
		show_view(t, key - '1');
	} else if (key == HD_TUI_ESCAPE) {
		if (t->search[0])
			t->search[0] = '\0';
		else
			t->view = t->view == HD_TUI_VIEW_help ? t->before_help : HD_TUI_VIEW_top;
	}
}

void hd_tui_key(struct hd_tui *t, int key)
{
	const struct hd_tui_view *v = views[t->view];

	if (key == HD_TUI_RESIZE || key == HD_TUI_NONE)
		return;
	t->message[0] = '\0';
	open_view(t);
	if (t->typing)
		type_search(t, key);
	else if ((v->key && v->key(t, t->view, key)) || (!v->draw && move_key(t, key)))
		return;
	else if (key == HD_TUI_ENTER)
		enter_key(t);
	else
		common_key(t, key);
}

int hd_tui_run(const struct hd_tui_input *in, bool keys_from_tty, bool colour, struct hd_err *err)
{
	struct hd_curses_screen *screen;
	struct hd_tui t;
	int rc = hd_curses_screen_open(&screen, keys_from_tty, colour, err), key;

	if (rc < 0)
		return rc;
	hd_tui_init(&t, in);
	while (!t.quit) {
		hd_curses_screen_begin(screen, &t.grid);
		hd_tui_draw(&t);
		hd_curses_screen_show(screen, &t.grid);
		key = hd_curses_screen_key(screen);
		if (key < 0)
			break;
		hd_tui_key(&t, key);
	}
	hd_tui_release(&t);
	hd_curses_screen_close(screen);
	return 0;
}
