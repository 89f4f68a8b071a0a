/*
 * sqlite.c - the SQLite backend: statements, values, errors
 *
 * sqlite_open.c opens files and restricts what they and the user's statements may do.
 */
#include "db/sqlite.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct stmt {
	struct hd_stmt head;
	sqlite3_stmt *sq;
	int bind_rc;			/* result of the first bind that failed */
	bool running;
	bool in_order;			/* the parameters are $1, $2, ..., each once: value i is parameter i */
};

static struct hd_sqlite *of(struct hd_db *db)
{
	return (struct hd_sqlite *)db;
}

static struct hd_sqlite *db_of(const struct stmt *st)
{
	return (struct hd_sqlite *)st->head.db;
}

int64_t hd_sqlite_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- errors ---- */

/* Report an I/O error.  SQLite does not always store the errno of the failure; then its own error text is used. */
static int fail_io(struct hd_sqlite *db, int rc, struct hd_err *err)
{
	int errnum = sqlite3_system_errno(db->sq);
	const char *what = rc == SQLITE_IOERR_READ || rc == SQLITE_IOERR_SHORT_READ ? "read" : "write";

	if (rc == SQLITE_IOERR_FSYNC || rc == SQLITE_IOERR_DIR_FSYNC)
		db->head.sync_failed = true;
	if (errnum)
		return hd_fail_errno(err, HD_EIO, errnum, "%s: cannot %s", db->head.name, what);
	return hd_fail(err, HD_EIO, "%s: cannot %s: %s", db->head.name, what, sqlite3_errstr(rc));
}

int hd_sqlite_fail(struct hd_sqlite *db, int rc, struct hd_err *err)
{
	const char *name = db->head.name;

	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return hd_fail(err, HD_EIO,
			"%s: locked by another writer for %u ms; try again, or wait longer with --busy-ms", name,
			db->busy_ms);
	case SQLITE_NOMEM:
		/*
		 * Report the text of the error code.  The message of the connection may be that of a later call, if a
		 * bind failed.
		 */
		return hd_fail(err, HD_EIO, "%s: %s", name, sqlite3_errstr(rc));
	case SQLITE_FULL:
		return hd_fail(err, HD_EIO, "%s: no space left", name);
	case SQLITE_IOERR:
		return fail_io(db, rc, err);
	case SQLITE_NOTADB:
		return hd_fail(err, HD_EIO, "%s: not a database", name);
	case SQLITE_CORRUPT:
		/* SQLite returns SQLITE_CORRUPT also if the disk returns EIO. */
		return hd_fail(err, HD_EIO, "%s: the database is damaged or cannot be read: %s", name,
			sqlite3_errmsg(db->sq));
	case SQLITE_READONLY:
		/* If opening for writing fails, SQLite opens for reading and does not store the reason. */
		return hd_fail(err, HD_EIO, access(name, W_OK) < 0 ? "%s: not writable" :
			       "%s: cannot be opened for writing; are there too many open files?", name);
	case SQLITE_CANTOPEN:
		/* If the database file exists, ENOENT comes from opening its journal or WAL file. */
		if (sqlite3_system_errno(db->sq) == ENOENT && access(name, F_OK) == 0)
			return hd_fail(err, HD_EIO, "%s: cannot open the files beside it (-wal, -shm, -journal); "
				       "is the folder writable, are there too many open files?", name);
		return hd_fail_errno(err, HD_EIO, sqlite3_system_errno(db->sq) ? sqlite3_system_errno(db->sq) : EIO,
				     "%s: cannot open", name);
	case SQLITE_INTERRUPT:
		return hd_fail(err, HD_EIO, "%s: a statement took longer than %u ms", name, db->limit_ms);
	default:
		return hd_fail(err, HD_EIO, "%s: %s", name, sqlite3_errmsg(db->sq));
	}
}

/* ---- statements ---- */

