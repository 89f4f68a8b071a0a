/*
 * span_polls.c - see span_polls.h
 */
#include "pipeline/span_polls.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "track/csv.h"
#include "track/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const header[] = { "t_ns", "duration_ns", "pid", "tid", "span", "parent", "name" };
enum { T_NS, DURATION_NS, PID, TID, SPAN, PARENT, NAME, COLUMNS = HD_COUNT(header) };

#define MOST_BYTES (UINT64_C(4) << 30)

static int read_header(struct hd_csv *csv, const char *path, struct hd_err *err)
{
	struct hd_csv_cell cells[COLUMNS];
	size_t n;
	bool good = hd_csv_next(csv, cells, COLUMNS, &n) == HD_CSV_ROW && n == COLUMNS;

	for (size_t i = 0; good && i < COLUMNS; i++)
		good = cells[i].n == strlen(header[i]) && !memcmp(cells[i].s, header[i], cells[i].n);
	return good ? 0 : hd_fail(err, HD_EFORMAT,
		"%s: not a file of spans: its first line is not t_ns,duration_ns,pid,tid,span,parent,name "
		"(hd_spans_write_csv() of libhotdrift writes such files)", path);
}

static int read_row(struct hd_span_polls *polls, const struct hd_csv_cell *cells, uint64_t line, const char *path,
	struct hd_err *err)
{
	uint64_t v[NAME];

	for (size_t i = 0; i < NAME; i++) {
		struct hd_number number;

		if (hd_number_read(cells[i].s, cells[i].n, &number) != HD_NUMBER || !number.is_whole || number.negative)
			return hd_fail(err, HD_EFORMAT, "%s: line %" PRIu64 ": %s is not a whole number", path, line,
				header[i]);
		v[i] = number.whole;
	}
	if (v[DURATION_NS] > UINT64_MAX - v[T_NS] || v[TID] > INT32_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: line %" PRIu64 ": %s is too large", path, line,
			v[TID] > INT32_MAX ? "tid" : "duration_ns");
	if (polls->n >= HD_SPAN_POLLS_NONE)
		return hd_fail(err, HD_EFORMAT, "%s: more than %u polls", path, HD_SPAN_POLLS_NONE);
	HD_GROW(polls->items, polls->n + 1, polls->cap);
	polls->items[polls->n++] = (struct hd_span_poll){
		.begin_ns = v[T_NS], .end_ns = v[T_NS] + v[DURATION_NS], .tid = (int32_t)v[TID], .span = v[SPAN],
		.name = hd_strtab_addn(polls->names, cells[NAME].s, cells[NAME].n),
	};
	return 0;
}

static int read_rows(struct hd_span_polls *polls, struct hd_csv *csv, const char *path, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_csv_cell cells[COLUMNS];
	uint64_t skipped = 0, first = 0;
	enum hd_csv_record_kind what;
	size_t n;
	int rc = 0;

	while (rc >= 0 && (what = hd_csv_next(csv, cells, COLUMNS, &n)) != HD_CSV_END) {
		if (what == HD_CSV_ROW && n == COLUMNS) {
			rc = read_row(polls, cells, csv->row_line, path, err);
		} else if (!skipped++) {
			first = csv->row_line;
		}
	}
	if (skipped)
		hd_warn_n(log, "lost.csv-rows", skipped, "",
			"%s: line %" PRIu64 ": not a row of %d cells; it was skipped",
			path, first, COLUMNS);
	return rc;
}

static int by_thread_and_time(const void *x, const void *y)
{
	const struct hd_span_poll *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;	/* the outer poll first */
	return a->span < b->span ? -1 : a->span > b->span;
}

/*
 * For each poll (a period in which a thread works on a span), find the innermost poll of the thread that contains it.
 * `open` has the polls that contain the current poll, outermost first.
 */
static int nest(struct hd_span_polls *polls, const char *path, struct hd_err *err)
{
	uint32_t open[HD_SPAN_POLLS_DEPTH];
	size_t depth = 0;

	for (size_t i = 0; i < polls->n; i++) {
		struct hd_span_poll *poll = &polls->items[i], *outer = NULL;

		while (depth) {
			outer = &polls->items[open[depth - 1]];
			if (outer->tid == poll->tid && outer->end_ns > poll->begin_ns)
				break;
			depth--;
			outer = NULL;
		}
		if (outer && outer->end_ns < poll->end_ns)
			return hd_fail(err, HD_EFORMAT,
				"%s: polls of thread %d at %" PRIu64 " and %" PRIu64 " ns overlap and do not nest",
				path, poll->tid, outer->begin_ns, poll->begin_ns);
		if (depth == HD_SPAN_POLLS_DEPTH)
			return hd_fail(err, HD_EFORMAT, "%s: polls of thread %d nest more than %d deep", path,
				poll->tid, HD_SPAN_POLLS_DEPTH);
		poll->outer = outer ? open[depth - 1] : HD_SPAN_POLLS_NONE;
		if (outer)
			outer->nested_ns += poll->end_ns - poll->begin_ns;
		open[depth++] = (uint32_t)i;
	}
	return 0;
}

int hd_span_polls_parse(struct hd_span_polls **out, char *text, size_t size, const char *path, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_csv csv = hd_csv_init(text, size);
	struct hd_span_polls *polls = hd_new(struct hd_span_polls);
	int rc;

	polls->names = hd_strtab_new();
	rc = read_header(&csv, path, err);
	if (rc >= 0)
		rc = read_rows(polls, &csv, path, log, err);
	if (rc >= 0 && polls->n) {
		qsort(polls->items, polls->n, sizeof(*polls->items), by_thread_and_time);
		rc = nest(polls, path, err);
	}
	if (rc < 0) {
		hd_span_polls_free(polls);
		polls = NULL;
	}
	*out = polls;
	return rc;
}

int hd_span_polls_read(struct hd_span_polls **out, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd = hd_file_open(path, err), rc;

	*out = NULL;
	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MOST_BYTES, &text, err);
	close(fd);
	if (rc >= 0)
		rc = hd_span_polls_parse(out, text.data, text.len, path, log, err);
	hd_buf_release(&text);
	return rc;
}

void hd_span_polls_free(struct hd_span_polls *polls)
{
	if (!polls)
		return;
	hd_strtab_free(polls->names);
	free(polls->items);
	free(polls);
}

const struct hd_span_poll *hd_span_polls_at(const struct hd_span_polls *polls, int32_t tid, uint64_t t_ns)
{
	size_t lo = 0, hi = polls->n;
	const struct hd_span_poll *poll;

	while (lo < hi) {	/* find the first poll that sorts after (tid, t_ns) */
		size_t mid = lo + (hi - lo) / 2;

		poll = &polls->items[mid];
		if (poll->tid < tid || (poll->tid == tid && poll->begin_ns <= t_ns))
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo ? lo - 1 : HD_SPAN_POLLS_NONE; i != HD_SPAN_POLLS_NONE; i = poll->outer) {
		poll = &polls->items[i];
		if (poll->tid != tid)
			return NULL;
		if (t_ns < poll->end_ns)
			return poll;
	}
	return NULL;
}
