/*
 * connection.c - transactions, the statement cache and values of db.h
 *
 * row_reader.c reads columns, and bulk_insert.c inserts many rows.  The backend (backend.h) does the rest.
 */
#include "db/db.h"

#include "base/encode.h"
#include "base/mem.h"
#include "db/backend.h"
#include "db/snapshot.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int hd_db_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err)
{
	struct hd_db_opts with = *o;

	if (!with.url)
		with = (struct hd_db_opts){ HD_DB_DEFAULT, o->mode, o->busy_ms, o->limit_ms, true };
	if (!with.busy_ms)
		with.busy_ms = HD_DB_BUSY_MS;
	if (!with.limit_ms)
		with.limit_ms = HD_DB_LIMIT_MS;
	if (!strncmp(with.url, "postgresql://", 13) || !strncmp(with.url, "postgres://", 11))
		return hd_pg_open(out, &with, err);
	if (!*with.url)
		return hd_fail(err, HD_EUSAGE, "--db: the path of the database is empty");
	return hd_sqlite_open(out, &with, err);
}

void hd_db_close(struct hd_db *db)
{
	if (!db)
		return;
	hd_db_rollback(db);
	for (size_t i = 0; i < db->ncached; i++)
		db->be->free_stmt(db->cached[i]);
	free(db->cached);
	free(db->name);
	db->be->close(db);
}

const char *hd_db_name(const struct hd_db *db)
{
	return db->name;
}

int hd_db_exec(struct hd_db *db, const char *sql, struct hd_err *err)
{
	return db->be->exec(db, sql, err);
}

int hd_db_begin(struct hd_db *db, struct hd_err *err)
{
	int rc;

	assert(!db->in_transaction);
	/* set before be->begin(): if BEGIN succeeds but taking the lock fails, the transaction must be rolled back */
	db->in_transaction = true;
	db->sync_failed = false;	/* an earlier transaction in doubt says nothing about this one */
	rc = db->be->begin(db, true, err);
	if (rc < 0)
		hd_db_rollback(db);
	return rc;
}

int hd_db_begin_reading(struct hd_db *db, struct hd_err *err)
{
	int rc;

	if (db->in_transaction)
		return 0;
	rc = db->be->begin(db, false, err);
	db->in_transaction = rc >= 0;
	return rc < 0 ? rc : 1;
}

int hd_db_export_snapshot(struct hd_db *db, char id[HD_DB_SNAPSHOT], struct hd_err *err)
{
	return db->be->export_snapshot ? db->be->export_snapshot(db, id, HD_DB_SNAPSHOT, err) : 0;
}

int hd_db_open_snapshot(struct hd_db **out, const struct hd_db *db, const char *id, const atomic_bool *stop,
	struct hd_err *err)
{
	return db->be->open_snapshot(out, db, id, stop, err);
}

int hd_db_commit(struct hd_db *db, struct hd_err *err)
{
	int rc;

	assert(db->in_transaction);
	rc = db->be->exec(db, "COMMIT", err);
	if (rc < 0)
		hd_db_rollback(db);
	db->in_transaction = false;
	return rc;
}

bool hd_db_in_doubt(const struct hd_db *db)
{
	return db->sync_failed;
}

void hd_db_set_independent(struct hd_db *db, bool on)
{
	db->independent = on;
}

uint64_t hd_db_round_trips(const struct hd_db *db)
{
	return db->round_trips;
}

void hd_db_rollback(struct hd_db *db)
{
	if (!db->in_transaction)
		return;
	for (size_t i = 0; i < db->ncached; i++)
		db->be->reset(db->cached[i]);
	/*
	 * ROLLBACK fails if the engine has rolled back already, for example because the disk is full.  This is ignored.
	 */
	db->be->exec(db, "ROLLBACK", NULL);
	db->in_transaction = false;
}

int hd_db_check(struct hd_db *db, struct hd_err *err)
{
	return db->be->check(db, err);
}

int hd_db_check_types(struct hd_db *db, const char *only, const char *except, struct hd_err *err)
{
	return db->be->check_types ? db->be->check_types(db, only, except, err) : 0;
}

int hd_db_check_storage(struct hd_db *db, struct hd_err *err)
{
	return db->be->check_storage ? db->be->check_storage(db, err) : 0;
}

int hd_db_check_references(struct hd_db *db, struct hd_err *err)
{
	return db->be->check_references ? db->be->check_references(db, err) : 0;
}

/* ---- statements and their values ---- */

