/*
 * db.h - run SQL on an SQLite file or a PostgreSQL server
 *
 * SQL contains $1, $2, ... for values, which are always bound and never part of the text.  A value is one letter of
 * `types` and its arguments:
 *
 *     i  int64_t                      d  double; NaN is NULL
 *     o  int64_t; below 0 is NULL     n  no argument; NULL
 *     t  const char *; NULL is NULL   b  const void *, size_t: a BLOB; NULL is NULL
 *     l  const int64_t *, size_t: a list of numbers, for `id IN [$1]`
 *     v  const char *: a name, which takes two values: its visible form (base/encode.h) as TEXT, and its bytes as a
 *        BLOB if they differ from that form, else NULL.  NULL is two NULLs.
 *
 *     struct hd_db_rows r;
 *     rc = hd_db_query(&r, db, err, "SELECT id FROM run WHERE run_id = $1", "t", id);
 *     while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
 *             use(hd_col_int(&r, 0));
 *     hd_db_end(&r);
 *
 * `sql` must be a string literal (but see hd_db_query_text()): the prepared statement is cached under its address, and
 * only one query per literal may be running.  The file may be hostile, so a column may hold another type than its
 * schema says: a text read as an integer is converted (0 if it is not a number), and a text may contain any byte.
 *
 * A connection is not thread-safe.  The backends are sqlite.c and pg.c (backend.h).
 */
#ifndef HD_DB_DB_H
#define HD_DB_DB_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_db_mode {
	HD_DB_READ,	/* statements of this program that only read */
	HD_DB_WRITE,	/* creates the file if it does not exist */
	/* statements of the user: they may only read, within a limit of time and, with a file, of memory */
	HD_DB_QUERY,
};

struct hd_db_opts {
	const char *url;	/* a path, or postgresql://... or postgres://...; NULL: HD_DB_DEFAULT */
	enum hd_db_mode mode;
	/*
	 * With a file, how long a writer waits while no other writer makes progress; it waits 20 times as long at most.
	 * With a server, how long a statement waits for a lock.  0: HD_DB_BUSY_MS
	 */
	unsigned busy_ms;
	/* time limit of one statement, to which a server adds busy_ms; 0: HD_DB_LIMIT_MS */
	unsigned limit_ms;
	/* create the folder of a new file if it is opened for writing; this is always done if url is NULL */
	bool make_folder;
};

#define HD_DB_DEFAULT "results/hotspots.db"
enum { HD_DB_BUSY_MS = 5000, HD_DB_LIMIT_MS = 10000 };

struct hd_db;
struct hd_stmt;

/* Open a database, which the caller closes.  Returns HD_EIO if it cannot be opened, HD_EUSAGE if the url is invalid. */
int hd_db_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err);
/*
 * Return 0 if PostgreSQL servers can be used, that is, if hotdrift was built with libpq and libpq can be loaded now.
 * Otherwise HD_EIO with the reason.
 */
int hd_db_server_available(struct hd_err *err);
void hd_db_close(struct hd_db *db);			/* accepts NULL; rolls back an open transaction */
const char *hd_db_name(const struct hd_db *db);		/* for messages: the path, or the URL without its password */

/* Run SQL without values; it may contain several statements. */
int hd_db_exec(struct hd_db *db, const char *sql, struct hd_err *err);

/*
 * Begin a transaction and take the write lock, waiting for it as hd_db_opts.busy_ms describes.  With a server, the
 * request for the lock is only sent; a failure is reported by the next call that waits for a result.
 */
int hd_db_begin(struct hd_db *db, struct hd_err *err);
/* Commit the transaction; if that fails, roll it back (but see hd_db_in_doubt). */
int hd_db_commit(struct hd_db *db, struct hd_err *err);
/*
 * Return true if the last transaction that wrote failed in a sync, or while waiting for the server to confirm it.
 * If its commit failed, it may then turn out to be committed when the database is opened again.
 */
bool hd_db_in_doubt(const struct hd_db *db);
void hd_db_rollback(struct hd_db *db);			/* does nothing outside of a transaction */
/*
 * Begin a transaction that only reads and sees one state of the database, although others write; end it with
 * hd_db_rollback().  Returns 1; 0 if a transaction is open already, which the caller must not end.
 */
int hd_db_begin_reading(struct hd_db *db, struct hd_err *err);

/* Check that the schema is the one that the schema files create.  Returns HD_ENO with the first difference. */
int hd_db_check(struct hd_db *db, struct hd_err *err);
/*
 * Check that each value has the type that the schema declares for its column, and that no text has a NUL byte.  This
 * reads each table once.  only: the table to check, NULL for all; except: a table to skip, or NULL.  Returns HD_ENO
 * with the name of a column if not.  A server enforces this itself.
 */
int hd_db_check_types(struct hd_db *db, const char *only, const char *except, struct hd_err *err);
/* Check that SQLite finds no damage in the whole file.  Returns HD_ENO if it does.  With a server, does nothing. */
int hd_db_check_storage(struct hd_db *db, struct hd_err *err);
/* Check that every reference leads to a row.  Returns HD_ENO if not.  A server enforces this itself. */
int hd_db_check_references(struct hd_db *db, struct hd_err *err);

/*
 * Run a statement and discard its rows.  In a transaction on a server, a later call may report its failure, at the
 * latest hd_db_commit().
 */
int hd_db_do(struct hd_db *db, struct hd_err *err, const char *sql, const char *types, ...);

/*
 * With `on`, the caller promises that, until this is switched off, no statement of hd_db_do() depends on another one,
 * and no two change the same row.  A server may then execute them as one statement.  On a server, the begin of a
 * transaction switches this off.
 */
