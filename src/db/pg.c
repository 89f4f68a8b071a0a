/*
 * pg.c - the PostgreSQL backend: statements and errors
 *
 * A statement is sent with its SQL and values in one message, without waiting for its result (pg_pipeline.c), and
 * together with others if that is possible (pg_combine.c, pg_records.c).  Results are fetched whole; only those of a
 * statement of the user come row by row.  pg_values.c has values and columns, pg_open.c the connection.
 *
 * Statements of the program are never prepared under a name, and settings apply to one transaction only, so that a
 * connection pool may give each transaction another connection of the server.
 *
 * Protocol and library: https://www.postgresql.org/docs/current/libpq.html
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/mem.h"
#include "db/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hd_pg *of(struct hd_db *db)
{
	return (struct hd_pg *)db;
}

/* ---- errors ---- */

/* Set `err` to the first line of a message of the server, without its severity (such as "ERROR:"). */
static int fail_with(const char *name, const char *text, enum hd_code code, struct hd_err *err)
{
	const char *colon = strstr(text, ":  ");
	const char *start = colon && (size_t)(colon - text) < 12 ? colon + 3 : text;
	int n = (int)strcspn(start, "\n");

	return n ? hd_fail(err, code, "%s: %.*s", name, n, start) : hd_fail(err, code, "%s: no reason given", name);
}

/*
 * Set `err` to the error with the code `state` (SQLSTATE).  If the code means so, also set met_writer, lacks_object or
 * lacks_partition of `db`.  user: the statement is one of the user.
 * Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
static int fail_state(struct hd_pg *db, const char *state, const char *text, bool user, struct hd_err *err)
{
	const char *name = db->head.name;

	/*
	 * These codes mean: a deadlock, a serialization failure, a key that another writer inserted, or a reference to
	 * the row that would have been inserted for such a key.
	 */
	if (strstr("40P01 40001 23505 23503", state))
		db->head.met_writer = true;
	if (strstr("42P01 42703", state))	/* an unknown table or column */
		db->head.lacks_object = true;
	if (!strcmp(state, "23514"))		/* no partition for a row; no table has a CHECK */
		db->head.lacks_partition = true;
	if (!strcmp(state, "40P01") || !strcmp(state, "40001"))
		return hd_db_fail_met_writer(&db->head, err);
	if (!strcmp(state, "55P03"))
		return hd_fail(err, HD_EIO,
			"%s: locked by another writer for %u ms; try again, or wait longer with --busy-ms", name,
			db->head.busy_ms);
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

	/* If the connection is lost, the transaction is not committed, unless COMMIT was sent already. */
	if (db->committing && (!state || !strncmp(state, "57P", 3)))
		db->head.sync_failed = true;
	if (state && text) {
		rc = fail_state(db, state, text, user, err);
	} else {
		rc = fail_with(db->head.name, db->pq.errorMessage(db->conn), HD_EIO, err);
	}
	db->pq.clear(res);
	return rc;
}

/* ---- transactions ---- */

int hd_pg_exec(struct hd_pg *db, const char *sql, struct hd_err *err)
{
	PGresult *res;
	ExecStatusType is;
	int rc = hd_pg_begin_outside(db, false, err);

	if (rc >= 0)
		rc = hd_pg_leave_pipeline(db, err);
	if (rc < 0)
		return rc;
	res = db->pq.exec(db->conn, sql);
	is = res ? db->pq.resultStatus(res) : PGRES_FATAL_ERROR;
	db->head.round_trips++;
	if (is != PGRES_COMMAND_OK && is != PGRES_TUPLES_OK)
		return hd_pg_fail(db, res, false, err);
	db->pq.clear(res);
	return 0;
}

/*
 * COMMIT is sent together with the statements whose results were not awaited yet.  If one of them fails, the server
 * does not execute COMMIT.  If the transaction had failed before, COMMIT rolls it back but reports no error; only the
 * command tag in the result shows this.
 */
