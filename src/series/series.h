/*
 * series.h - a CSV file as named columns of numbers
 *
 * Reads what track/csv.h reads, of any form of track/form.h.  A cell that holds no
 * number costs itself, a row with too few or too many cells costs the row; both are
 * counted and told:
 *
 *     lost.csv-row     FILE: line 12 has 3 cells, its header 4, and was skipped
 *     lost.csv-value   FILE: line 9: wall_time_us is no number and was left out
 *
 * An empty cell has no value; that is no loss.  Of a form of ours each column is
 * what the form says; of other files a column is a series when more of its cells are
 * numbers than are not, and text otherwise.  Text is kept where a form has names.
 *
 * A column of time keeps its first value apart (`origin`), so that nanoseconds
 * since 1970 lose nothing.
 *
 * Names (of columns, in cells) stay the bytes they were; they hold no NUL, because
 * a row with one is skipped.  Two columns of one name are told apart: the later
 * one becomes `name (column 3)`.
 */
#ifndef HD_SERIES_SERIES_H
#define HD_SERIES_SERIES_H

#include "base/log.h"
#include "base/err.h"
#include "base/strtab.h"
#include "track/form.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_SERIES_COLUMNS_MAX = 4096 };

struct hd_series_column {
	char *name;
	enum hd_form_field_kind kind;	/* HD_FORM_FIELD_NAME: text */
	double *v;			/* a value a row, NaN where there is none; NULL for text */
	uint32_t *names;		/* of text that is kept: ids in hd_series.text, one a row; else NULL */
	size_t cap;
	size_t n;			/* rows with a value */
	size_t empty, lost;
	long double origin;		/* add it to each value; 0 but for time */
};

struct hd_series {
	char *path;			/* for messages */
	enum hd_form form;
	struct hd_series_column *columns;
	size_t ncolumns;
	size_t rows;			/* kept */
	size_t skipped;			/* rows that were not */
	size_t lost;			/* cells */
	struct hd_strtab *text;
};

/* path "-" is stdin.  Bad input: no header, no row of numbers, nothing that is CSV. */
int hd_series_read(struct hd_series **out, const char *path, struct hd_log *log, struct hd_err *err);
/* The same of text in memory, which is changed. */
int hd_series_parse(struct hd_series **out, char *text, size_t size, const char *path, struct hd_log *log,
	struct hd_err *err);
void hd_series_free(struct hd_series *s);	/* NULL is fine */

/* The rows of `s` with this name (an id of s->text) in a column of names, as a series without text; same path and form.  The caller frees it. */
struct hd_series *hd_series_rows_of(const struct hd_series *s, const struct hd_series_column *names, uint32_t name);

/* "latency", "memory", ..., "series" for other files. */
const char *hd_series_form(const struct hd_series *s);
const struct hd_series_column *hd_series_find(const struct hd_series *s, const char *name);	/* or NULL */
/* --strict: an error when anything was lost, which the log tells. */
int hd_series_need_whole(const struct hd_series *s, const struct hd_log *log, struct hd_err *err);

#endif
