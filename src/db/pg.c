/*
 * pg.c - the PostgreSQL backend: statements and errors
 *
 * The first execution of a statement sends its SQL and its values in one message.  The second one prepares it under
 * a name, so that the server caches its plan.  Results are fetched whole; only those of a statement of the user
 * come row by row.  pg_values.c has values and columns, pg_open.c the connection.
 *
 * Protocol and library: https://www.postgresql.org/docs/current/libpq.html
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hd_pg *of(struct hd_db *db)
{
	return (struct hd_pg *)db;
}

/* ---- what went wrong ---- */

/* Report the first line of a message, without its severity. */
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
		return hd_fail(err, HD_EIO,
			"%s: locked by another writer for %u ms; try again, or wait longer with --busy-ms", name,
			db->busy_ms);
	if (!strcmp(state, "57014"))
		return hd_fail(err, HD_EIO, "%s: a statement took longer than %u ms", name, db->limit_ms);
	if (!strcmp(state, "53100"))
		return hd_fail(err, HD_EIO, "%s: no space left on the server", name);
	if (!strcmp(state, "42501"))
		return fail_with(name, text, HD_EIO, err); /* a missing privilege: not a fault of the SQL */
	if (user && !strncmp(state, "25", 2))
		return hd_fail(err, HD_EUSAGE, "SQL: %.*s; a query may only read", (int)strcspn(text, "\n"), text);
	if (user &&
		(!strncmp(state, "42", 2) || !strncmp(state, "22", 2) || !strncmp(state, "0A", 2) ||
			!strncmp(state, "54", 2)))
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
		/* The connection is lost: the transaction did not happen, unless it was being committed. */
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

	db->head.round_trips++;
	if (is != PGRES_COMMAND_OK && is != PGRES_TUPLES_OK)
		return hd_pg_fail(db, res, false, err);
	db->pq.clear(res);
	return 0;
}

/* COMMIT of a failed transaction rolls it back and succeeds; only its command tag shows that. */
static int commit(struct hd_pg *db, struct hd_err *err)
{
	PGresult *res;
	int rc = 0;

	db->committing = true;
	db->head.round_trips++;
	res = db->pq.exec(db->conn, "COMMIT");
	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK) {
		rc = hd_pg_fail(db, res, false, err);
	} else {
		if (strcmp(db->pq.cmdStatus(res), "COMMIT"))
			rc = hd_fail(err, HD_EIO, "%s: the transaction failed and was rolled back", db->head.name);
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

/* The rest of a result that comes row by row must be read before the next statement. */
static void take_rest(struct hd_pg_stmt *st)
{
	struct hd_pg *db = hd_pg_of(st);
	PGresult *res;

	if (!st->user || st->row < 0)
		return;
	while ((res = db->pq.getResult(db->conn)))
		db->pq.clear(res);
}

static void reset(struct hd_stmt *hst)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;

	hd_pg_clear_blobs(st);
	hd_pg_clear_values(st);
	hd_pg_of(st)->pq.clear(st->res);
	st->res = NULL;
	take_rest(st);
	st->row = -1;
	hst->busy = false;
}

static void free_stmt(struct hd_stmt *hst)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;

	reset(hst);
	hd_pg_of(st)->pq.clear(st->shape);
	free(st->values);
	free(st->text);
	free(st);
}

/* Get the number of parameters and the columns of a statement of the user, and reject it if it has no columns. */
static int describe(struct hd_pg *db, struct hd_pg_stmt *st, struct hd_err *err)
{
	PGresult *res = db->pq.describePrepared(db->conn, st->name);

	db->head.round_trips++;
	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK)
		return hd_pg_fail(db, res, true, err);
	st->shape = res;
	st->nparams = db->pq.nparams(res);
	if (!db->pq.nfields(res))
		return hd_fail(err, HD_EUSAGE, "SQL: one statement that only reads is wanted; a query may only read");
	return 0;
}

static struct hd_pg_stmt *new_stmt(struct hd_db *db)
{
	struct hd_pg_stmt *st = hd_new(struct hd_pg_stmt);

	st->head.db = db;
	st->row = -1;
	return st;
}

static int prepare_named(struct hd_pg *db, struct hd_pg_stmt *st, const char *sql, struct hd_err *err)
{
	PGresult *res;

	snprintf(st->name, sizeof(st->name), "hd%u", db->nstatements++);
	db->head.round_trips++;
	res = db->pq.prepare(db->conn, st->name, sql, 0, NULL);
	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK)
		return hd_pg_fail(db, res, st->user, err);
	db->pq.clear(res);
	return 0;
}