void hd_db_set_independent(struct hd_db *db, bool on);

struct hd_db_rows {
	struct hd_stmt *stmt;	/* NULL: not started, or ended */
};

/*
 * Run a statement with n numbers as its first values (a number below 0 is NULL).  The other values are the columns
 * `column` and following of `row`, a row of another database, and are copied unchanged.
 */
int hd_db_do_copy(struct hd_db *db, struct hd_err *err, const char *sql, const int64_t *numbers, int n,
	const struct hd_db_rows *row, int column);

/*
 * Start a query.  hd_db_next() gets its rows; hd_db_end() must be called, also after an error.  A PostgreSQL server
 * gets up to 64 queries that were started before the first hd_db_next() as one statement: they cost one round trip, see
 * the same state of the database, and fail together.
 */
int hd_db_query(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql, const char *types, ...);
/* Like hd_db_query(), without values.  The statement is not cached, so `sql` may be any string. */
int hd_db_query_text(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql);
/*
 * Start a statement of the user with n texts as values.  The statement is not cached, so `sql` may be any string.
 * HD_EUSAGE: the SQL is invalid, has several statements or writes, or n is not the number of its parameters.
 */
int hd_db_query_user(struct hd_db_rows *r, struct hd_db *db, const char *sql, char *const *values, int n,
	struct hd_err *err);
/* returns 1 if there is a row, 0 at the end, < 0 on error */
int hd_db_next(struct hd_db_rows *r, struct hd_err *err);
void hd_db_end(struct hd_db_rows *r);				/* accepts rows that are not started or ended */

/*
 * Start a query on n texts.  `sql` ends in IN; the list "($1, $2, ...)" is appended to it.  n is 1 to HD_DB_LIST_MAX;
 * queries with hd_db_list_size() texts are the fastest.
 */
int hd_db_query_list(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql,
	const char *const *texts, size_t n);
enum { HD_DB_LIST_MAX = 500 };
/* Return the number of texts for which a query is fastest; 1 if a query costs no round trip. */
size_t hd_db_list_size(const struct hd_db *db);
/*
 * Return how many items one statement should read: `most`, or 1 if a statement costs no round trip.  Small portions
 * take less memory.
 */
size_t hd_db_portion(const struct hd_db *db, size_t most);

/*
 * Insert many rows into one table.  A server gets many rows in one INSERT, so a later call may report a failure: at the
 * latest hd_db_commit() or, outside of a transaction, hd_db_bulk_end().
 *
 *     struct hd_db_bulk m = hd_db_bulk_into(db, "INSERT INTO dropped (run_id, ordinal, reason, samples)");
 *     rc = hd_db_bulk_add(&m, err, "iiti", run, i, reason, samples);	for each row
 *     rc = hd_db_bulk_end(&m, rc, err);
 */
struct hd_db_bulk {
	struct hd_db *db;
	const char *insert;
	int columns;
	struct hd_stmt *stmt;
	unsigned rows;		/* number of added rows that were not sent yet */
};

/*
 * insert: a string literal.  The prepared statement is cached under its address, so only one bulk insert with it may be
 * open at a time.  It must have commas between its columns only, because they are counted.
 */
struct hd_db_bulk hd_db_bulk_into(struct hd_db *db, const char *insert);
int hd_db_bulk_add(struct hd_db_bulk *m, struct hd_err *err, const char *types, ...);
/* Add a row as hd_db_do_copy() does. */
int hd_db_bulk_copy(struct hd_db_bulk *m, struct hd_err *err, const int64_t *numbers, int n,
	const struct hd_db_rows *row, int column);
/*
 * Send the remaining rows, or discard them if rc < 0.  Must be called in any case.  Returns rc if it is < 0; otherwise
 * 0, or < 0 if the rows cannot be inserted.
 */
int hd_db_bulk_end(struct hd_db_bulk *m, int rc, struct hd_err *err);

/*
 * Return how often the program waited for the engine.  With SQLite, it waits once per statement; SQL of hd_db_exec() is
 * not counted.  With a server, it waits once per round trip over the network, which executes all statements that were
 * started before.
 */
uint64_t hd_db_round_trips(const struct hd_db *db);

/* Set *out to the first column of the first row; to `none` if there is no row or the column is NULL. */
int hd_db_query_int(struct hd_db *db, int64_t *out, int64_t none, struct hd_err *err, const char *sql,
	const char *types, ...);

enum hd_col_kind { HD_COL_NULL, HD_COL_INT, HD_COL_DOUBLE, HD_COL_TEXT, HD_COL_BLOB };

/* Functions for the columns of the current row; i counts from 0. */
int hd_col_count(const struct hd_db_rows *r);
const char *hd_col_name(const struct hd_db_rows *r, int i);
enum hd_col_kind hd_col_kind(const struct hd_db_rows *r, int i);
int64_t hd_col_int(const struct hd_db_rows *r, int i);
double hd_col_double(const struct hd_db_rows *r, int i);
/* Return the bytes of a TEXT or BLOB, borrowed until the next row; NULL for NULL.  A TEXT is NUL-terminated. */
const char *hd_col_bytes(const struct hd_db_rows *r, int i, size_t *len);
/* Copy a TEXT up to its first NUL; NULL for NULL.  The caller frees the copy. */
char *hd_col_text(const struct hd_db_rows *r, int i);
/*
 * Copy the bytes of a name from columns i (visible form) and i + 1 (bytes); NULL for NULL.  The caller frees the
 * copy.
 */
char *hd_col_raw_name(const struct hd_db_rows *r, int i);

#endif
