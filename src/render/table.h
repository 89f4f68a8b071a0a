/*
 * table.h - rows of cells, as aligned text, as a Markdown table or as one of HTML
 *
 * Cells come row by row, left to right.  Names go in as raw bytes and are
 * encoded by the sink: the terminal form in text, a code span in Markdown, <code> in HTML.
 * Columns are aligned up to 120.  Where the buffer has a terminal's width (buf.h), names are shortened in the middle
 * so that rows fit; otherwise no cell is ever cut.
 * Zero-initialise through hd_table_init.
 */
#ifndef HD_RENDER_TABLE_H
#define HD_RENDER_TABLE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct hd_column {
	const char *title;
	bool right;		/* numbers */
	bool name;		/* foreign bytes: encoded, and a code span in Markdown */
};

struct hd_table_cell;

struct hd_table {
	const struct hd_column *columns;
	struct hd_column *owned;	/* columns to free with the table, or NULL */
	size_t ncolumns;
	struct hd_buf bytes;	/* of all cells */
	struct hd_table_cell *cells;
	size_t ncells, cells_cap;
};

void hd_table_init(struct hd_table *t, const struct hd_column *columns, size_t ncolumns);
void hd_table_release(struct hd_table *t);
void hd_table_cell(struct hd_table *t, const char *s, size_t n);
void hd_table_string(struct hd_table *t, const char *s);
/* A pseudo-name of ours (`[unknown]`) in a column of names: told apart from a name that looks like one; "": nothing. */
void hd_table_pseudo(struct hd_table *t, const char *s);
void hd_table_cellf(struct hd_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As hd_unit_text_real writes it. */
void hd_table_real(struct hd_table *t, double v);

void hd_table_text(struct hd_buf *out, const struct hd_table *t, const char *indent);
void hd_table_markdown(struct hd_buf *out, const struct hd_table *t);
void hd_table_html(struct hd_buf *out, const struct hd_table *t);
/* As text or as Markdown, and released. */
void hd_table_write(struct hd_buf *out, struct hd_table *t, bool markdown);

#endif
