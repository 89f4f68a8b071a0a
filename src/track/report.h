/*
 * report.h - a report of libhotdrift: sections of rows; one table of columns describes text, JSON, Markdown and HTML
 *
 *     struct hd_report_section s = { .key = "operations", .title = "Operations", .columns = columns, .ncolumns = 3,
 *                                    .rows = rows, .n = n, .row_size = sizeof(rows[0]) };
 *     hd_report_render(&text, HD_REPORT_JSON, &head, &s, 1);
 *
 * The JSON form has the format "hotdrift.library", version 1: an object with the members of the head and one array per
 * section (an object or null for a section with .single).  `hotdrift add --report` reads it.  Members may be added,
 * never changed.  The other forms are for people: numbers are rounded, and a table has no column without values.
 *
 * Rendering depends on its arguments only.  Thread safety: no shared state.
 */
#ifndef HD_TRACK_REPORT_H
#define HD_TRACK_REPORT_H

#include "track/text.h"

/* The C type of a cell, which is at an offset in the row. */
enum hd_report_type {
	HD_REPORT_U64,
	HD_REPORT_U32,
	HD_REPORT_F64,		/* NaN: no value */
	HD_REPORT_BOOL,
	HD_REPORT_WORD,		/* const char *: a text of the library, which is printable; NULL: no value */
	HD_REPORT_NAME,		/* const char *: raw bytes of the program; NULL: no value */
};

/* How a number is written in text, Markdown and HTML.  JSON has the plain number. */
enum hd_report_unit {
	HD_REPORT_PLAIN, HD_REPORT_NS, HD_REPORT_US, HD_REPORT_BYTES, HD_REPORT_PERCENT, HD_REPORT_SECONDS
};

struct hd_report_column {
	const char *key;		/* name of the member in JSON */
	const char *title;		/* heading in text, Markdown and HTML; NULL: the column is in JSON only */
	enum hd_report_type type;
	enum hd_report_unit unit;
	size_t offset;
	bool below;			/* in text and HTML, the cell is on a line of its own below the row */
	bool bar;			/* in HTML, the percentage is drawn as a bar */
};

struct hd_report_section {
	const char *key, *title;
	const struct hd_report_column *columns;
	size_t ncolumns;
	const void *rows;
	size_t n, row_size;
	bool single;			/* the section has at most one row: in JSON an object or null, no array */
};

struct hd_report_head {
	const char *program;
	/* boot id of the kernel: identifies the machine and its boot; "" if unknown */
	const char *boot_id;
	uint64_t pid;
	uint64_t timestamp_us;		/* time when the report was made, in microseconds since 1970 */
	uint64_t unbalanced;		/* the result of hd_ops_unbalanced() (hotdrift.h) */
};

void hd_report_render(struct hd_text *out, enum hd_report_form form, const struct hd_report_head *head,
		      const struct hd_report_section *sections, size_t n);

/* ---- cells, for the functions that write the forms ---- */

/* Return the number in a cell; NaN if the cell is empty, a word or a name. */
double hd_report_cell_number(const struct hd_report_column *c, const void *row);
/* Return the text of a cell of type WORD or NAME, or NULL. */
const char *hd_report_cell_string(const struct hd_report_column *c, const void *row);
/*
 * Append a cell of a text, Markdown or HTML report: names are escaped, numbers are rounded, and a cell without a value
 * is empty.
 */
void hd_report_cell_put(struct hd_text *out, enum hd_text_form form, const struct hd_report_column *c, const void *row);
/*
 * Return true if the column has a title and some row has a value.  A HD_REPORT_BOOL is always a value; the number 0 and
 * numbers that are not finite are none.
 */
bool hd_report_has_column(const struct hd_report_section *s, const struct hd_report_column *c);
const void *hd_report_row(const struct hd_report_section *s, size_t i);

void hd_report_text(struct hd_text *out, const struct hd_report_head *head, const struct hd_report_section *sections,
		    size_t n);
void hd_report_json(struct hd_text *out, const struct hd_report_head *head, const struct hd_report_section *sections,
		    size_t n);
void hd_report_markdown(struct hd_text *out, const struct hd_report_head *head,
			const struct hd_report_section *sections, size_t n);
void hd_report_html(struct hd_text *out, const struct hd_report_head *head, const struct hd_report_section *sections,
		    size_t n);

#endif
