/*
 * cursor.c - see cursor.h
 */
#include "store/cursor.h"

#include <string.h>

const char *hd_kept_text(struct hd_arena *a, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *s = hd_col_bytes(r, i, &n);

	return s ? hd_arena_strndup(a, s, strnlen(s, n)) : NULL;
}

const char *hd_kept_name(struct hd_arena *a, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *raw = hd_col_bytes(r, i + 1, &n);

	return raw ? hd_arena_strndup(a, raw, strnlen(raw, n)) : hd_kept_text(a, r, i);
}

const char *hd_cursor_text(struct hd_cursor *c)
{
	return hd_kept_text(c->arena, c->r, c->at++);
}

const char *hd_cursor_name(struct hd_cursor *c)
{
	c->at += 2;
	return hd_kept_name(c->arena, c->r, c->at - 2);
}

double hd_cursor_number(struct hd_cursor *c, double none)
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