static int commit(struct hd_pg *db, struct hd_err *err)
{
	int rc;

	db->committing = true;
	rc = hd_pg_send(db, "COMMIT", err);
	if (rc >= 0)
		rc = hd_pg_receive(db, err);
	db->committing = false;
	if (rc >= 0 && strcmp(db->tag, "COMMIT"))
		rc = hd_fail(err, HD_EIO, "%s: the transaction failed and was rolled back", db->head.name);
	return rc;
}

static int rollback(struct hd_pg *db, struct hd_err *err)
{
	int rc;

	hd_pg_receive(db, NULL);	/* ignore the errors of statements that ROLLBACK undoes */
	db->reading = false;
	rc = hd_pg_send(db, "ROLLBACK", err);
	return rc < 0 ? rc : hd_pg_receive(db, err);
}

static int exec(struct hd_db *hdb, const char *sql, struct hd_err *err)
{
	struct hd_pg *db = of(hdb);

	if (!strcmp(sql, "COMMIT"))
		return commit(db, err);
	if (!strcmp(sql, "ROLLBACK"))
		return rollback(db, err);
	return hd_pg_exec(db, sql, err);
}

/* ---- statements ---- */

/*
 * The rows of a statement of the user are fetched one by one.  Read and drop those that remain, which must be done
 * before the next statement is sent.
 */
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
	hd_pg_results_leave(st);
	hd_pg_forget(st);
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
	free(st->cells);
	hd_buf_release(&st->record);
	free(st->text);
	free(st);
}

/* Get the number of parameters and the columns of a statement of the user, and reject it if it has no columns. */
static int describe(struct hd_pg *db, struct hd_pg_stmt *st, struct hd_err *err)
{
	PGresult *res = db->pq.describePrepared(db->conn, "");

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

/* Prepare a statement of the user as the unnamed statement of a new read-only transaction. */
static int prepare_user(struct hd_pg *db, struct hd_pg_stmt *st, const char *sql, struct hd_err *err)
{
	PGresult *res;
	int rc = hd_pg_begin(&db->head, false, err);

	if (rc >= 0)
		rc = hd_pg_leave_pipeline(db, err);
	if (rc < 0)
		return rc;
	db->head.round_trips++;
	res = db->pq.prepare(db->conn, "", sql, 0, NULL);
	if (!res || db->pq.resultStatus(res) != PGRES_COMMAND_OK)
		return hd_pg_fail(db, res, true, err);
	db->pq.clear(res);
	return describe(db, st, err);
}

static int prepare(struct hd_db *hdb, struct hd_stmt **out, const char *sql, bool user, struct hd_err *err)
{
	struct hd_pg_stmt *st = new_stmt(hdb);
	int rc = 0;

	st->user = user;
	if (user)
		rc = prepare_user(of(hdb), st, sql, err);
	else
		st->text = hd_db_list_sql(hdb, sql);
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
}

static int param_count(const struct hd_stmt *st)
{
	return ((const struct hd_pg_stmt *)st)->nparams;
}

/* ---- rows ---- */

static int send_user(struct hd_pg_stmt *st, struct hd_err *err)
{
	struct hd_pg *db = hd_pg_of(st);
	const char **values = hd_new_array(const char *, st->nvalues + 1);
	int sent;

	for (int i = 0; i < st->nvalues; i++)
		values[i] = st->values[i].bytes;
	db->head.round_trips++;
	sent = db->pq.sendQueryPrepared(db->conn, "", st->nvalues, values, NULL, NULL, 0) &&
	       db->pq.setSingleRowMode(db->conn);
	free(values);
	return sent ? 0 : hd_pg_fail(db, NULL, true, err);
}

/* Get the next row of a statement of the user.  Returns as step() does. */
static int step_user(struct hd_pg_stmt *st, struct hd_err *err)
{
	struct hd_pg *db = hd_pg_of(st);
	ExecStatusType is;
	int rc = st->row < 0 ? send_user(st, err) : 0;

	if (rc < 0)
		return rc;
	st->row = 0;
	db->pq.clear(st->res);
	st->res = db->pq.getResult(db->conn);
	is = st->res ? db->pq.resultStatus(st->res) : PGRES_FATAL_ERROR;
	if (is == PGRES_COMMAND_OK || is == PGRES_TUPLES_OK || is == PGRES_SINGLE_TUPLE)
		return db->pq.ntuples(st->res) > 0;
	rc = hd_pg_fail(db, st->res, true, err);
	st->res = NULL;
	return rc;
}

static bool has_result(const struct hd_pg_stmt *st)
{
	return st->res || st->shared;
}

static int row_count(const struct hd_pg_stmt *st)
{
	return st->shared ? st->shared->first[st->part + 1] - st->shared->first[st->part]
			  : hd_pg_of(st)->pq.ntuples(st->res);
}

/* Go to the next row of the result, which the first call waits for.  Returns 1; 0 after the last row; < 0 on error. */
static int step(struct hd_stmt *hst, struct hd_err *err)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;
	struct hd_pg *db = hd_pg_of(st);
	int rc = 0;

	hd_pg_clear_blobs(st);
	if (st->user)
		return step_user(st, err);
	if (st->row < 0) {
		if (!has_result(st) && !st->sent)
			rc = hd_pg_send_stmt(st, true, err);
		if (rc >= 0 && !has_result(st))
			rc = hd_pg_receive(db, err);
		if (rc >= 0 && !has_result(st))
			rc = hd_fail(err, HD_EIO, "%s: a statement before this one failed", db->head.name);
		if (rc < 0)
			return rc;
	}
	if (st->row + 1 >= row_count(st))
		return 0;
	st->row++;
	return st->shared ? hd_pg_read_record(st, err) : 1;
}

