/*
 * grid.h - the cells of a screen: characters with styles, without a terminal
 *
 * The views draw into a grid; curses_screen.h copies it to the terminal, and unit tests read it.  Text is UTF-8 in the
 * visible form of base/encode.h.  If the locale is not UTF-8, characters outside ASCII become `?`, and the lines of
 * trees become ASCII.  Whatever is outside the grid is clipped, so views need not check sizes.
 *
 * Owns: the cells.
 */
#ifndef HD_TUI_GRID_H
#define HD_TUI_GRID_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_tui_style {
	HD_TUI_PLAIN, HD_TUI_BOLD, HD_TUI_DIM, HD_TUI_BAR, HD_TUI_CURSOR, HD_TUI_MATCH, HD_TUI_KERNEL, HD_TUI_HOT,
	HD_TUI_WARM,			/* the first of HD_TUI_WARMS background colours of the flame view */
	HD_TUI_WARMS = 6,
	HD_TUI_COLD = HD_TUI_WARM + HD_TUI_WARMS,	/* background of kernel frames in the flame view */
	HD_TUI_STYLES
};

struct hd_tui_cell {
	uint32_t cp;			/* code point; 0: the second cell of a character that is two columns wide */
	uint8_t style;
};

struct hd_tui_grid {
	unsigned lines, columns;
	bool utf8;
	struct hd_tui_cell *cells;
	size_t cap;
};

/* Set the size and fill the grid with blanks. */
void hd_tui_grid_clear(struct hd_tui_grid *g, unsigned lines, unsigned columns);
void hd_tui_grid_release(struct hd_tui_grid *g);
/* Put text into at most `width` columns from (y, x).  Returns the number of columns that it takes. */
unsigned hd_tui_grid_text(struct hd_tui_grid *g, unsigned y, unsigned x, unsigned width, const char *text,
	enum hd_tui_style style);
unsigned hd_tui_grid_textf(struct hd_tui_grid *g, unsigned y, unsigned x, enum hd_tui_style style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/*
 * Put a name, shortened in the middle to `width` columns.  Control characters of the name are escaped first, unless
 * `pseudo` is set: the text is then hotdrift's own, such as [unknown].  Returns the number of columns that it takes.
 */
unsigned hd_tui_grid_name(struct hd_tui_grid *g, unsigned y, unsigned x, unsigned width, const char *name,
	bool pseudo, enum hd_tui_style style);
/* Change the style of `width` cells. */
void hd_tui_grid_paint(struct hd_tui_grid *g, unsigned y, unsigned x, unsigned width, enum hd_tui_style style);
/* Paint each occurrence of `word` in a line, without regard to ASCII case if the word has no capital letter. */
void hd_tui_grid_highlight(struct hd_tui_grid *g, unsigned y, const char *word, enum hd_tui_style style);

/* Return true if the text contains the word, by the case rule of hd_tui_grid_highlight().  "" is in no text. */
bool hd_tui_contains(const char *text, const char *word);

#endif
