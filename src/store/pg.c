/*
 * pg.c - the PostgreSQL backend of db.h: statements, values, errors
 *
 * Values travel as text, whose type the server takes from where they stand, and only BLOBs in
 * binary; NULL needs no type then.  An answer is fetched whole, but for a statement of the
 * user, which comes row by row.  Connecting is pg_open.c.
 *
 * Protocol and library: https://www.postgresql.org/docs/current/libpq.html
 */
#include "store/pg.h"

#ifdef HAVE_LIBPQ

#include "base/hex.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of types that every server has (catalog pg_type). */
enum {
	OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_OID = 26,
	OID_FLOAT4 = 700, OID_FLOAT8 = 701, OID_NUMERIC = 1700,
};

/* One value to be sent. */
struct value {
	char *bytes;			/* NULL: a NULL */
	size_t n;
	bool binary;
};

struct stmt {
	struct hd_stmt head;
	char name[16];
	bool user;
	struct value *values;
	int nvalues, cap_values, nparams;
	PGresult *shape;		/* of a user's: its columns */
	PGresult *res;
	int row;			/* of res; -1: none asked for yet */
	uint8_t **blobs;		/* by column: what a BLOB's text stands for, of this row */
	size_t *blob_bytes;
	int nblobs;
};

static struct hd_pg *of(struct hd_db *db)
{
	return (struct hd_pg *)db;
}

static struct hd_pg *db_of(const struct stmt *st)
{
	return (struct hd_pg *)st->head.db;
}

/* ---- what went wrong ---- */

/* Its first line, without the severity in front. */
static int fail_with(const char *name, const char *text, enum hd_code code, struct hd_err *err)
{
	const char *colon = strstr(text, ":  ");
	const char *start = colon && (size_t)(colon - text) < 12 ? colon + 3 : text;
	int n = (int)strcspn(start, "\n");

	return hd_fail(err, code, "%s: %.*s", name, n, n ? start : "no reason given");
}

/* SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
static int fail_state(struct hd_pg *db, const char *state, const char *text, bool user, struct hd_err *err)
{
	const char *name = db->head.name;

	if (strstr("55P03 40P01 40001", state))
		return hd_fail(err, HD_EIO, "%s: locked by another writer for %u ms; try again, or wait longer with --busy-ms", name,
			       db->busy_ms);
	if (!strcmp(state, "57014"))
		return hd_fail(err, HD_EIO, "%s: a statement took longer than %u ms", name, db->limit_ms);
	if (!strcmp(state, "53100"))
		return hd_fail(err, HD_EIO, "%s: no space left on the server", name);
	if (!strcmp(state, "42501"))
		return fail_with(name, text, HD_EIO, err);		/* a right is lacking, which no other SQL gives */
	if (user && !strncmp(state, "25", 2))
		return hd_fail(err, HD_EUSAGE, "SQL: %.*s; a query may only read", (int)strcspn(text, "\n"), text);
	if (user && (!strncmp(state, "42", 2) || !strncmp(state, "22", 2) || !strncmp(state, "0A", 2) || !strncmp(state, "54", 2)))
		return hd_fail(err, HD_EUSAGE, "SQL: %.*s", (int)strcspn(text, "\n"), text);
	return fail_with(name, text, HD_EIO, err);
}

int hd_pg_fail(struct hd_pg *db, PGresult *res, bool user, struct hd_err *err)
{
	const char *state = res ? db->pq.resultErrorField(res, PG_DIAG_SQLSTATE) : NULL;
	const char *text = state ? db->pq.resultErrorField(res, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	int rc;

	if (state && text) {
		rc = fail_state(db, state, text, user, err);
	} else {
		/* The connection is gone.  Nothing was done, unless it was about to be. */
		if (db->committing)
			db->head.sync_failed = true;
		rc = fail_with(db->head.name, db->pq.errorMessage(db->conn), HD_EIO, err);
	}
	db->pq.clear(res);
	return rc;
}

/* ---- statements ---- */

int hd_pg_exec(struct hd_pg *db, const char *sql, struct hd_err *err)
{
	PGresult *res = db->pq.exec(db->conn, sql);
	ExecStatusType is = res ? db->pq.resultStatus(res) : PGRES_FATAL_ERROR;

	if (is != PGRES_COMMAND_OK && is != PGRES_TUPLES_OK)
		return hd_pg_fail(db, res, false, err);
	db->pq.clear(res);
	return 0;
}

/* A transaction that failed is undone by COMMIT, which says so and is no error. */
static int commit(struct hd_pg *db, struct hd_err *err)
{
	PGresult *res;
	int rc = 0;

	db->committing = true;
	res = db->pq.exec(db->conn, "COMMIT");
	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK) {
		rc = hd_pg_fail(db, res, false, err);
	} else {
		if (strcmp(db->pq.cmdStatus(res), "COMMIT"))
			rc = hd_fail(err, HD_EIO, "%s: the transaction had failed and was undone", db->head.name);
		db->pq.clear(res);
	}
	db->committing = false;
	return rc;
}

