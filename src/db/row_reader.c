/*
 * row_reader.c - see row_reader.h
 */
#include "db/row_reader.h"

#include "base/mem.h"
#include "db/backend.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns of the current row ---- */

int hd_col_count(const struct hd_db_rows *r)
{
	return r->stmt->db->be->col_count(r->stmt);
}

const char *hd_col_name(const struct hd_db_rows *r, int i)
{
	return r->stmt->db->be->col_name(r->stmt, i);
}

enum hd_col_kind hd_col_kind(const struct hd_db_rows *r, int i)
{
	return r->stmt->db->be->col_kind(r->stmt, i);
}

int64_t hd_col_int(const struct hd_db_rows *r, int i)
{
	return r->stmt->db->be->col_int(r->stmt, i);
}

double hd_col_double(const struct hd_db_rows *r, int i)
{
	return r->stmt->db->be->col_double(r->stmt, i);
}

const char *hd_col_bytes(const struct hd_db_rows *r, int i, size_t *len)
{
	return r->stmt->db->be->col_bytes(r->stmt, i, len);
}

char *hd_col_text(const struct hd_db_rows *r, int i)
{
	size_t len;
	const char *s = hd_col_bytes(r, i, &len);

	return s ? hd_strndup(s, strnlen(s, len)) : NULL;
}

char *hd_col_raw_name(const struct hd_db_rows *r, int i)
{
	char *raw = hd_col_text(r, i + 1);

	return raw ? raw : hd_col_text(r, i);
}

/* ---- texts in an arena ---- */

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

/* ---- rows into structs ---- */

static bool is_name(enum hd_row_type type)
{
	return type == HD_ROW_NAME || type == HD_ROW_NAME_OR_EMPTY;
}

static int prepare(struct hd_stmt **out, struct hd_db *db, const struct hd_row_query *q, struct hd_err *err)
{
	const char *key = (const char *)q;
	struct hd_buf sql = { 0 };
	int rc;

	*out = hd_db_cached_stmt(db, key);
	if (*out)
		return 0;
	for (size_t i = 0; i < q->n; i++) {
		hd_buf_addf(&sql, "%s %s", i ? "," : "SELECT", q->fields[i].column);
		if (is_name(q->fields[i].type))
			hd_buf_addf(&sql, ", %s_raw", q->fields[i].column);
	}
	hd_buf_addf(&sql, " %s", q->from);
	rc = db->be->prepare(db, out, hd_buf_str(&sql), false, err);
	hd_buf_release(&sql);
	if (rc < 0)
		*out = NULL;
	else
		hd_db_cache_stmt(db, *out, key);
	return rc;
}

static int start(struct hd_db_rows *r, const struct hd_row_query *q, struct hd_db *db, struct hd_err *err,
	const char *types, va_list ap)
{
	int rc = prepare(&r->stmt, db, q, err);

	if (rc < 0)
		return rc;
	assert(!r->stmt->busy);
	r->stmt->busy = true;
	hd_db_bind(r->stmt, 1, types, ap);
	return 0;
}

int hd_row_query(struct hd_db_rows *r, const struct hd_row_query *q, struct hd_db *db, struct hd_err *err,
	const char *types, ...)
{
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = start(r, q, db, err, types, ap);
	va_end(ap);
	return rc < 0 ? rc : hd_db_start(r, err);
}

static const char *own_text(struct hd_arena *a, const struct hd_db_rows *r, int i, enum hd_row_type type)
{
	const char *s = !a ? (is_name(type) ? hd_col_raw_name(r, i) : hd_col_text(r, i))
			   : (is_name(type) ? hd_row_name(a, r, i) : hd_row_text(a, r, i));

	if (s || type == HD_ROW_TEXT || type == HD_ROW_NAME)
		return s;
	return a ? "" : hd_strdup("");
}

static bool is_count(const struct hd_db_rows *r, int i)
{
	return hd_col_kind(r, i) == HD_COL_INT && hd_col_int(r, i) >= 0;
}

static void fill(void *member, const struct hd_row_field *f, const struct hd_db_rows *r, int i, struct hd_arena *a)
{
	const char *s;
	size_t n;

	switch (f->type) {
	case HD_ROW_TEXT:
	case HD_ROW_TEXT_OR_EMPTY:
	case HD_ROW_NAME:
	case HD_ROW_NAME_OR_EMPTY:
		s = own_text(a, r, i, f->type);
		memcpy(member, &s, sizeof(s));
		break;
	case HD_ROW_CHARS:
		s = hd_col_bytes(r, i, &n);
		memset(member, 0, f->room);
		if (s && n < f->room)
			memcpy(member, s, n);
		break;
	case HD_ROW_INT:
		*(int64_t *)member = hd_col_kind(r, i) == HD_COL_NULL ? -1 : hd_col_int(r, i);
		break;
	case HD_ROW_INT_OR_0:
		*(int64_t *)member = hd_col_int(r, i);
		break;
	case HD_ROW_COUNT:
		*(uint64_t *)member = is_count(r, i) ? (uint64_t)hd_col_int(r, i) : 0;
		break;
	case HD_ROW_KNOWN:
		*(bool *)member = is_count(r, i);
		break;
	case HD_ROW_TRUE:
		*(bool *)member = hd_col_kind(r, i) == HD_COL_INT && hd_col_int(r, i) > 0;
		break;
	case HD_ROW_REAL:
		*(double *)member = hd_col_kind(r, i) == HD_COL_NULL ? NAN : hd_col_double(r, i);
		break;
	case HD_ROW_REAL_OR_0:
		*(double *)member = hd_col_double(r, i);
		break;
	}
}

static void fill_row(void *row, const struct hd_row_query *q, const struct hd_db_rows *r, struct hd_arena *a)
{
	int column = 0;

	for (size_t i = 0; i < q->n; i++) {
		fill((char *)row + q->fields[i].offset, &q->fields[i], r, column, a);
		column += is_name(q->fields[i].type) ? 2 : 1;
	}
}

int hd_row_next(struct hd_db_rows *r, const struct hd_row_query *q, struct hd_arena *a, void *row, struct hd_err *err)
{
	int rc = hd_db_next(r, err);

	if (rc > 0)
		fill_row(row, q, r, a);
	return rc;
}

int hd_row_get(void *row, const struct hd_row_query *q, struct hd_db *db, struct hd_arena *a, struct hd_err *err,
	const char *types, ...)
{
	struct hd_db_rows r;
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = start(&r, q, db, err, types, ap);
	va_end(ap);
	if (rc >= 0)
		rc = hd_row_next(&r, q, a, row, err);
	hd_db_end(&r);
	return rc;
}

int hd_row_load(struct hd_row_list *list, const struct hd_row_query *q, struct hd_db *db, struct hd_arena *a,
	struct hd_err *err, const char *types, ...)
{
	size_t cap = list->n;
	struct hd_db_rows r;
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = start(&r, q, db, err, types, ap);
	va_end(ap);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		void *row;

		if (list->n == cap) {
			cap = cap ? 2 * cap : 8;
			list->items = hd_realloc(list->items, cap, q->size);
		}
		row = memset((char *)list->items + list->n++ * q->size, 0, q->size);
		fill_row(row, q, &r, a);
	}
	hd_db_end(&r);
	return rc;
}

size_t hd_row_list_find(const struct hd_row_list *list, const struct hd_row_query *q, int64_t key)
{
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (*(const int64_t *)((const char *)list->items + middle * q->size) < key)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}
