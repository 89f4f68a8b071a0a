/*
 * row_reader.c - see row_reader.h
 */
#include "db/row_reader.h"

#include "base/mem.h"
#include "db/backend.h"

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