static int exec(struct hd_db *hdb, const char *sql, struct hd_err *err)
{
	struct hd_pg *db = of(hdb);

	return strcmp(sql, "COMMIT") ? hd_pg_exec(db, sql, err) : commit(db, err);
}

static void clear_values(struct stmt *st)
{
	for (int i = 0; i < st->nvalues; i++)
		free(st->values[i].bytes);
	st->nvalues = 0;
}

static void clear_blobs(struct stmt *st)
{
	for (int i = 0; i < st->nblobs; i++)
		free(st->blobs[i]);
	free(st->blobs);
	free(st->blob_bytes);
	st->blobs = NULL;
	st->blob_bytes = NULL;
	st->nblobs = 0;
}

/* What is left of an answer that comes row by row must be taken before anything else is asked. */
static void take_rest(struct stmt *st)
{
	struct hd_pg *db = db_of(st);
	PGresult *res;

	if (!st->user || st->row < 0)
		return;
	while ((res = db->pq.getResult(db->conn)))
		db->pq.clear(res);
}

static void reset(struct hd_stmt *hst)
{
	struct stmt *st = (struct stmt *)hst;

	clear_blobs(st);
	clear_values(st);
	db_of(st)->pq.clear(st->res);
	st->res = NULL;
	take_rest(st);
	st->row = -1;
	hst->busy = false;
}

static void free_stmt(struct hd_stmt *hst)
{
	struct stmt *st = (struct stmt *)hst;

	reset(hst);
	db_of(st)->pq.clear(st->shape);
	free(st->values);
	free(st);
}

/* What it wants and whether it gives rows, of a statement of the user. */
static int describe(struct hd_pg *db, struct stmt *st, struct hd_err *err)
{
	PGresult *res = db->pq.describePrepared(db->conn, st->name);

	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK)
		return hd_pg_fail(db, res, true, err);
	st->shape = res;
	st->nparams = db->pq.nparams(res);
	if (!db->pq.nfields(res))
		return hd_fail(err, HD_EUSAGE, "SQL: one statement that only reads is wanted; a query may only read");
	return 0;
}

static int prepare(struct hd_db *hdb, struct hd_stmt **out, const char *sql, bool user, struct hd_err *err)
{
	struct hd_pg *db = of(hdb);
	struct stmt *st;
	PGresult *res;
	int rc;

	/* A session that only reads can be told to write; a transaction that was begun so cannot. */
	rc = user ? hd_pg_exec(db, "ROLLBACK; BEGIN TRANSACTION READ ONLY", err) : 0;
	if (rc < 0)
		return rc;
	st = hd_new(struct stmt);
	st->head.db = hdb;
	st->user = user;
	st->row = -1;
	snprintf(st->name, sizeof(st->name), "hd%u", db->nstatements++);
	res = db->pq.prepare(db->conn, st->name, sql, 0, NULL);
	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK)
		rc = hd_pg_fail(db, res, user, err);
	else
		db->pq.clear(res);
	if (rc >= 0 && user)
		rc = describe(db, st, err);
	if (rc < 0)
		free_stmt(&st->head);
	else
		*out = &st->head;
	return rc;
}

static int param_count(const struct hd_stmt *st)
{
	return ((const struct stmt *)st)->nparams;
}

/* ---- values ---- */