struct hd_stmt *hd_db_cached_stmt(struct hd_db *db, const char *sql)
{
	for (size_t i = 0; i < db->ncached; i++)
		if (db->cached[i]->sql == sql)
			return db->cached[i];
	return NULL;
}

void hd_db_cache_stmt(struct hd_db *db, struct hd_stmt *st, const char *sql)
{
	st->sql = sql;
	HD_GROW(db->cached, db->ncached + 1, db->cached_cap);
	db->cached[db->ncached++] = st;
}

static int find_or_prepare(struct hd_db *db, struct hd_stmt **out, const char *sql, struct hd_err *err)
{
	int rc;

	*out = hd_db_cached_stmt(db, sql);
	if (*out) {
		assert(!(*out)->busy);
		return 0;
	}
	rc = db->be->prepare(db, out, sql, false, err);
	if (rc < 0) {
		*out = NULL;
		return rc;
	}
	hd_db_cache_stmt(db, *out, sql);
	return 0;
}

/* Bind the visible (escaped) form of a name, and the bytes of the name if they differ from it. */
static void bind_name(const struct hd_backend *be, struct hd_stmt *st, int i, const char *name)
{
	struct hd_buf v = { 0 };
	size_t n = name ? strlen(name) : 0;

	if (!name) {
		be->bind_null(st, i);
		be->bind_null(st, i + 1);
		return;
	}
	hd_enc_visible(&v, name, n);
	be->bind_text(st, i, hd_buf_str(&v), v.len);
	if (v.len != n || memcmp(hd_buf_str(&v), name, n))
		be->bind_blob(st, i + 1, name, n);
	else
		be->bind_null(st, i + 1);
	hd_buf_release(&v);
}

char *hd_db_list_sql(const struct hd_db *db, const char *sql)
{
	struct hd_buf text = { 0 };

	for (const char *list; (list = strstr(sql, "IN [")); sql = strchr(list, ']') + 1) {
		const char *number = list + strlen("IN [");

		hd_buf_add(&text, sql, (size_t)(list - sql));
		hd_buf_adds(&text, db->be->list_begin);
		hd_buf_add(&text, number, strcspn(number, "]"));
		hd_buf_adds(&text, db->be->list_end);
	}
	hd_buf_adds(&text, sql);
	return hd_buf_take(&text);
}

static void bind_list(const struct hd_backend *be, struct hd_stmt *st, int i, const int64_t *items, size_t n)
{
	struct hd_buf text = { 0 };

	hd_buf_addc(&text, be->list_braces[0]);
	for (size_t k = 0; k < n; k++)
		hd_buf_addf(&text, "%s%lld", k ? "," : "", (long long)items[k]);
	hd_buf_addc(&text, be->list_braces[1]);
	be->bind_text(st, i, hd_buf_str(&text), text.len);
	hd_buf_release(&text);
}

int hd_db_bind(struct hd_stmt *st, int i, const char *types, va_list ap)
{
	const struct hd_backend *be = st->db->be;
	const int64_t *items;
	const char *s;
	int64_t number;
	double real;
	size_t n;

	for (; *types; types++) {
		switch (*types) {
		case 'i':
			be->bind_int(st, i++, va_arg(ap, int64_t));
			break;
		case 'o':
			number = va_arg(ap, int64_t);
			if (number >= 0)
				be->bind_int(st, i++, number);
			else
				be->bind_null(st, i++);
			break;
		case 'd':
			real = va_arg(ap, double);
			if (isnan(real))
				be->bind_null(st, i++);
			else
				be->bind_double(st, i++, real);
			break;
		case 'n':
			be->bind_null(st, i++);
			break;
		case 't':
			s = va_arg(ap, const char *);
			if (s)
				be->bind_text(st, i++, s, strlen(s));
			else
				be->bind_null(st, i++);
			break;
		case 'b':
			s = va_arg(ap, const char *);
			n = va_arg(ap, size_t);
			if (s)
				be->bind_blob(st, i++, s, n);
			else
				be->bind_null(st, i++);
			break;
		case 'l':
			items = va_arg(ap, const int64_t *);
			n = va_arg(ap, size_t);
			bind_list(be, st, i++, items, n);
			break;
		case 'v':
			bind_name(be, st, i, va_arg(ap, const char *));
			i += 2;
			break;
		default:
			assert(!"unknown type letter");
		}
	}
	return i;
}

static int start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql, const char *types,
	va_list ap)
{
	int rc;

	*r = (struct hd_db_rows){ 0 };
	rc = find_or_prepare(db, &r->stmt, sql, err);
	if (rc < 0)
		return rc;
	r->stmt->busy = true;
	hd_db_bind(r->stmt, 1, types, ap);
	return 0;
}

