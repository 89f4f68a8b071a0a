/*
 * series.c - see series.h
 */
#include "series/series.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "track/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES_SHIFT = 32 };	/* a file of more than 2^32 bytes (4 GiB) is rejected */

/* What was found in the cells of a column so far. */
struct seen {
	size_t numbers, not_finite, huge, text;
	uint64_t bad_line;	/* line of the first cell that is not a finite number */
};

struct reading {
	struct hd_series *s;
	struct hd_log *log;
	struct hd_csv csv;
	struct hd_csv_cell *cells;
	struct seen *seen;
	size_t rows_cap;
};

static const struct hd_form_layout *form_of(const struct hd_series *s)
{
	return hd_form_layout(s->form);
}

const char *hd_series_form(const struct hd_series *s)
{
	return form_of(s) ? form_of(s)->name : "series";
}

const struct hd_series_column *hd_series_find(const struct hd_series *s, const char *name)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (!strcmp(s->columns[i].name, name))
			return &s->columns[i];
	return NULL;
}

void hd_series_free(struct hd_series *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->ncolumns; i++) {
		free(s->columns[i].name);
		free(s->columns[i].v);
		free(s->columns[i].names);
	}
	free(s->columns);
	free(s->path);
	hd_strtab_free(s->text);
	free(s);
}

struct hd_series *hd_series_rows_of(const struct hd_series *s, const struct hd_series_column *names, uint32_t name)
{
	struct hd_series *r = hd_new(struct hd_series);

	r->path = hd_strdup(s->path);
	r->form = s->form;
	r->ncolumns = s->ncolumns;
	r->columns = hd_new_array(struct hd_series_column, s->ncolumns);
	for (size_t i = 0; i < s->ncolumns; i++) {
		const struct hd_series_column *from = &s->columns[i];
		struct hd_series_column *to = &r->columns[i];
		size_t rows = 0;

		*to = (struct hd_series_column){ .name = hd_strdup(from->name),
			.kind = from->kind,
			.origin = from->origin };
		if (!from->v)
			continue;
		to->v = hd_new_array(double, s->rows + 1);
		for (size_t row = 0; row < s->rows; row++) {
			if (names->names[row] != name)
				continue;
			to->v[rows++] = from->v[row];
			to->n += !isnan(from->v[row]);
		}
		r->rows = rows;
	}
	return r;
}

int hd_series_need_whole(const struct hd_series *s, const struct hd_log *log, struct hd_err *err)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < log->n; i++)
		lost += strncmp(log->items[i].code, "lost.", 5) ? 0 : log->items[i].count;
	return lost ? hd_fail(err, HD_EFORMAT,
			      "%s: %" PRIu64 " rows or cells were lost, as warned; --strict takes none", s->path, lost)
		    : 0;
}

/* ---- the header ---- */

static bool is_taken(const struct hd_series *s, size_t upto, const char *name)
{
	for (size_t i = 0; i < upto; i++)
		if (!strcmp(s->columns[i].name, name))
			return true;
	return false;
}

/* Set the name of column i.  If an earlier column has this name, a number is appended to it, with a warning. */
static void set_name(struct hd_series *s, size_t i, const struct hd_csv_cell *cell, struct hd_log *log)
{
	struct hd_buf b = { 0 };

	hd_buf_add(&b, cell->s, cell->n);
	if (is_taken(s, i, b.data)) {
		hd_warn(log, "csv.same-name", "give each column a name of its own",
			"%s: column %zu has the name of one before it", s->path, i + 1);
		do
			hd_buf_addf(&b, " (column %zu)", i + 1);
		while (is_taken(s, i, b.data));
	}
	s->columns[i].name = hd_buf_take(&b);
}

static bool is_all_numbers(const struct hd_csv_cell *cells, size_t n)
{
	struct hd_number number;

	for (size_t i = 0; i < n; i++)
		if (cells[i].quoted || hd_number_read(cells[i].s, cells[i].n, &number) != HD_NUMBER)
			return false;
	return true;
}