static void bind(struct hd_stmt *hst, int i, const void *p, size_t n, bool binary)
{
	struct stmt *st = (struct stmt *)hst;
	struct value *v;

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
	*v = (struct value){ .n = n, .binary = binary };
	if (p) {
		v->bytes = hd_realloc(NULL, n + 1, 1);
		memcpy(v->bytes, p, n);
		v->bytes[n] = '\0';
	}
}

static void bind_null(struct hd_stmt *st, int i)
{
	bind(st, i, NULL, 0, false);
}

static void bind_int(struct hd_stmt *st, int i, int64_t v)
{
	char text[24];

	bind(st, i, text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)v), false);
}

static void bind_double(struct hd_stmt *st, int i, double v)
{
	char text[40];

	if (isfinite(v))
		snprintf(text, sizeof(text), "%.17g", v);
	else
		snprintf(text, sizeof(text), "%s", isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
	bind(st, i, text, strlen(text), false);
}

static void bind_text(struct hd_stmt *st, int i, const char *s, size_t n)
{
	bind(st, i, s, n, false);
}

static void bind_blob(struct hd_stmt *st, int i, const void *p, size_t n)
{
	bind(st, i, n ? p : "", n, true);
}

/* ---- rows ---- */

static int send_user(struct hd_pg *db, struct stmt *st, const char *const *values, const int *lengths, const int *formats)
{
	return db->pq.sendQueryPrepared(db->conn, st->name, st->nvalues, values, lengths, formats, 0) &&
	       db->pq.setSingleRowMode(db->conn);
}

static int run(struct hd_pg *db, struct stmt *st, struct hd_err *err)
{
	const char **values = hd_new_array(const char *, st->nvalues + 1);
	int *lengths = hd_new_array(int, st->nvalues + 1), *formats = hd_new_array(int, st->nvalues + 1), rc = 0;

	for (int i = 0; i < st->nvalues; i++) {
		if (st->values[i].n > INT32_MAX)
			rc = hd_fail(err, HD_EIO, "%s: a value of %zu bytes is too large for the server", db->head.name, st->values[i].n);
		values[i] = st->values[i].bytes;
		lengths[i] = (int)st->values[i].n;
		formats[i] = st->values[i].binary;
	}
	if (rc < 0)
		;
	else if (!st->user)
		st->res = db->pq.execPrepared(db->conn, st->name, st->nvalues, values, lengths, formats, 0);
	else if (!send_user(db, st, values, lengths, formats))
		rc = hd_pg_fail(db, NULL, true, err);
	free(values);
	free(lengths);
	free(formats);
	clear_values(st);
	return rc;
}

/* The next part of the answer: all of it, or of a user's statement one row. */
static int step(struct hd_stmt *hst, struct hd_err *err)
{
	struct stmt *st = (struct stmt *)hst;
	struct hd_pg *db = db_of(st);
	int rc;

	clear_blobs(st);
	if (st->row < 0) {
		rc = run(db, st, err);
		if (rc < 0)
			return rc;
	} else if (st->row + 1 < db->pq.ntuples(st->res)) {
		st->row++;
		return 1;
	} else if (!st->user) {
		return 0;
	}
	if (st->user) {
		db->pq.clear(st->res);
		st->res = db->pq.getResult(db->conn);
	}
	st->row = 0;
	switch (st->res ? db->pq.resultStatus(st->res) : PGRES_FATAL_ERROR) {
	case PGRES_COMMAND_OK:
	case PGRES_TUPLES_OK:
	case PGRES_SINGLE_TUPLE:
		return db->pq.ntuples(st->res) > 0;
	default:
		rc = hd_pg_fail(db, st->res, st->user, err);
		st->res = NULL;
		return rc;
	}
}

static int col_count(const struct hd_stmt *hst)
{
	const struct stmt *st = (const struct stmt *)hst;

	return st->shape || st->res ? db_of(st)->pq.nfields(st->shape ? st->shape : st->res) : 0;
}

static const char *col_name(const struct hd_stmt *hst, int i)
{
	const struct stmt *st = (const struct stmt *)hst;
	const char *name = db_of(st)->pq.fname(st->shape ? st->shape : st->res, i);	/* NULL of none */

	return name ? name : "";
}

static bool is_whole(const char *number)
{
	return !number[strspn(number, "-0123456789")];
}

static enum hd_col_kind col_kind(const struct hd_stmt *hst, int i)
{
	const struct stmt *st = (const struct stmt *)hst;
	const struct hd_libpq *pq = &db_of(st)->pq;

	if (pq->getisnull(st->res, st->row, i))
		return HD_COL_NULL;
	switch (pq->ftype(st->res, i)) {
	case OID_BOOL:
	case OID_INT8:
	case OID_INT2:
	case OID_INT4:
	case OID_OID:
		return HD_COL_INT;
	case OID_FLOAT4:
	case OID_FLOAT8:
		return HD_COL_DOUBLE;
	case OID_NUMERIC:		/* a sum of BIGINTs */
		return is_whole(pq->getvalue(st->res, st->row, i)) ? HD_COL_INT : HD_COL_DOUBLE;
	case OID_BYTEA:
		return HD_COL_BLOB;
	default:
		return HD_COL_TEXT;
	}
}

static const char *cell(const struct stmt *st, int i)
{
	return db_of(st)->pq.getisnull(st->res, st->row, i) ? NULL : db_of(st)->pq.getvalue(st->res, st->row, i);
}

static int64_t col_int(const struct hd_stmt *hst, int i)
{
	const struct stmt *st = (const struct stmt *)hst;
	const char *text = cell(st, i);

	if (!text)
		return 0;
	if (db_of(st)->pq.ftype(st->res, i) == OID_BOOL)
		return *text == 't';
	return is_whole(text) ? strtoll(text, NULL, 10) : (int64_t)strtod(text, NULL);
}

static double col_double(const struct hd_stmt *hst, int i)
{
	const char *text = cell((const struct stmt *)hst, i);

	return text ? strtod(text, NULL) : 0;
}

static const char *col_blob(struct stmt *st, int i, const char *text, size_t *len)
{
	if (!st->blobs) {
		st->nblobs = col_count(&st->head);
		st->blobs = hd_new_array(uint8_t *, st->nblobs);
		st->blob_bytes = hd_new_array(size_t, st->nblobs);
	}
	if (!st->blobs[i]) {
		size_t n = strlen(text);	/* "\x" and two digits a byte: bytea_output is hex */

		st->blobs[i] = hd_alloc(n / 2 + 1);
		st->blob_bytes[i] = n >= 2 ? hd_unhex(text + 2, st->blobs[i], n / 2) : 0;
	}
	*len = st->blob_bytes[i];
	return (const char *)st->blobs[i];
}

static const char *col_bytes(const struct hd_stmt *hst, int i, size_t *len)
{
	const struct stmt *st = (const struct stmt *)hst;
	const char *text = cell(st, i);

	*len = 0;
	if (!text)
		return NULL;
	if (db_of(st)->pq.ftype(st->res, i) == OID_BYTEA)
		return col_blob((struct stmt *)hst, i, text, len);
	*len = (size_t)db_of(st)->pq.getlength(st->res, st->row, i);
	return text;
}

static void close_db(struct hd_db *hdb)
{
	struct hd_pg *db = of(hdb);

	db->pq.finish(db->conn);
	free(db);
}

const struct hd_backend hd_pg_backend = {
	/* One clock for all statements of it would hide what another writer did while this one waited for the lock. */
	.begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(1751413348, hashtext(current_schema()))",
	/* Engines without that lock have this one. */
	.lock = "SELECT origin FROM chain WHERE is_local = 1 FOR UPDATE",
	.blob_probe = "SELECT CAST(NULL AS blob)", .blob_type = "CREATE DOMAIN blob AS bytea",
	.count_tables = "SELECT COUNT(*), COUNT(CASE WHEN table_name = 'schema_version' THEN 1 END) FROM information_schema.tables "
			"WHERE table_schema = current_schema()",
	.close = close_db, .exec = exec,
	.prepare = prepare, .param_count = param_count, .free_stmt = free_stmt, .reset = reset, .step = step,
	.bind_null = bind_null, .bind_int = bind_int, .bind_double = bind_double, .bind_text = bind_text, .bind_blob = bind_blob,
	.col_count = col_count, .col_name = col_name, .col_kind = col_kind, .col_int = col_int, .col_double = col_double,
	.col_bytes = col_bytes,
};

#endif
