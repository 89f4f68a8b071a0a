/*
 * series.h - read a CSV file as named columns of numbers
 *
 * The file may be any that track/csv.h accepts.  It has a form (a known set of columns) if its header is one of those
 * in track/form.h.  A cell that is not a number is dropped.  A row is skipped if it has too few or too many cells, a
 * NUL byte or an invalid quote.  Both are counted and reported:
 *
 *     lost.csv-row     FILE: line 12 has 3 cells, its header 4, and was skipped
 *     lost.csv-nul     FILE: line 12 contains a NUL byte and was skipped
 *     lost.csv-quote   FILE: line 12 has a quote that never closes and was skipped
 *     lost.csv-value   FILE: line 9: wall_time_us is not a number and was skipped
 *
 * An empty cell has no value, which is no loss.  In a file with a form, the form determines the kinds of columns.  In
 * other files a column is text if at least half of its non-empty cells are text, else numeric.  Text is stored only for
 * the name columns of a form.
 *
 * The columns of time of a form store their first value separately (`origin`), so that nanoseconds since 1970 keep
 * their precision.
 *
 * Names (of columns, and in cells) are raw bytes without NUL, because rows with a NUL are skipped.  If two columns
 * have the same name, the later one is renamed to `name (column 3)`.
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
	double *v;			/* one value per row, NaN for none; the pointer is NULL for text */
	uint32_t *names;		/* one string id (in hd_series.text) per row; NULL if the text is not stored */
	size_t cap;
	size_t n;			/* number of values; 0 for text */
	size_t empty, lost;		/* numbers of empty cells, and of dropped ones; 0 for text */
	/* offset of all values of v, which the caller must add; 0 except in the columns of time of a form */
	long double origin;
};

struct hd_series {
	char *path;			/* for messages */
	enum hd_form form;
	struct hd_series_column *columns;
	size_t ncolumns;
	size_t rows, skipped;		/* numbers of rows that were read, and skipped */
	size_t lost;			/* number of dropped cells */
	struct hd_strtab *text;
};

/*
 * Read a file; "-" is stdin.  HD_EIO if it cannot be read; HD_EFORMAT if it is not CSV, has more than 4 GiB or more
 * than HD_SERIES_COLUMNS_MAX columns, or has no header or no column of numbers.  The caller frees *out, which is set
 * only on success.
 */
int hd_series_read(struct hd_series **out, const char *path, struct hd_log *log, struct hd_err *err);
/* Like hd_series_read(), but parse text in memory, which is modified; `path` is for messages. */
int hd_series_parse(struct hd_series **out, char *text, size_t size, const char *path, struct hd_log *log,
	struct hd_err *err);
void hd_series_free(struct hd_series *s);	/* accepts NULL */

/*
 * Copy the rows of `s` that have the name `name` (an id of s->text) in the name column `names`.  The result has all
 * columns, but its text columns have no values, and the counts of empty and dropped cells are 0.  The caller frees the
 * result.
 */
struct hd_series *hd_series_rows_of(const struct hd_series *s, const struct hd_series_column *names, uint32_t name);

/* Return the name of the file's form: "latency", "memory", ...; "series" for files without a form. */
const char *hd_series_form(const struct hd_series *s);
/* Return the column with this name; NULL if there is none. */
const struct hd_series_column *hd_series_find(const struct hd_series *s, const char *name);
/* For the option --strict: fail if `log` has warnings lost.*, that is, if rows or cells were dropped. */
int hd_series_need_whole(const struct hd_series *s, const struct hd_log *log, struct hd_err *err);

#endif
