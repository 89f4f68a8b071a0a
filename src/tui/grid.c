/*
 * grid.c - see grid.h
 */
#include "tui/grid.h"

#include "base/encode.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void hd_tui_grid_clear(struct hd_tui_grid *g, unsigned lines, unsigned columns)
{
	size_t n = (size_t)lines * columns;

	HD_GROW(g->cells, n, g->cap);
	g->lines = lines;
	g->columns = columns;
	for (size_t i = 0; i < n; i++)
		g->cells[i] = (struct hd_tui_cell){ ' ', HD_TUI_PLAIN };
}

void hd_tui_grid_release(struct hd_tui_grid *g)
{
	free(g->cells);
	*g = (struct hd_tui_grid){ 0 };
}

static struct hd_tui_cell *cell_at(const struct hd_tui_grid *g, unsigned y, unsigned x)
{
	return y < g->lines && x < g->columns ? &g->cells[(size_t)y * g->columns + x] : NULL;
}

/* Return the ASCII character that replaces a character if the locale is not UTF-8. */
static uint32_t ascii_of(uint32_t cp)
{
	switch (cp) {
	case 0x2502: return '|';		/* this case is │; the following ones are ├ └ ▸ ▾ */
	case 0x251c: return '+';
	case 0x2514: return '`';
	case 0x25b8: return '+';
	case 0x25be: return '-';
	default: return cp < 0x80 ? cp : '?';
	}
}

unsigned hd_tui_grid_text(struct hd_tui_grid *g, unsigned y, unsigned x, unsigned width, const char *text,
	enum hd_tui_style style)
{
	size_t n = strlen(text), used;
	unsigned at = 0;

	for (; n > 0; text += used, n -= used) {
		uint32_t cp;
		struct hd_tui_cell *cell;
		unsigned w;

		used = hd_utf8_decode(text, n, &cp);
		w = used ? (unsigned)hd_enc_width(text, used) : 1;
		if (!used) {
			used = 1;
			cp = '?';
		}
		if (!w)
			continue;		/* a combining character */
		if (at + w > width || x + at + w > g->columns)
			break;
		cell = cell_at(g, y, x + at);
		if (cell) {
			cell[0] = (struct hd_tui_cell){ g->utf8 ? cp : ascii_of(cp), (uint8_t)style };
			if (w > 1)
				cell[1] = (struct hd_tui_cell){ g->utf8 ? 0 : ' ', (uint8_t)style };
		}
		at += w;
	}
	return at;
}

unsigned hd_tui_grid_textf(struct hd_tui_grid *g, unsigned y, unsigned x, enum hd_tui_style style, const char *fmt, ...)
{
	struct hd_buf b = { 0 };
	unsigned used;
	va_list ap;

	va_start(ap, fmt);
	hd_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	used = hd_tui_grid_text(g, y, x, g->columns, hd_buf_str(&b), style);
	hd_buf_release(&b);
	return used;
}

unsigned hd_tui_grid_name(struct hd_tui_grid *g, unsigned y, unsigned x, unsigned width, const char *name, bool pseudo,
	enum hd_tui_style style)
{
	struct hd_buf whole = { 0 }, shown = { 0 };
	unsigned used;

	if (x + width > g->columns)
		width = x < g->columns ? g->columns - x : 0;
	if (pseudo)
		hd_buf_adds(&whole, name);
	else
		hd_enc_term(&whole, name, strlen(name));
	if (width)
		hd_enc_shorten(&shown, whole.data, whole.len, width);
	used = hd_tui_grid_text(g, y, x, width, hd_buf_str(&shown), style);
	hd_buf_release(&whole);
	hd_buf_release(&shown);
	return used;
}

void hd_tui_grid_paint(struct hd_tui_grid *g, unsigned y, unsigned x, unsigned width, enum hd_tui_style style)
{
	for (unsigned i = 0; i < width; i++) {
		struct hd_tui_cell *cell = cell_at(g, y, x + i);

		if (!cell)
			break;
		cell->style = (uint8_t)style;
	}
}

/* ---- search ---- */

static bool has_capital(const char *word)
{
	for (; *word; word++)
		if (isupper((unsigned char)*word))
			return true;
	return false;
}

static uint32_t folded(uint32_t cp, bool exact)
{
	return !exact && cp >= 'A' && cp <= 'Z' ? cp - 'A' + 'a' : cp;
}

bool hd_tui_contains(const char *text, const char *word)
{
	return *word && (has_capital(word) ? strstr(text, word) : strcasestr(text, word)) != NULL;
}

void hd_tui_grid_highlight(struct hd_tui_grid *g, unsigned y, const char *word, enum hd_tui_style style)
{
	bool exact = has_capital(word);
	size_t n = strlen(word);

	for (unsigned x = 0; *word && x < g->columns; x++) {
		size_t used = 0, length = 0;
		unsigned at = x;

		while (used < n) {
			const struct hd_tui_cell *cell = cell_at(g, y, at);
			uint32_t cp;

			length = hd_utf8_decode(word + used, n - used, &cp);
			if (!length || !cell || folded(cell->cp, exact) != folded(cp, exact))
				break;
			used += length;
			at++;
			while ((cell = cell_at(g, y, at)) && !cell->cp)
				at++;
		}
		if (used == n)
			hd_tui_grid_paint(g, y, x, at - x, style);
	}
}
