/*
 * stored_series.c - see stored_series.h
 */
#include "render/stored_series.h"

#include "base/arena.h"
#include "base/encode.h"
#include "base/mem.h"
#include "render/table.h"
#include "render/unit_text.h"
#include "series/series.h"
#include "track/csv.h"

#include <stdlib.h>
#include <string.h>

struct rows {
	const struct hd_stored_series_file *file;
	struct hd_csv csv;
	struct hd_csv_cell *cells;	/* the cells of the last record */
	size_t columns;			/* number of columns of the header */
};

/* Read the next record into r->cells.  Returns 1, 0 at the end, or HD_EFORMAT. */
static int next(struct rows *r, struct hd_err *err)
{
	size_t n;
	enum hd_csv_record_kind kind = hd_csv_next(&r->csv, r->cells, HD_SERIES_COLUMNS_MAX, &n);

	if (kind == HD_CSV_END)
		return 0;
	if (kind == HD_CSV_ROW && !r->columns && n <= HD_SERIES_COLUMNS_MAX)
		r->columns = n;
	if (kind != HD_CSV_ROW || n != r->columns)
		return hd_fail(err, HD_EFORMAT, "run %s: line %llu of its stored %s series is invalid",
			r->file->run->id, (unsigned long long)r->csv.row_line,
			r->file->run->series[r->file->first].kind);
	return 1;
}

static void begin(struct rows *r, const struct hd_stored_series_file *f)
{
	*r = (struct rows){ .file = f, .csv = hd_csv_init(f->text->data, f->text->len),
		.cells = hd_new_array(struct hd_csv_cell, HD_SERIES_COLUMNS_MAX) };
}

/* ---- text ---- */

static void heading(struct hd_buf *out, const struct rows *r, size_t n, size_t shown)
{
	const struct hd_stored_series_file *f = r->file;

	hd_buf_addf(out, "%s: ", f->run->series[f->first].kind);
	hd_unit_text_count(out, n);
	hd_buf_adds(out, n == 1 ? " row" : " rows");
	if (shown < n)
		hd_buf_addf(out, ", the first %zu; -n 0 prints all, --csv the file", shown);
	hd_buf_adds(out, "\n\n");
}

/*
 * Return new columns with the titles of the header, which r->cells holds.  All cells, also names, are aligned to the
 * right.
 */
static struct hd_column *columns_of(const struct rows *r, struct hd_arena *titles)
{
	struct hd_column *columns = hd_new_array(struct hd_column, r->columns + 1);
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < r->columns; i++) {
		hd_buf_reset(&b);
		hd_enc_term(&b, r->cells[i].s, r->cells[i].n);
		columns[i] = (struct hd_column){ hd_arena_strndup(titles, hd_buf_str(&b), b.len), true, true };
	}
	hd_buf_release(&b);
	return columns;
}

int hd_stored_series_text(struct hd_buf *out, const struct hd_stored_series_file *f, size_t limit, struct hd_err *err)
{
	struct hd_arena titles = { 0 };
	struct hd_table t = { 0 };
	struct rows r;
	size_t n = 0;
	int rc;

	begin(&r, f);
	rc = next(&r, err);
	if (rc > 0) {
		struct hd_column *columns = columns_of(&r, &titles);

		hd_table_init(&t, columns, r.columns);
		t.owned = columns;
		while ((rc = next(&r, err)) > 0) {
			for (size_t i = 0; i < r.columns && (!limit || n < limit); i++)
				r.cells[i].n ? hd_table_cell(&t, r.cells[i].s, r.cells[i].n) : hd_table_pseudo(&t, "");
			n++;
		}
	}
	if (rc >= 0) {
		heading(out, &r, n, limit && limit < n ? limit : n);
		if (t.ncells)
			hd_table_text(out, &t, "");
	}
	hd_table_release(&t);
	hd_arena_release(&titles);
	free(r.cells);
	return rc;
}

/* ---- JSON ---- */

static size_t digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

/* Return true if the cell is a number as RFC 8259 defines it. */
static bool is_number(const char *s, size_t n)
{
	size_t whole, more;

	if (n && *s == '-')
		s++, n--;
	whole = digits(s, n);
	if (!whole || (whole > 1 && *s == '0'))
		return false;
	s += whole, n -= whole;
	if (n && *s == '.') {
		more = digits(s + 1, n - 1);
		if (!more)
			return false;
		s += more + 1, n -= more + 1;
	}
	if (n && (*s == 'e' || *s == 'E')) {
		s++, n--;
		if (n && (*s == '+' || *s == '-'))
			s++, n--;
		more = digits(s, n);
		if (!more)
			return false;
		n -= more;
	}
	return !n;
}

static void json_cell(struct hd_jsonw *w, const struct hd_csv_cell *c, struct hd_buf *number)
{
	if (!c->n) {
		hd_jsonw_null(w, NULL);
	} else if (!c->quoted && is_number(c->s, c->n)) {
		hd_buf_reset(number);
		hd_buf_add(number, c->s, c->n);
		hd_jsonw_raw(w, NULL, hd_buf_str(number));
	} else {
		hd_jsonw_strn(w, NULL, c->s, c->n);
	}
}

int hd_stored_series_json(struct hd_jsonw *w, const struct hd_stored_series_file *f, struct hd_err *err)
{
	struct hd_buf number = { 0 };
	struct rows r;
	int rc;

	begin(&r, f);
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "kind", f->run->series[f->first].kind);
	hd_jsonw_row(w, "series", '[');
	for (size_t i = f->first; i < f->first + f->n; i++)
		hd_jsonw_str(w, NULL, f->run->series[i].name);
	hd_jsonw_close(w, ']');
	rc = next(&r, err);
	hd_jsonw_row(w, "columns", '[');
	for (size_t i = 0; i < r.columns && rc > 0; i++)
		hd_jsonw_strn(w, NULL, r.cells[i].s, r.cells[i].n);
	hd_jsonw_close(w, ']');
	hd_jsonw_open(w, "rows", '[');
	while (rc > 0 && (rc = next(&r, err)) > 0) {
		hd_jsonw_row(w, NULL, '[');
		for (size_t i = 0; i < r.columns; i++)
			json_cell(w, &r.cells[i], &number);
		hd_jsonw_close(w, ']');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
	hd_buf_release(&number);
	free(r.cells);
	return rc;
}