static int prepare(struct hd_db *hdb, struct hd_stmt **out, const char *sql, bool user, struct hd_err *err)
{
	struct hd_pg *db = of(hdb);
	struct hd_pg_stmt *st;
	int rc;

	/* SQL can switch a read-only session to writing, but not a transaction that was begun as read-only. */
	rc = user ? hd_pg_exec(db, "ROLLBACK; BEGIN TRANSACTION READ ONLY", err) : 0;
	if (rc < 0)
		return rc;
	st = new_stmt(hdb);
	st->user = user;
	if (user) {
		rc = prepare_named(db, st, sql, err);
		if (rc >= 0)
			rc = describe(db, st, err);
	} else {
		st->text = hd_strdup(sql);
	}
	if (rc < 0)
		free_stmt(&st->head);
	else
		*out = &st->head;
	return rc;
}

static int collect(struct hd_db *hdb, struct hd_stmt **out, struct hd_err *err)
{
	(void)err;
	*out = &new_stmt(hdb)->head;
	return 0;
}

static void set_sql(struct hd_stmt *hst, char *sql)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;

	free(st->text);
	st->text = sql;
	st->executed = false;
}

static int param_count(const struct hd_stmt *st)
{
	return ((const struct hd_pg_stmt *)st)->nparams;
}

/* ---- rows ---- */

static int send_user(struct hd_pg *db, struct hd_pg_stmt *st, const char *const *values, const int *lengths,
	const int *formats)
{
	return db->pq.sendQueryPrepared(db->conn, st->name, st->nvalues, values, lengths, formats, 0) &&
	       db->pq.setSingleRowMode(db->conn);
}

static PGresult *send_own(struct hd_pg *db, struct hd_pg_stmt *st, const char *const *values, const int *lengths,
	const int *formats)
{
	if (st->text) {
		st->executed = true;
		return db->pq.execParams(db->conn, st->text, st->nvalues, NULL, values, lengths, formats, 0);
	}
	return db->pq.execPrepared(db->conn, st->name, st->nvalues, values, lengths, formats, 0);
}

static int run(struct hd_pg *db, struct hd_pg_stmt *st, struct hd_err *err)
{
	const char **values = hd_new_array(const char *, st->nvalues + 1);
	int *lengths = hd_new_array(int, st->nvalues + 1), *formats = hd_new_array(int, st->nvalues + 1), rc = 0;

	if (st->text && st->executed) {
		rc = prepare_named(db, st, st->text, err);
		if (rc >= 0) {
			free(st->text);
			st->text = NULL;
		}
	}
	db->head.round_trips++;
	for (int i = 0; i < st->nvalues; i++) {
		if (st->values[i].n > INT32_MAX)
			rc = hd_fail(err, HD_EIO, "%s: a value of %zu bytes is too large for the server", db->head.name,
				st->values[i].n);
		values[i] = st->values[i].bytes;
		lengths[i] = (int)st->values[i].n;
		formats[i] = st->values[i].binary;
	}
	if (rc < 0)
		;
	else if (!st->user)
		st->res = send_own(db, st, values, lengths, formats);
	else if (!send_user(db, st, values, lengths, formats))
		rc = hd_pg_fail(db, NULL, true, err);
	free(values);
	free(lengths);
	free(formats);
	hd_pg_clear_values(st);
	return rc;
}

/* Execute the statement, or go to the next row. */
static int step(struct hd_stmt *hst, struct hd_err *err)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;
	struct hd_pg *db = hd_pg_of(st);
	int rc;

	hd_pg_clear_blobs(st);
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

static void close_db(struct hd_db *hdb)
{
	struct hd_pg *db = of(hdb);

	db->pq.finish(db->conn);
	free(db);
}

const struct hd_backend hd_pg_backend = {
	.rows_at_once = 500, /* with 11 columns, a tenth of the values that one statement may have */
	/*
	 * With one snapshot for the whole transaction, the writes that happened while it waited for the lock would
	 * be hidden.
	 */
	.begin =
		"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(1751413348, "
		"hashtext(current_schema()))",
	.begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	/* A table row that writers lock, for servers that speak the protocol but ignore advisory locks. */
	.lock = "SELECT origin FROM chain WHERE is_local = 1 FOR UPDATE",
	.blob_probe = "SELECT CAST(NULL AS blob)",
	.blob_type = "CREATE DOMAIN blob AS bytea",
	.count_tables =
		"SELECT COUNT(*), COUNT(CASE WHEN table_name = 'schema_version' THEN 1 END) FROM "
		"information_schema.tables WHERE table_schema = current_schema()",
	.check = hd_pg_check,
	.close = close_db,
	.exec = exec,
	.prepare = prepare,
	.collect = collect,
	.set_sql = set_sql,
	.param_count = param_count,
	.free_stmt = free_stmt,
	.reset = reset,
	.step = step,
	.bind_null = hd_pg_bind_null,
	.bind_int = hd_pg_bind_int,
	.bind_double = hd_pg_bind_double,
	.bind_text = hd_pg_bind_text,
	.bind_blob = hd_pg_bind_blob,
	.col_count = hd_pg_col_count,
	.col_name = hd_pg_col_name,
	.col_kind = hd_pg_col_kind,
	.col_int = hd_pg_col_int,
	.col_double = hd_pg_col_double,
	.col_bytes = hd_pg_col_bytes,
};

#endif