static int bad_header(const struct reading *r, enum hd_csv_record_kind what, struct hd_err *err)
{
	const char *why = what == HD_CSV_NUL ? "contains a NUL byte; a CSV file is UTF-8 text (UTF-16 is not read)"
			  : what == HD_CSV_UNCLOSED ? "has a quote that never closes"
						    : "has text after a closing quote";

	return hd_fail(err, HD_EFORMAT, "%s: line %" PRIu64 ", its header, %s", r->s->path, r->csv.row_line, why);
}

static int read_header(struct reading *r, struct hd_err *err)
{
	struct hd_series *s = r->s;
	enum hd_csv_record_kind what;
	size_t n;

	what = hd_csv_next(&r->csv, r->cells, HD_SERIES_COLUMNS_MAX, &n);
	if (what == HD_CSV_END)
		return hd_fail(err, HD_EFORMAT, "%s: is empty; a CSV file begins with the names of its columns",
			s->path);
	if (what != HD_CSV_ROW)
		return bad_header(r, what, err);
	if (n > HD_SERIES_COLUMNS_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: line %" PRIu64 " has %zu columns; up to %d are read", s->path,
			r->csv.row_line, n, HD_SERIES_COLUMNS_MAX);
	if (is_all_numbers(r->cells, n))
		return hd_fail(err, HD_EFORMAT,
			"%s: line %" PRIu64 " is no header: all of it is numbers; put the names of the columns there",
			s->path, r->csv.row_line);
	s->form = hd_form_detect(r->cells, n);
	s->columns = hd_new_array(struct hd_series_column, n);
	s->ncolumns = n;
	r->seen = hd_new_array(struct seen, n);
	for (size_t i = 0; i < n; i++) {
		set_name(s, i, &r->cells[i], r->log);
		s->columns[i].kind = form_of(s) ? form_of(s)->fields[i].kind : HD_FORM_FIELD_VALUE;
	}
	return 0;
}

/* ---- rows ---- */

static const char row_fix[] = "write each row with as many cells as the header";

static void skip_row(struct reading *r, enum hd_csv_record_kind what, size_t n)
{
	struct hd_series *s = r->s;

	s->skipped++;
	if (what == HD_CSV_ROW)
		hd_warn(r->log, "lost.csv-row", row_fix,
			"%s: line %" PRIu64 " has %zu cells, its header %zu, and was skipped", s->path, r->csv.row_line,
			n, s->ncolumns);
	else
		hd_warn(r->log, what == HD_CSV_NUL ? "lost.csv-nul" : "lost.csv-quote",
			what == HD_CSV_NUL ? "a CSV file is text" : "double the quotes inside of quoted cells",
			"%s: line %" PRIu64 " %s and was skipped", s->path, r->csv.row_line,
			what == HD_CSV_NUL                ? "contains a NUL byte"
				: what == HD_CSV_UNCLOSED ? "has a quote that never closes"
							  : "has text after a closing quote");
}

static double keep_number(struct hd_series_column *c, struct seen *seen, const struct hd_number *number)
{
	long double exact = number->is_whole
		? (number->negative ? -(long double)number->whole : (long double)number->whole)
		: number->v;

	if (c->kind != HD_FORM_FIELD_TIME)
		return number->v;
	if (!seen->numbers)
		c->origin = exact;
	return (double)(exact - c->origin);
}