static int exec(struct hd_db *hdb, const char *sql, struct hd_err *err)
{
	struct hd_sqlite *db = of(hdb);
	int rc;

	db->deadline_ms = hd_sqlite_now_ms() + db->limit_ms + db->busy_ms;
	rc = sqlite3_exec(db->sq, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : hd_sqlite_fail(db, rc, err);
}

/* Return true if the SQL contains nothing but blanks, comments and semicolons. */
static bool is_empty_sql(sqlite3 *sq, const char *sql)
{
	sqlite3_stmt *st = NULL;
	bool empty;
	int rc;

	rc = sqlite3_prepare_v2(sq, sql, -1, &st, NULL);
	if (rc == SQLITE_NOMEM)
		hd_out_of_memory("sqlite");
	empty = rc == SQLITE_OK && !st;
	sqlite3_finalize(st);
	return empty;
}

/*
 * SQLite treats $1 as a name and searches a list of all names for each one.  Replace $1, $2, ... by `?` if they
 * appear in order, else return NULL.  Only for SQL of this program, which has no $ in string literals.
 */
static char *without_names(const char *sql)
{
	struct hd_buf text = { 0 };
	unsigned long next = 1;

	while (*sql) {
		size_t n = strcspn(sql, "$");

		hd_buf_add(&text, sql, n);
		sql += n;
		if (!*sql)
			break;
		if (strtoul(sql + 1, (char **)&sql, 10) != next++) {
			hd_buf_release(&text);
			return NULL;
		}
		hd_buf_addc(&text, '?');
	}
	return hd_buf_take(&text);
}

static int prepare(struct hd_db *hdb, struct hd_stmt **out, const char *sql, bool user, struct hd_err *err)
{
	struct hd_sqlite *db = of(hdb);
	sqlite3_stmt *sq = NULL;
	char *listed = user ? NULL : hd_db_list_sql(hdb, sql);
	char *plain = user ? NULL : without_names(listed);
	const char *rest = "";
	bool in_order = plain;
	struct stmt *st;
	int rc;

	db->deadline_ms = hd_sqlite_now_ms() + db->limit_ms + db->busy_ms;
	rc = sqlite3_prepare_v2(db->sq, plain ? plain : listed ? listed : sql, -1, &sq, user ? &rest : NULL);
	free(plain);
	free(listed);
	if (user && (rc == SQLITE_ERROR || rc == SQLITE_TOOBIG || rc == SQLITE_AUTH))
		return hd_fail(err, HD_EUSAGE, "SQL: %s%s", sqlite3_errmsg(db->sq),
			       rc == SQLITE_AUTH ? "; a query may only read" : "");
	if (rc != SQLITE_OK)
		return hd_sqlite_fail(db, rc, err);
	if (user && (!sq || !is_empty_sql(db->sq, rest) || !sqlite3_stmt_readonly(sq))) {
		sqlite3_finalize(sq);
		return hd_fail(err, HD_EUSAGE, "SQL: one statement that only reads is wanted%s",
			       !sq ? ", this is none" : *rest ? ", this is more than one" : "");
	}
	st = hd_new(struct stmt);
	st->head.db = hdb;
	st->in_order = in_order;
	st->sq = sq;
	*out = &st->head;
	return 0;
}

static sqlite3_stmt *sq_of(const struct hd_stmt *st)
{
	return ((const struct stmt *)st)->sq;
}

static void reset(struct hd_stmt *hst)
{
	struct stmt *st = (struct stmt *)hst;

	sqlite3_reset(st->sq);
	sqlite3_clear_bindings(st->sq);
	st->running = false;
	st->bind_rc = SQLITE_OK;
	hst->busy = false;
}

static void free_stmt(struct hd_stmt *st)
{
	sqlite3_finalize(sq_of(st));
	free(st);
}

static int step(struct hd_stmt *hst, struct hd_err *err)
{
	struct stmt *st = (struct stmt *)hst;
	struct hd_sqlite *db = db_of(st);
	int rc;

	if (st->bind_rc != SQLITE_OK)
		return hd_sqlite_fail(db, st->bind_rc, err);
	if (!st->running) {
		db->deadline_ms = hd_sqlite_now_ms() + db->limit_ms;
		db->head.round_trips++;
	}
	st->running = true;
	rc = sqlite3_step(st->sq);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return hd_sqlite_fail(db, rc, err);
}

static int perform(struct hd_stmt *st, struct hd_err *err)
{
	int rc;

	while ((rc = step(st, err)) > 0)
		;
	return rc;
}

static int param_count(const struct hd_stmt *st)
{
	return sqlite3_bind_parameter_count(sq_of(st));
}

/* Return the index of parameter $i, which SQLite treats as a name.  A user may also write `?`. */
static int parameter(const struct stmt *st, int i)
{
	char name[16];
	int at;

	if (st->in_order)
		return i;
	snprintf(name, sizeof(name), "$%d", i);
	at = sqlite3_bind_parameter_index(st->sq, name);
	return at ? at : i;
}

static void bound(struct stmt *st, int rc)
{
	if (st->bind_rc == SQLITE_OK)
		st->bind_rc = rc;
}

static void bind_null(struct hd_stmt *st, int i)
{
	bound((struct stmt *)st, sqlite3_bind_null(sq_of(st), parameter((struct stmt *)st, i)));
}

static void bind_int(struct hd_stmt *st, int i, int64_t v)
{
	bound((struct stmt *)st, sqlite3_bind_int64(sq_of(st), parameter((struct stmt *)st, i), v));
}

static void bind_double(struct hd_stmt *st, int i, double v)
{
	bound((struct stmt *)st, sqlite3_bind_double(sq_of(st), parameter((struct stmt *)st, i), v));
}

static void bind_text(struct hd_stmt *st, int i, const char *s, size_t n)
{
	bound((struct stmt *)st,
		sqlite3_bind_text64(sq_of(st), parameter((struct stmt *)st, i), s, n, SQLITE_TRANSIENT, SQLITE_UTF8));
}

static void bind_blob(struct hd_stmt *st, int i, const void *p, size_t n)
{
	bound((struct stmt *)st,
		sqlite3_bind_blob64(sq_of(st), parameter((struct stmt *)st, i), n ? p : "", n, SQLITE_TRANSIENT));
}

static int col_count(const struct hd_stmt *st)
{
	return sqlite3_column_count(sq_of(st));
}

static const char *col_name(const struct hd_stmt *st, int i)
{
	const char *name = sqlite3_column_name(sq_of(st), i);

	return name ? name : "";
}

static enum hd_col_kind col_kind(const struct hd_stmt *st, int i)
{
	switch (sqlite3_column_type(sq_of(st), i)) {
	case SQLITE_INTEGER: return HD_COL_INT;
	case SQLITE_FLOAT: return HD_COL_DOUBLE;
	case SQLITE_TEXT: return HD_COL_TEXT;
	case SQLITE_BLOB: return HD_COL_BLOB;
	default: return HD_COL_NULL;
	}
}

static int64_t col_int(const struct hd_stmt *st, int i)
{
	return sqlite3_column_int64(sq_of(st), i);
}

static double col_double(const struct hd_stmt *st, int i)
{
	return sqlite3_column_double(sq_of(st), i);
}

static const char *col_bytes(const struct hd_stmt *st, int i, size_t *len)
{
	int type = sqlite3_column_type(sq_of(st), i);
	const char *p;

	*len = 0;
	if (type == SQLITE_NULL)
		return NULL;
	p = type == SQLITE_BLOB ? sqlite3_column_blob(sq_of(st), i) : (const char *)sqlite3_column_text(sq_of(st), i);
	*len = (size_t)sqlite3_column_bytes(sq_of(st), i);
	if (!p && sqlite3_errcode(db_of((const struct stmt *)st)->sq) == SQLITE_NOMEM)
		hd_out_of_memory("sqlite");
	return p ? p : "";		/* for an empty BLOB, SQLite returns NULL */
}

static void close_db(struct hd_db *db)
{
	if (of(db)->sq)
		sqlite3_busy_handler(of(db)->sq, NULL, NULL);	/* the handler uses head.name, which is freed already */
	sqlite3_close_v2(of(db)->sq);
	free(of(db)->wal);
	free(db);
}

static int begin(struct hd_db *db, bool writing, struct hd_err *err)
{
	return exec(db, writing ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

const struct hd_backend hd_sqlite_backend = {
	.begin = begin, .dialect = "SQLite",
	.list_begin = "IN (SELECT value FROM json_each(", .list_end = "))", .list_braces = "[]",
	.count_tables = "SELECT COUNT(*), SUM(name = 'schema_version') FROM sqlite_master WHERE type = 'table'",
	.complete = hd_sqlite_complete, .check = hd_sqlite_check,
	.check_types = hd_sqlite_check_types, .check_storage = hd_sqlite_check_storage,
	.check_references = hd_sqlite_check_references,
	.close = close_db, .exec = exec,
	.prepare = prepare, .param_count = param_count, .free_stmt = free_stmt, .reset = reset, .step = step,
	.perform = perform,
	.bind_null = bind_null, .bind_int = bind_int, .bind_double = bind_double, .bind_text = bind_text,
	.bind_blob = bind_blob,
	.col_count = col_count, .col_name = col_name, .col_kind = col_kind, .col_int = col_int,
	.col_double = col_double,
	.col_bytes = col_bytes,
};
