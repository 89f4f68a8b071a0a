/*
 * pg_values.c - bind values and read columns of a PostgreSQL server
 *
 * Values are sent as text without a type, which the server infers from the statement; BLOBs are sent in binary.
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/hex.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hd_pg_clear_values(struct hd_pg_stmt *st)
{
	for (int i = 0; i < st->nvalues; i++)
		free(st->values[i].bytes);
	st->nvalues = 0;
}

void hd_pg_clear_blobs(struct hd_pg_stmt *st)
{
	for (int i = 0; i < st->nblobs; i++)
		free(st->blobs[i]);
	free(st->blobs);
	free(st->blob_bytes);
	st->blobs = NULL;
	st->blob_bytes = NULL;
	st->nblobs = 0;
}

/* ---- to the server ---- */

static void bind(struct hd_stmt *hst, int i, const void *p, size_t n, bool binary)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;
	struct hd_pg_value *v;

	if (i > st->nvalues) {
		if (i > st->cap_values) {
			st->cap_values = i < 8 ? 8 : 2 * i;
			st->values = hd_realloc(st->values, (size_t)st->cap_values, sizeof(*st->values));
		}
		memset(st->values + st->nvalues, 0, (size_t)(i - st->nvalues) * sizeof(*st->values));
		st->nvalues = i;
	}
	v = &st->values[i - 1];
	free(v->bytes);
	*v = (struct hd_pg_value){ .n = n, .binary = binary };
	if (p) {
		v->bytes = hd_realloc(NULL, n + 1, 1);
		memcpy(v->bytes, p, n);
		v->bytes[n] = '\0';
	}
}

void hd_pg_bind_null(struct hd_stmt *st, int i)
{
	bind(st, i, NULL, 0, false);
}

void hd_pg_bind_int(struct hd_stmt *st, int i, int64_t v)
{
	char text[24];

	bind(st, i, text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)v), false);
}

void hd_pg_bind_double(struct hd_stmt *st, int i, double v)
{
	char text[40];

	if (isfinite(v))
		snprintf(text, sizeof(text), "%.17g", v);
	else
		snprintf(text, sizeof(text), "%s", isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
	bind(st, i, text, strlen(text), false);
}

void hd_pg_bind_text(struct hd_stmt *st, int i, const char *s, size_t n)
{
	bind(st, i, s, n, false);
}

void hd_pg_bind_blob(struct hd_stmt *st, int i, const void *p, size_t n)
{
	bind(st, i, n ? p : "", n, true);
}

/* ---- from the server ---- */

int hd_pg_col_count(const struct hd_stmt *hst)
{
	const struct hd_pg_stmt *st = (const struct hd_pg_stmt *)hst;

	if (st->shared)
		return st->ncells;
	return st->shape || st->res ? hd_pg_of(st)->pq.nfields(st->shape ? st->shape : st->res) : 0;
}

const char *hd_pg_col_name(const struct hd_stmt *hst, int i)
{
	const struct hd_pg_stmt *st = (const struct hd_pg_stmt *)hst;
	const char *name = hd_pg_of(st)->pq.fname(st->shape ? st->shape : st->res, i);	/* NULL: i is invalid */

	return name ? name : "";
}

/* Return the value of column i of the current row, as text unless it is a BLOB of a record; NULL for NULL. */
static const char *cell(const struct hd_pg_stmt *st, int i)
{
	const struct hd_libpq *pq = &hd_pg_of(st)->pq;

	if (st->shared)
		return i >= st->ncells || st->cells[i].is_null ? NULL : hd_buf_str(&st->record) + st->cells[i].at;
	return pq->getisnull(st->res, st->row, i) ? NULL : pq->getvalue(st->res, st->row, i);
}

static size_t cell_bytes(const struct hd_pg_stmt *st, int i)
{
	return st->shared ? st->cells[i].n : (size_t)hd_pg_of(st)->pq.getlength(st->res, st->row, i);
}

static uint32_t type_of(const struct hd_pg_stmt *st, int i)
{
	return st->shared ? st->cells[i].type : hd_pg_of(st)->pq.ftype(st->res, i);
}

static bool is_whole(const char *number)
{
	return !number[strspn(number, "-0123456789")];
}

enum hd_col_kind hd_pg_col_kind(const struct hd_stmt *hst, int i)
{
	const struct hd_pg_stmt *st = (const struct hd_pg_stmt *)hst;
	const char *text = cell(st, i);

	if (!text)
		return HD_COL_NULL;
	switch (type_of(st, i)) {
	case HD_PG_BOOL:
	case HD_PG_INT8:
	case HD_PG_INT2:
	case HD_PG_INT4:
	case HD_PG_OID:
		return HD_COL_INT;
	case HD_PG_FLOAT4:
	case HD_PG_FLOAT8:
		return HD_COL_DOUBLE;
	case HD_PG_NUMERIC:		/* for example a sum of BIGINTs */
		return is_whole(text) ? HD_COL_INT : HD_COL_DOUBLE;
	case HD_PG_BYTEA:
		return HD_COL_BLOB;
	default:
		return HD_COL_TEXT;
	}
}

int64_t hd_pg_col_int(const struct hd_stmt *hst, int i)
{
	const struct hd_pg_stmt *st = (const struct hd_pg_stmt *)hst;
	const char *text = cell(st, i);

	if (!text)
		return 0;
	if (type_of(st, i) == HD_PG_BOOL)
		return *text == 't';
	return is_whole(text) ? strtoll(text, NULL, 10) : (int64_t)strtod(text, NULL);
}

double hd_pg_col_double(const struct hd_stmt *hst, int i)
{
	const char *text = cell((const struct hd_pg_stmt *)hst, i);

	return text ? strtod(text, NULL) : 0;
}

static const char *col_blob(struct hd_pg_stmt *st, int i, const char *text, size_t *len)
{
	if (!st->blobs) {
		st->nblobs = hd_pg_col_count(&st->head);
		st->blobs = hd_new_array(uint8_t *, st->nblobs);
		st->blob_bytes = hd_new_array(size_t, st->nblobs);
	}
	if (!st->blobs[i]) {
		size_t n = strlen(text);	/* "\x" and two digits per byte: bytea_output is hex */

		st->blobs[i] = hd_alloc(n / 2 + 1);
		st->blob_bytes[i] = n >= 2 ? hd_unhex(text + 2, st->blobs[i], n / 2) : 0;
	}
	*len = st->blob_bytes[i];
	return (const char *)st->blobs[i];
}

const char *hd_pg_col_bytes(const struct hd_stmt *hst, int i, size_t *len)
{
	const struct hd_pg_stmt *st = (const struct hd_pg_stmt *)hst;
	const char *text = cell(st, i);

	*len = 0;
	if (!text)
		return NULL;
	if (!st->shared && type_of(st, i) == HD_PG_BYTEA)
		return col_blob((struct hd_pg_stmt *)hst, i, text, len);
	*len = cell_bytes(st, i);
	return text;
}

#endif