static void take_cell(struct reading *r, size_t i)
{
	struct hd_series_column *c = &r->s->columns[i];
	const struct hd_csv_cell *cell = &r->cells[i];
	struct seen *seen = &r->seen[i];
	size_t row = r->s->rows;
	struct hd_number number;

	if (c->kind == HD_FORM_FIELD_NAME) {
		HD_GROW(c->names, row + 1, c->cap);
		c->names[row] = hd_strtab_addn(r->s->text, cell->s, cell->n);
		return;
	}
	HD_GROW(c->v, row + 1, c->cap);
	c->v[row] = NAN;
	switch (hd_number_read(cell->s, cell->n, &number)) {
	case HD_NUMBER:
		c->v[row] = keep_number(c, seen, &number);
		seen->numbers++;
		return;
	case HD_NUMBER_EMPTY:
		c->empty++;
		return;
	case HD_NUMBER_TEXT:
		seen->text++;
		break;
	case HD_NUMBER_NOT_FINITE:
		seen->not_finite++;
		break;
	case HD_NUMBER_HUGE:
		seen->huge++;
		break;
	}
	if (!seen->bad_line)
		seen->bad_line = r->csv.row_line;
}

static void read_rows(struct reading *r)
{
	enum hd_csv_record_kind what;
	size_t n;

	while ((what = hd_csv_next(&r->csv, r->cells, r->s->ncolumns, &n)) != HD_CSV_END) {
		if (what != HD_CSV_ROW || n != r->s->ncolumns) {
			skip_row(r, what, n);
			continue;
		}
		for (size_t i = 0; i < n; i++)
			take_cell(r, i);
		r->s->rows++;
	}
}

/* ---- kinds of columns ---- */

static void judge_column(struct reading *r, size_t i)
{
	struct hd_series_column *c = &r->s->columns[i];
	const struct seen *seen = &r->seen[i];
	const char *why = seen->text ? "not a number" : seen->huge ? "beyond the range of a double" : "not finite";

	if (c->kind == HD_FORM_FIELD_NAME)
		return;
	if (!form_of(r->s) && seen->text && seen->text >= seen->numbers + seen->not_finite + seen->huge) {
		c->kind = HD_FORM_FIELD_NAME;
		free(c->v);
		c->v = NULL;
		c->empty = 0;
		return;
	}
	c->n = seen->numbers;
	c->lost = seen->text + seen->not_finite + seen->huge;
	r->s->lost += c->lost;
	if (c->lost)
		hd_warn_n(r->log, "lost.csv-value", c->lost, "leave a cell empty when there is no value",
			  "%s: line %" PRIu64 ": %s is %s and was skipped", r->s->path, seen->bad_line, c->name, why);
}

static int judge(struct reading *r, struct hd_err *err)
{
	struct hd_series *s = r->s;
	bool any = false;

	for (size_t i = 0; i < s->ncolumns; i++) {
		judge_column(r, i);
		any |= s->columns[i].kind != HD_FORM_FIELD_NAME;
	}
	if (!s->rows && s->skipped)
		return hd_fail(err, HD_EFORMAT, "%s: none of its %zu rows has the %zu cells of its header", s->path,
			s->skipped, s->ncolumns);
	if (!any)
		return hd_fail(err, HD_EFORMAT, "%s: no column of it holds numbers", s->path);
	return 0;
}

int hd_series_parse(struct hd_series **out, char *text, size_t size, const char *path, struct hd_log *log,
	struct hd_err *err)
{
	struct reading r = { .s = hd_new(struct hd_series), .log = log, .csv = hd_csv_init(text, size) };
	int rc;

	r.s->path = hd_strdup(path);
	r.s->text = hd_strtab_new();
	r.cells = hd_new_array(struct hd_csv_cell, HD_SERIES_COLUMNS_MAX);
	rc = read_header(&r, err);
	if (rc >= 0) {
		read_rows(&r);
		rc = judge(&r, err);
	}
	free(r.cells);
	free(r.seen);
	if (rc < 0) {
		hd_series_free(r.s);
		return rc;
	}
	*out = r.s;
	return 0;
}

int hd_series_read(struct hd_series **out, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, 1ull << MAX_BYTES_SHIFT, &text, err);
	close(fd);
	if (rc >= 0)
		rc = hd_series_parse(out, text.data, text.len, path, log, err);
	hd_buf_release(&text);
	return rc;
}
