/*
 * db.h - the one door to a database, whichever it is
 *
 * SQL with $1, $2, ... for values; values are always bound, never part of the text.
 * A value is one letter of `types` and one or two arguments:
 *
 *     i  int64_t                      d  double, NaN is NULL
 *     o  int64_t, below 0 is NULL
 *     t  const char *, NULL is NULL   n  (no argument) NULL
 *     b  const void *, size_t: a BLOB; NULL is NULL
 *     v  const char *: a name.  Two values: its visible form V as TEXT, and its
 *        bytes as a BLOB when they differ, else NULL.  NULL is two NULLs.
 *
 *     struct hd_db_rows r;
 *     rc = hd_db_query(&r, db, err, "SELECT id FROM run WHERE run_id = $1", "t", id);
 *     while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
 *             use(hd_col_int(&r, 0));
 *     hd_db_end(&r);
 *
 * Statements are kept for the next time the same literal is used; of one literal
 * only one may be running.  What a column holds is what the file says, and the file may be
 * hostile: an integer read from text is 0, a text may hold any byte.
 *
 * SQLite is sqlite.c, a PostgreSQL server pg.c.  A backend is a row of struct hd_backend (backend.h).
 */
#ifndef HD_DB_DB_H
#define HD_DB_DB_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_db_mode {
	HD_DB_READ,	/* our own statements, nothing is written */
	HD_DB_WRITE,	/* creates the file when it is not there */
	HD_DB_QUERY,	/* somebody's statements: reading only, bounded */
};

struct hd_db_opts {
	const char *url;	/* a path, or postgresql://...; NULL: HD_DB_DEFAULT */
	enum hd_db_mode mode;
	unsigned busy_ms;	/* how long to wait for other writers while none gets anywhere; 0: HD_DB_BUSY_MS */
	unsigned limit_ms;	/* how long one statement may run; 0: HD_DB_LIMIT_MS */
	bool make_folder;	/* a writer creates the folder of a new file; without a url it always does */
};

#define HD_DB_DEFAULT "results/hotspots.db"
enum { HD_DB_BUSY_MS = 5000, HD_DB_LIMIT_MS = 10000 };

struct hd_db;
struct hd_stmt;

int hd_db_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err);
/* Return 0 if PostgreSQL servers can be used: libpq was there at the build and can be loaded.  HD_EIO with the reason. */
int hd_db_server_available(struct hd_err *err);
void hd_db_close(struct hd_db *db);			/* NULL is fine; an open transaction is undone */
const char *hd_db_name(const struct hd_db *db);		/* for messages: the path */

/* A whole script, no values. */
int hd_db_exec(struct hd_db *db, const char *sql, struct hd_err *err);

/* Everything between begin and commit happens, or nothing. */
int hd_db_begin(struct hd_db *db, struct hd_err *err);
int hd_db_commit(struct hd_db *db, struct hd_err *err);	/* undone when it fails, but see hd_db_in_doubt */
/* After a failed commit: everything was written and only the sync failed, so the next to open the database may find it done. */
bool hd_db_in_doubt(const struct hd_db *db);
void hd_db_rollback(struct hd_db *db);			/* nothing to undo is fine */
/*
 * What is read from here to hd_db_rollback is of one moment, though others write.  1, or 0 inside of a
 * transaction, which is not to be ended for it.
 */
int hd_db_begin_reading(struct hd_db *db, struct hd_err *err);

/*
 * Check what a query cannot show: the schema is what its schema files make, and the engine finds no damage.  HD_ENO
 * with the first fault.
 */
int hd_db_check(struct hd_db *db, struct hd_err *err);
/* Check that every reference leads to a row; HD_ENO if not.  A server enforces this itself. */
int hd_db_check_references(struct hd_db *db, struct hd_err *err);

/* A statement without rows. */
int hd_db_do(struct hd_db *db, struct hd_err *err, const char *sql, const char *types, ...);

struct hd_db_rows {
	struct hd_stmt *stmt;	/* NULL: ended */
};

/*
 * A statement without rows, whose values are the n numbers (below 0 is NULL) and behind them the
 * columns of a row of another database, from `column` on, as they are.
 */
int hd_db_do_copy(struct hd_db *db, struct hd_err *err, const char *sql, const int64_t *numbers, int n,
	const struct hd_db_rows *row, int column);

int hd_db_query(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql, const char *types, ...);
/* Somebody's single statement; the n values are text.  Wrong SQL, and SQL that would write, is HD_EUSAGE. */
int hd_db_query_user(struct hd_db_rows *r, struct hd_db *db, const char *sql, char *const *values, int n,
	struct hd_err *err);
int hd_db_next(struct hd_db_rows *r, struct hd_err *err);	/* 1 a row, 0 the end, < 0 */
void hd_db_end(struct hd_db_rows *r);				/* fine at any time */

/* SQL and behind it a list of texts: "... WHERE key IN" "($1, $2)".  n: 1 .. HD_DB_LIST_MAX, at best hd_db_list_size. */
int hd_db_query_list(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql,
	const char *const *texts, size_t n);
enum { HD_DB_LIST_MAX = 500 };
size_t hd_db_list_size(const struct hd_db *db);	/* 1 where a question costs next to nothing */

/*
 * Insert many rows into one table.  A server gets many rows in one INSERT, so a failure may be reported by a later call,
 * at the latest by hd_db_bulk_end().
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
	unsigned rows;		/* that were added and not yet sent */
};

/* insert: a string literal, the key of the cached statement; one bulk of it may be open at a time. */
struct hd_db_bulk hd_db_bulk_into(struct hd_db *db, const char *insert);
int hd_db_bulk_add(struct hd_db_bulk *m, struct hd_err *err, const char *types, ...);
/* Add a row as hd_db_do_copy() does. */
int hd_db_bulk_copy(struct hd_db_bulk *m, struct hd_err *err, const int64_t *numbers, int n,
	const struct hd_db_rows *row, int column);
/* Send the remaining rows, or discard them if rc < 0.  Must be called in any case.  Returns rc if it is < 0. */
int hd_db_bulk_end(struct hd_db_bulk *m, int rc, struct hd_err *err);

/* How often it was waited for an answer of the database; of a server, across the network. */
uint64_t hd_db_round_trips(const struct hd_db *db);

/* The first column of the first row; `none` when there is no row or it is NULL. */
int hd_db_query_int(struct hd_db *db, int64_t *out, int64_t none, struct hd_err *err, const char *sql,
	const char *types, ...);

enum hd_col_kind { HD_COL_NULL, HD_COL_INT, HD_COL_DOUBLE, HD_COL_TEXT, HD_COL_BLOB };

int hd_col_count(const struct hd_db_rows *r);
const char *hd_col_name(const struct hd_db_rows *r, int i);
enum hd_col_kind hd_col_kind(const struct hd_db_rows *r, int i);
int64_t hd_col_int(const struct hd_db_rows *r, int i);
double hd_col_double(const struct hd_db_rows *r, int i);
/* Bytes of a TEXT or BLOB, borrowed until the next row; NULL for a NULL.  NUL-terminated when TEXT. */
const char *hd_col_bytes(const struct hd_db_rows *r, int i, size_t *len);
/* A copy, yours: of a TEXT up to its first NUL; NULL for a NULL. */
char *hd_col_text(const struct hd_db_rows *r, int i);
/* Of a name kept in columns i (V) and i + 1 (raw): its bytes, yours; NULL for a NULL. */
char *hd_col_raw_name(const struct hd_db_rows *r, int i);

#endif
