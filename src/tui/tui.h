/*
 * tui.h - browse a profile in a terminal: the state of a session, and the interface of a view
 *
 * hd_tui_run() shows one view at a time.  While the prompt of a search is open, it takes all keys.  Otherwise the view
 * gets a key first; a key that it does not use has the meaning that it has in all views (tui.c).  To add a view, write
 * a file that ends with its struct hd_tui_view, and add it to HD_TUI_VIEWS before `help`.
 *
 * A view is a list of rows, or draws the lines between the title and the status line itself.  Only visible rows are
 * drawn, so a view of a million rows is as fast as one of ten.
 *
 * Ownership: what struct hd_tui_input refers to is borrowed.  The view with index i owns hd_tui.state[i], which its
 * close() frees.
 */
#ifndef HD_TUI_TUI_H
#define HD_TUI_TUI_H

#include "annotate/annotation.h"
#include "profile/function_graph.h"
#include "profile/top.h"
#include "tui/curses_screen.h"

#include <stdbool.h>

/*
 * V(name): the views in the order of their keys 1, 2, ...; the last one, help, has the key ?.  hd_tui_view_NAME is at
 * the end of its source file.
 */
#define HD_TUI_VIEWS(V)	V(top) V(callers) V(callees) V(tree) V(flame) V(annotate) V(info) V(help)

enum hd_tui_view_index {
#define HD_TUI_INDEX(name)	HD_TUI_VIEW_##name,
	HD_TUI_VIEWS(HD_TUI_INDEX)
#undef HD_TUI_INDEX
	HD_TUI_VIEW_COUNT
};

struct hd_tui;

struct hd_tui_view {
	const char *name;		/* name of the view in the first line of the screen */
	const char *keys;		/* text of the last line: the keys that only this view has */
	bool function;			/* the view shows the chosen function, and is not shown before one is chosen */
	/*
	 * Build the state for the current event and function.  Called when the view is first shown, and again after the
	 * event has changed or, if `function` is set, the chosen function.
	 */
	void (*open)(struct hd_tui *t, int view);
	void (*close)(struct hd_tui *t, int view);
	size_t (*rows)(const struct hd_tui *t, int view);
	/* Draw the line above the rows: the titles of the columns. */
	void (*header)(struct hd_tui *t, int view, unsigned y);
	void (*row)(struct hd_tui *t, int view, size_t row, unsigned y);
	/* Append the text of a row, in which a search looks for its word.  It may be NULL if `draw` is set. */
	void (*text)(const struct hd_tui *t, int view, size_t row, struct hd_buf *out);
	/* Return the function of a row (in t->graph) or HD_FUNCTION_GRAPH_NONE.  NULL: no row has a function. */
	uint32_t (*function_of)(const struct hd_tui *t, int view, size_t row);
	bool (*key)(struct hd_tui *t, int view, int key);	/* returns false if it does not use the key */
	/* Draw the lines of the screen from `from` to `to` - 1.  The pointer is NULL if the view is a list of rows. */
	void (*draw)(struct hd_tui *t, int view, unsigned from, unsigned to);
	/*
	 * In a view that is not a list, move to the next match of the search in direction 1 or -1.  Returns false if
	 * there is none.
	 */
	bool (*find)(struct hd_tui *t, int view, int direction);
};

#define HD_TUI_DECLARE(name)	extern const struct hd_tui_view hd_tui_view_##name;
HD_TUI_VIEWS(HD_TUI_DECLARE)
#undef HD_TUI_DECLARE

struct hd_tui_input {
	const struct hd_profile *p;
	bool inlined;			/* inlined functions are rows of the top list */
	const struct hd_annotate_opts *annotate;	/* its symbol and limit are not used */
	/* access to machine code and source lines; NULL: the input has no addresses */
	const struct hd_symbol_access *code;
};

struct hd_tui {
	struct hd_tui_input in;
	const struct hd_profile *p;
	bool inlined;			/* inlined functions are rows; initially in.inlined */

	uint32_t event;
	struct hd_call_tree *tree;	/* the call tree of `event` */
	struct hd_function_graph *graph;
	uint32_t function;		/* the chosen function of `graph`, or HD_FUNCTION_GRAPH_NONE */

	struct hd_tui_grid grid;
	int view, before_help;
	bool opened[HD_TUI_VIEW_COUNT];
	void *state[HD_TUI_VIEW_COUNT];
	struct { size_t cursor, top; } list[HD_TUI_VIEW_COUNT];
	unsigned page;			/* number of visible rows */

	char search[80];
	bool typing;			/* the prompt of a search is open */
	char message[120];		/* replaces the last line until the next key */
	bool quit;
};

/* Show the profile until the user quits or the terminal is gone.  Fails if the screen cannot be opened. */
int hd_tui_run(const struct hd_tui_input *in, bool keys_from_tty, bool colour, struct hd_err *err);

/* ---- for unit tests, which have no terminal */

void hd_tui_init(struct hd_tui *t, const struct hd_tui_input *in);
void hd_tui_release(struct hd_tui *t);
/* Draw the screen into t->grid, whose size the caller has set with hd_tui_grid_clear(). */
void hd_tui_draw(struct hd_tui *t);
void hd_tui_key(struct hd_tui *t, int key);

/* ---- functions that the views call */

/*
 * Return true if a symbol of the profile is a part of a function of t->graph.  A function consists of all symbols with
 * its name; kernel and user symbols are different functions.
 */
bool hd_tui_is_function(const struct hd_tui *t, uint32_t symbol, uint32_t function);
/* Return the function of t->graph that corresponds to a symbol of the profile, or HD_FUNCTION_GRAPH_NONE. */
uint32_t hd_tui_function_of_symbol(const struct hd_tui *t, uint32_t symbol);
/* Draw a share, such as "12.34%", in 8 columns.  From 5 % on, its style is HD_TUI_HOT. */
void hd_tui_draw_share(struct hd_tui *t, unsigned y, unsigned x, uint64_t part, uint64_t whole);
void hd_tui_say(struct hd_tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Return the total weight of the current event. */
uint64_t hd_tui_weight(const struct hd_tui *t);

#endif
