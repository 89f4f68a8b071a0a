/*
 * table.h - format rows of cells as aligned text, as a Markdown table or as an HTML table
 *
 * Cells are added row by row, from left to right.  Names are added as raw bytes; the output encodes them: the terminal
 * form in text, a code span in Markdown, <code> in HTML.
 *
 * Text columns are aligned up to a width of 120.  If the buffer has a terminal width (buf.h), names are shortened in
 * the middle so that rows fit.  Otherwise no cell is cut.
 */
#ifndef HD_RENDER_TABLE_H
#define HD_RENDER_TABLE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* What the cells of a column are.  false and true stand for the first two. */
enum hd_cells {
	HD_CELLS_TEXT,		/* text, which is not shortened */
	HD_CELLS_NAME,		/* raw bytes, to be encoded; may be shortened so that rows fit */
	HD_CELLS_ID,		/* the same, but never shortened, because the user pastes them */
	HD_CELLS_LONG,		/* text that may be shortened */
};

struct hd_column {
	const char *title;
	bool right;		/* align right, for numbers */
	enum hd_cells cells;
};

struct hd_table_cell;

struct hd_table {
	const struct hd_column *columns;
	struct hd_column *owned;	/* columns to free with the table, or NULL */
	size_t ncolumns;
	struct hd_buf bytes;	/* text of all cells */
	struct hd_table_cell *cells;
	size_t ncells, cells_cap;
	size_t guide;		/* number of bytes that hd_table_guide() has added to `bytes` for the next cell */
};

/* Initialise an empty table.  `columns` is borrowed until hd_table_release(). */
void hd_table_init(struct hd_table *t, const struct hd_column *columns, size_t ncolumns);
void hd_table_release(struct hd_table *t);
/* Add the next cell of a row: n bytes, a string, or formatted text.  After the last column, a new row begins. */
void hd_table_cell(struct hd_table *t, const char *s, size_t n);
void hd_table_string(struct hd_table *t, const char *s);
/* Add the text of `b`, up to a NUL, and release `b`. */
void hd_table_take(struct hd_table *t, struct hd_buf *b);
/*
 * Add a pseudo-name such as `[unknown]` to a column of names.  It is not encoded, so it differs from a name of the
 * input that has the same text.  "" is an empty cell.
 */
void hd_table_pseudo(struct hd_table *t, const char *s);
/*
 * Set the guide of the next cell: text before its name, such as the lines of a tree.  NULL: none.  The guide is not
 * encoded.  A name in the cell is shortened to the space that the guide leaves.  If the guide takes more than half of
 * the column's width, the beginning of the guide is dropped.
 */
void hd_table_guide(struct hd_table *t, const char *guide);
void hd_table_cellf(struct hd_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add a number as hd_unit_text_real() formats it. */
void hd_table_real(struct hd_table *t, double v);

/* Append the table as text, as Markdown or as HTML.  indent: prefix of each line of text. */
void hd_table_text(struct hd_buf *out, const struct hd_table *t, const char *indent);
void hd_table_markdown(struct hd_buf *out, const struct hd_table *t);
void hd_table_html(struct hd_buf *out, const struct hd_table *t);
/* Append raw bytes outside a table, as a Markdown code span or in the terminal form. */
void hd_table_name(struct hd_buf *out, const char *s, bool markdown);
/* Write the table as text or Markdown and release it. */
void hd_table_write(struct hd_buf *out, struct hd_table *t, bool markdown);

#endif
