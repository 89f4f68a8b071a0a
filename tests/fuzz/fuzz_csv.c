/*
 * fuzz_csv.c - read any bytes as a CSV file
 *
 * Invariants: without quotes and NULs, each line that is not blank is one row with one cell more than it has commas;
 * all rows are kept or skipped; in each column, the numbers of values, of empty cells and of dropped cells add up to
 * the number of rows; a number that was read can be written and read again without change; summaries have min <= p50
 * <= p95 <= p99 <= max, and no interval ends below its start.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "pipeline/span_polls.h"
#include "series/energy_report.h"
#include "series/series_stats.h"
#include "track/csv.h"
#include "track/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CELLS = 64, FEW_COLUMNS = 8, FEW_ROWS = 64 };

static char *copy(const uint8_t *data, size_t size)
{
	char *text = hd_alloc(size + 1);

	if (size)
		memcpy(text, data, size);
	return text;
}

/* Count the rows independently of the parser, for text without quotes. */
static size_t plain_rows(const char *text, size_t size, size_t *cells)
{
	size_t rows = 0, i = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	bool in_row = false;

	for (*cells = 0; i < size; i++) {
		if (text[i] == '\n' || text[i] == '\r') {
			in_row = false;
			continue;
		}
		rows += !in_row;
		*cells += !in_row + (text[i] == ',');
		in_row = true;
	}
	return rows;
}

static void check_number(const struct hd_csv_cell *cell)
{
	struct hd_number number, again;
	char text[HD_NUMBER_TEXT_MAX];

	if (hd_number_read(cell->s, cell->n, &number) != HD_NUMBER)
		return;
	assert(isfinite(number.v));
	assert(hd_number_read(text, hd_number_write(text, number.v), &again) == HD_NUMBER && again.v == number.v);
}

static size_t check_rows(const uint8_t *data, size_t size)
{
	bool plain = !size || (!memchr(data, '"', size) && !memchr(data, '\0', size));
	char *text = copy(data, size);
	struct hd_csv csv = hd_csv_init(text, size);
	struct hd_csv_cell cells[CELLS];
	size_t rows = 0, all = 0, n, want;
	uint64_t line = 0;
	enum hd_csv_record_kind what;

	while ((what = hd_csv_next(&csv, cells, CELLS, &n)) != HD_CSV_END) {
		assert(csv.row_line > line && csv.line > csv.row_line - 1);
		line = csv.row_line;
		rows++;
		all += n;
		for (size_t i = 0; what == HD_CSV_ROW && i < n && i < CELLS; i++) {
			assert(cells[i].s >= text && cells[i].n <= size && cells[i].s + cells[i].n <= text + size);
			check_number(&cells[i]);
		}
	}
	assert(csv.p == csv.end);
	if (plain) {
		assert(rows == plain_rows(text, size, &want));
		assert(all == want);
	}
	free(text);
	return rows;
}

static void check_summaries(const struct hd_series *s)
{
	struct hd_string_list all = { 0 };
	struct hd_log log = { 0 };
	struct hd_series_stats st;
	struct hd_err err;

	if (hd_series_stats_make(&st, s, &all, &log, &err) >= 0) {
		for (size_t i = 0; i < st.n; i++) {
			const struct hd_summary *m = &st.columns[i].sum;

			assert(m->n == st.columns[i].column->n && m->outliers <= m->n);
			assert(!m->n || (m->min <= m->p50 && m->p50 <= m->p95 && m->p95 <= m->p99 && m->p99 <= m->max));
			assert(!m->n ||
				(m->ci_p50.lo <= m->p50 && m->p50 <= m->ci_p50.hi && m->ci_mean.lo <= m->ci_mean.hi &&
					m->std >= 0));
		}
	}
	hd_series_stats_release(&st);
	hd_log_release(&log);
}

static void check_energy(const struct hd_series *s, struct hd_log *log)
{
	struct hd_energy_report r;
	struct hd_err err;

	if (hd_energy_report_make(&r, s, log, &err) >= 0) {
		assert(r.enough == (r.duration_s > 0) && r.duration_s >= 0);
		assert(r.enough || r.total_joules == 0);
	}
	hd_energy_report_release(&r);
}

static void check_series(const uint8_t *data, size_t size, size_t rows)
{
	char *text = copy(data, size);
	struct hd_log log = { 0 };
	struct hd_series *s;
	struct hd_err err;

	if (hd_series_parse(&s, text, size, "input", &log, &err) >= 0) {
		assert(s->rows + s->skipped + 1 == rows);
		for (size_t i = 0; i < s->ncolumns; i++) {
			const struct hd_series_column *c = &s->columns[i];

			assert(c->kind == HD_FORM_FIELD_NAME || c->n + c->empty + c->lost == s->rows);
		}
		if (s->ncolumns <= FEW_COLUMNS && s->rows <= FEW_ROWS)
			check_summaries(s);
		check_energy(s, &log);
		hd_series_free(s);
	}
	hd_log_release(&log);
	free(text);
}

/*
 * A lookup at the time at which a poll begins must return this poll or one that is nested in it, unless the poll is
 * empty.  Its nested polls must not take longer than the poll itself.
 */
static void check_polls(const uint8_t *data, size_t size)
{
	struct hd_span_polls *polls;
	struct hd_log log = { 0 };
	char *text = copy(data, size);

	if (hd_span_polls_parse(&polls, text, size, "polls", &log, NULL) >= 0) {
		for (size_t i = 0; i < polls->n; i++) {
			const struct hd_span_poll *poll = &polls->items[i], *found;

			assert(poll->nested_ns <= poll->end_ns - poll->begin_ns);
			found = hd_span_polls_at(polls, poll->tid, poll->begin_ns);
			assert(found ? found->begin_ns == poll->begin_ns || found->end_ns > poll->begin_ns
				     : poll->begin_ns == poll->end_ns);
		}
		hd_span_polls_free(polls);
	}
	hd_log_release(&log);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_polls(data, size);
	check_series(data, size, check_rows(data, size));
	return 0;
}
