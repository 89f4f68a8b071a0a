/*
 * backend.h - what a database has to do for db.c
 *
 * One row of functions per database; only db.c and the backends include this.
 */
#ifndef HD_DB_BACKEND_H
#define HD_DB_BACKEND_H

#include "db/db.h"

#include <stdarg.h>

struct hd_backend {
	const char *begin;		/* SQL that takes the write lock at once */
	const char *begin_reading;	/* SQL: a transaction that sees one moment */
	const char *lock;		/* more SQL for that, once there is a schema; or NULL */
	const char *
		dialect; /* schema files say between this word behind a comment's start and its end what only it is told; or NULL */
	const char *blob_probe;		/* SQL that fails where there is no type BLOB; NULL: there is one */
	const char *blob_type;		/* SQL that makes it */
	unsigned rows_at_once;		/* rows that one INSERT should have, 1 or more */
	const char *count_tables;	/* SQL: how many tables there are, and how many are called schema_version */

	/* In the transaction that applied schema files: add what they cannot say in one dialect; or NULL. */
	int (*complete)(struct hd_db *db, struct hd_err *err);
	/*
	 * Check what the rows cannot show: the schema is that of the files which table schema_version lists, and indexes have
	 * their rows.  HD_ENO with what is wrong.
	 */
	int (*check)(struct hd_db *db, struct hd_err *err);
	/* Do all references lead to rows?  HD_ENO if not.  NULL where the engine lets no transaction break them. */
	int (*check_references)(struct hd_db *db, struct hd_err *err);

	void (*close)(struct hd_db *db);
	int (*exec)(struct hd_db *db, const char *sql, struct hd_err *err);
	/* user: one statement that only reads, else HD_EUSAGE */
	int (*prepare)(struct hd_db *db, struct hd_stmt **out, const char *sql, bool user, struct hd_err *err);
	/* Of a statement that collects values: what they are for.  Only where rows_at_once is more than 1. */
	int (*collect)(struct hd_db *db, struct hd_stmt **out, struct hd_err *err);
	void (*tell)(struct hd_stmt *st, char *sql);	/* sql: taken over */
	int (*param_count)(const struct hd_stmt *st);
	void (*free_stmt)(struct hd_stmt *st);
	void (*reset)(struct hd_stmt *st);
	int (*step)(struct hd_stmt *st, struct hd_err *err);

	/* i: from 1.  A failure is told by the next step. */
	void (*bind_null)(struct hd_stmt *st, int i);
	void (*bind_int)(struct hd_stmt *st, int i, int64_t v);
	void (*bind_double)(struct hd_stmt *st, int i, double v);
	void (*bind_text)(struct hd_stmt *st, int i, const char *s, size_t n);	/* copied */
	void (*bind_blob)(struct hd_stmt *st, int i, const void *p, size_t n);	/* copied */

	/* i: from 0 */
	int (*col_count)(const struct hd_stmt *st);
	const char *(*col_name)(const struct hd_stmt *st, int i);
	enum hd_col_kind (*col_kind)(const struct hd_stmt *st, int i);
	int64_t (*col_int)(const struct hd_stmt *st, int i);
	double (*col_double)(const struct hd_stmt *st, int i);
	const char *(*col_bytes)(const struct hd_stmt *st, int i, size_t *len);
};

/* The head of every backend's own struct. */
struct hd_db {
	const struct hd_backend *be;
	char *name;
	struct hd_stmt **kept;
	size_t nkept, kept_cap;
	uint64_t waits;		/* answers that were waited for */
	bool in_transaction;
	bool has_schema;
	bool sync_failed;	/* written but not synced: a commit that failed so may still turn out done */
};

/* The head of every backend's own struct. */
struct hd_stmt {
	struct hd_db *db;
	const char *sql;	/* the literal it was made from; NULL: used once */
	bool busy;		/* between ask and end */
};

/* db.c, for bulk_insert.c: statements that are kept under a literal (NULL: there is none), and values from place i on. */
struct hd_stmt *hd_db_cached_stmt(struct hd_db *db, const char *sql);
void hd_db_cache_stmt(struct hd_db *db, struct hd_stmt *st, const char *sql);
int hd_db_bind(struct hd_stmt *st, int i, const char *types, va_list ap);	/* the next place */
void hd_db_bind_copy(struct hd_stmt *st, int i, const int64_t *numbers, int n, const struct hd_db_rows *row,
	int column);

int hd_pg_check(struct hd_db *db, struct hd_err *err);		/* pg_open.c */
int hd_sqlite_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err);
int hd_pg_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err);

#endif