int hd_db_start(struct hd_db_rows *r, struct hd_err *err)
{
	const struct hd_backend *be = r->stmt->db->be;

	return be->start ? be->start(r->stmt, err) : 0;
}

int hd_db_query(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql, const char *types, ...)
{
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = start(r, db, err, sql, types, ap);
	va_end(ap);
	return rc < 0 ? rc : hd_db_start(r, err);
}

int hd_db_query_text(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql)
{
	int rc;

	*r = (struct hd_db_rows){ 0 };
	rc = db->be->prepare(db, &r->stmt, sql, false, err);
	if (rc < 0)
		return rc;
	r->stmt->busy = true;
	return hd_db_start(r, err);
}

int hd_db_query_user(struct hd_db_rows *r, struct hd_db *db, const char *sql, char *const *values, int n,
	struct hd_err *err)
{
	int rc;

	*r = (struct hd_db_rows){ 0 };
	rc = db->be->prepare(db, &r->stmt, sql, true, err);
	if (rc < 0)
		return rc;
	r->stmt->busy = true;
	if (db->be->param_count(r->stmt) != n) {
		rc = hd_fail(err, HD_EUSAGE, "SQL: the statement wants %d values, %d are given",
			db->be->param_count(r->stmt), n);
		hd_db_end(r);
		return rc;
	}
	for (int i = 0; i < n; i++)
		db->be->bind_text(r->stmt, i + 1, values[i], strlen(values[i]));
	return 0;
}

int hd_db_next(struct hd_db_rows *r, struct hd_err *err)
{
	return r->stmt->db->be->step(r->stmt, err);
}

void hd_db_end(struct hd_db_rows *r)
{
	if (!r->stmt)
		return;
	r->stmt->busy = false;
	if (r->stmt->sql)
		r->stmt->db->be->reset(r->stmt);
	else
		r->stmt->db->be->free_stmt(r->stmt);
	r->stmt = NULL;
}

int hd_db_do(struct hd_db *db, struct hd_err *err, const char *sql, const char *types, ...)
{
	struct hd_db_rows r;
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = start(&r, db, err, sql, types, ap);
	va_end(ap);
	if (rc >= 0)
		rc = db->be->perform(r.stmt, err);
	hd_db_end(&r);
	return rc;
}

static void bind_column(struct hd_stmt *st, int at, const struct hd_db_rows *row, int i)
{
	const struct hd_backend *be = st->db->be;
	size_t n;
	const char *p;

	switch (hd_col_kind(row, i)) {
	case HD_COL_NULL:
		be->bind_null(st, at);
		break;
	case HD_COL_INT:
		be->bind_int(st, at, hd_col_int(row, i));
		break;
	case HD_COL_DOUBLE:
		be->bind_double(st, at, hd_col_double(row, i));
		break;
	case HD_COL_TEXT:
		p = hd_col_bytes(row, i, &n);
		be->bind_text(st, at, p, n);
		break;
	case HD_COL_BLOB:
		p = hd_col_bytes(row, i, &n);
		be->bind_blob(st, at, p, n);
		break;
	}
}

void hd_db_bind_copy(struct hd_stmt *st, int at, const int64_t *numbers, int n, const struct hd_db_rows *row,
	int column)
{
	for (int i = 0; i < n; i++) {
		if (numbers[i] >= 0)
			st->db->be->bind_int(st, at + i, numbers[i]);
		else
			st->db->be->bind_null(st, at + i);
	}
	for (int i = column; i < hd_col_count(row); i++)
		bind_column(st, at + n + i - column, row, i);
}

int hd_db_do_copy(struct hd_db *db, struct hd_err *err, const char *sql, const int64_t *numbers, int n,
	const struct hd_db_rows *row, int column)
{
	struct hd_db_rows r = { 0 };
	int rc = find_or_prepare(db, &r.stmt, sql, err);

	if (rc < 0)
		return rc;
	r.stmt->busy = true;
	hd_db_bind_copy(r.stmt, 1, numbers, n, row, column);
	rc = db->be->perform(r.stmt, err);
	hd_db_end(&r);
	return rc;
}

int hd_db_query_int(struct hd_db *db, int64_t *out, int64_t none, struct hd_err *err, const char *sql,
	const char *types, ...)
{
	struct hd_db_rows r;
	va_list ap;
	int rc;

	*out = none;
	va_start(ap, types);
	rc = start(&r, db, err, sql, types, ap);
	va_end(ap);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0 && hd_col_kind(&r, 0) != HD_COL_NULL)
		*out = hd_col_int(&r, 0);
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}