/* Send a query before its first row is read, so that the server works on several queries at once. */
static int start(struct hd_stmt *hst, struct hd_err *err)
{
	struct hd_pg_stmt *st = (struct hd_pg_stmt *)hst;

	return st->user ? 0 : hd_pg_send_stmt(st, true, err);
}

/* In a transaction, the failure of this statement is reported by a later call, at the latest by that of COMMIT. */
static int perform(struct hd_stmt *hst, struct hd_err *err)
{
	int rc = hd_pg_send_stmt((struct hd_pg_stmt *)hst, false, err);

	return rc < 0 || hst->db->in_transaction ? rc : hd_pg_receive(of(hst->db), err);
}

static void close_db(struct hd_db *hdb)
{
	struct hd_pg *db = of(hdb);

	db->pq.finish(db->conn);
	hd_pg_combine_free(db);
	free(db->sent);
	free(db->url);
	free(db);
}

const struct hd_backend hd_pg_backend = {
	/* a statement may have 65,535 values, so 500 rows may have up to 131 columns */
	.rows_at_once = 500,
	.begin = hd_pg_begin, .begin_beside = hd_pg_begin_beside, .dialect = "PostgreSQL",
	.list_begin = "= ANY (CAST(", .list_end = " AS BIGINT[]))", .list_braces = "{}",
	.blob_probe = "SELECT CAST(NULL AS blob)",
	.blob_type = "CREATE DOMAIN blob AS bytea",
	.count_tables =
		"SELECT COUNT(*), COUNT(CASE WHEN table_name = 'schema_version' THEN 1 END) FROM "
		"information_schema.tables WHERE table_schema = current_schema()",
	.check = hd_pg_check,
	.export_snapshot = hd_pg_export_snapshot, .open_snapshot = hd_pg_open_snapshot,
	.close = close_db,
	.exec = exec,
	.prepare = prepare,
	.collect = collect,
	.set_sql = set_sql,
	.param_count = param_count,
	.free_stmt = free_stmt,
	.reset = reset,
	.step = step,
	.start = start,
	.perform = perform,
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
