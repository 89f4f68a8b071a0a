/*
 * column.c - the columns of a row: see db.h
 */
#include "base/mem.h"
#include "db/backend.h"

#include <stdlib.h>
#include <string.h>

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
