/*
 * row_reader.c - see row_reader.h
 */
#include "db/row_reader.h"

#include <string.h>

const char *hd_row_text(struct hd_arena *a, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *s = hd_col_bytes(r, i, &n);

	return s ? hd_arena_text(a, s, strnlen(s, n)) : NULL;
}

const char *hd_row_name(struct hd_arena *a, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *raw = hd_col_bytes(r, i + 1, &n);

	return raw ? hd_arena_text(a, raw, strnlen(raw, n)) : hd_row_text(a, r, i);
}

const char *hd_or_empty(const char *s)
{
	return s ? s : "";
}

const char *hd_row_reader_text(struct hd_row_reader *c)
{
	return hd_row_text(c->arena, c->r, c->at++);
}

const char *hd_row_reader_name(struct hd_row_reader *c)
{
	c->at += 2;
	return hd_row_name(c->arena, c->r, c->at - 2);
}

double hd_row_reader_number(struct hd_row_reader *c, double none)
{
	int i = c->at++;

	switch (hd_col_kind(c->r, i)) {
	case HD_COL_INT:
		return (double)hd_col_int(c->r, i);
	case HD_COL_DOUBLE:
		return hd_col_double(c->r, i);
	case HD_COL_NULL:
	case HD_COL_TEXT:
	case HD_COL_BLOB:
		return none;
	}
	return none;
}

/* -1: not known, whatever a foreign file holds. */
static int64_t count(struct hd_row_reader *c)
{
	int i = c->at++;

	return hd_col_kind(c->r, i) == HD_COL_INT && hd_col_int(c->r, i) >= 0 ? hd_col_int(c->r, i) : -1;
}

static uint64_t at_least_0(int64_t n)
{
	return n > 0 ? (uint64_t)n : 0;
}

struct hd_rate hd_run_load_rate(struct hd_row_reader *c)
{
	struct hd_rate s = { 0 };
	int64_t throttled;
	double silent;

	s.frequency_hz = at_least_0(count(c));
	s.period = at_least_0(count(c));
	throttled = count(c);
	s.recorded = throttled >= 0;
	s.throttled = at_least_0(throttled);
	s.unthrottled = at_least_0(count(c));
	silent = hd_row_reader_number(c, 0);
	s.silent = silent > 0 && silent <= 1 ? silent : 0;
	s.enabled_ns = at_least_0(count(c));
	s.running_ns = at_least_0(count(c));
	s.call_graph = hd_rate_call_graph(hd_row_reader_text(c));
	s.stack_bytes = at_least_0(count(c));
	return s;
}
