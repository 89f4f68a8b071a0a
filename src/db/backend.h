/*
 * backend.h - the functions that a database engine implements
 *
 * Private to db/: sqlite.c and pg.c define one struct hd_backend each.
 */
#ifndef HD_DB_BACKEND_H
#define HD_DB_BACKEND_H

#include "db/db.h"

#include <stdarg.h>
#include <stdatomic.h>

struct hd_backend {
	/*
	 * Begin a transaction.  If `writing` is true, it takes the write lock at once.  Otherwise the transaction only
	 * reads, and sees one state of the database.
	 */
	int (*begin)(struct hd_db *db, bool writing, struct hd_err *err);
	/* Begin a transaction during which others may write (writers.h).  NULL: the engine has one writer at a time. */
	int (*begin_beside)(struct hd_db *db, struct hd_err *err);
	/* schema files contain SQL for this engine in comments that begin with this word; NULL: they contain none */
	const char *dialect;
	const char *blob_probe;		/* SQL that fails if the type BLOB is missing; NULL: the engine has it */
	const char *blob_type;		/* SQL that creates the type */
	/* SQL that replaces `IN [` and the `]` after it, which enclose a list of numbers in a query (db.h, letter l) */
	const char *list_begin, *list_end;
	char list_braces[2];		/* the characters that enclose a list of numbers, which is bound as one text */
	unsigned rows_at_once;		/* maximum number of rows that hd_db_bulk sends in one INSERT; 1 or more */
	const char *count_tables;	/* SQL that counts all tables, and the tables named schema_version */

	/*
	 * Called after schema files were applied, in the same transaction if there is one: makes the changes to the
	 * schema that SQL for all engines cannot express.  May be NULL.
	 */
	int (*complete)(struct hd_db *db, struct hd_err *err);
	/* See snapshot.h; room: size of `id`.  Both are NULL if the engine has no snapshots. */
	int (*export_snapshot)(struct hd_db *db, char *id, size_t room, struct hd_err *err);
	int (*open_snapshot)(struct hd_db **out, const struct hd_db *db, const char *id, const atomic_bool *stop,
		struct hd_err *err);
	/* See hd_db_check(). */
	int (*check)(struct hd_db *db, struct hd_err *err);
	/* See hd_db_check_types().  NULL if the engine enforces the types. */
	int (*check_types)(struct hd_db *db, const char *only, const char *except, struct hd_err *err);
	/* See hd_db_check_storage().  NULL if the engine checks its storage itself. */
	int (*check_storage)(struct hd_db *db, struct hd_err *err);
	/* See hd_db_check_references().  NULL if the engine lets no transaction break references. */
	int (*check_references)(struct hd_db *db, struct hd_err *err);

	void (*close)(struct hd_db *db);
	int (*exec)(struct hd_db *db, const char *sql, struct hd_err *err);
	/* user: accept only a single statement that reads, else HD_EUSAGE */
	int (*prepare)(struct hd_db *db, struct hd_stmt **out, const char *sql, bool user, struct hd_err *err);
	/*
	 * Create a statement that collects values.  Its SQL is set later, when the number of the values is known.  This
	 * function and set_sql() are NULL if rows_at_once is 1.
	 */
	int (*collect)(struct hd_db *db, struct hd_stmt **out, struct hd_err *err);
	void (*set_sql)(struct hd_stmt *st, char *sql);	/* takes ownership of sql */
	int (*param_count)(const struct hd_stmt *st);
	void (*free_stmt)(struct hd_stmt *st);
	void (*reset)(struct hd_stmt *st);
	int (*step)(struct hd_stmt *st, struct hd_err *err);
	/*
	 * Called after all values of a query are bound: the engine may begin to execute it.  NULL: the first step()
	 * executes it.
	 */
	int (*start)(struct hd_stmt *st, struct hd_err *err);
	/* Execute the statement and discard its rows.  In a transaction, a later call may report that it failed. */
	int (*perform)(struct hd_stmt *st, struct hd_err *err);

	/* Set the value of parameter i, counted from 1.  The next call of step() or perform() reports failures. */
	void (*bind_null)(struct hd_stmt *st, int i);
	void (*bind_int)(struct hd_stmt *st, int i, int64_t v);
	void (*bind_double)(struct hd_stmt *st, int i, double v);
	void (*bind_text)(struct hd_stmt *st, int i, const char *s, size_t n);	/* copies the text */
	void (*bind_blob)(struct hd_stmt *st, int i, const void *p, size_t n);	/* copies the bytes */

	/* Columns of the current row; i counts from 0. */
	int (*col_count)(const struct hd_stmt *st);
	const char *(*col_name)(const struct hd_stmt *st, int i);
	enum hd_col_kind (*col_kind)(const struct hd_stmt *st, int i);
	int64_t (*col_int)(const struct hd_stmt *st, int i);
	double (*col_double)(const struct hd_stmt *st, int i);
	const char *(*col_bytes)(const struct hd_stmt *st, int i, size_t *len);
};

/* The first member of every backend's connection. */
struct hd_db {
	const struct hd_backend *be;
	char *name;		/* for messages: see hd_db_name() */
	struct hd_stmt **cached;
	size_t ncached, cached_cap;
	uint64_t round_trips;
	/* folder of the schema files that only this engine has, with a '/'; NULL: there is none */
	const char *schema_folder;
	unsigned busy_ms;	/* set for a server only: how long a statement waits for a lock */
	bool in_transaction;
	bool has_schema;
	bool sync_failed;	/* see hd_db_in_doubt() */
	bool met_writer;	/* see hd_db_met_writer() */
	bool lacks_object;	/* see hd_schema_is_missing() */
	bool lacks_partition;	/* see hd_partition_is_missing() */
	bool independent;	/* see hd_db_set_independent() */
};

/* The first member of every backend's statement. */
struct hd_stmt {
	struct hd_db *db;
	const char *sql;	/* the address under which it is cached; NULL: it is not cached */
	bool busy;		/* in use by a query or a bulk insert that was not ended yet */
};

/* connection.c: return the statement cached under the address `sql`, or NULL. */
struct hd_stmt *hd_db_cached_stmt(struct hd_db *db, const char *sql);
void hd_db_cache_stmt(struct hd_db *db, struct hd_stmt *st, const char *sql);
/* Return a copy of `sql` in which each `IN [...]` is written in the engine's dialect.  The caller frees it. */
char *hd_db_list_sql(const struct hd_db *db, const char *sql);
/* Bind values from parameter i on; return the number of the next parameter. */
int hd_db_bind(struct hd_stmt *st, int i, const char *types, va_list ap);
void hd_db_bind_copy(struct hd_stmt *st, int i, const int64_t *numbers, int n, const struct hd_db_rows *row,
	int column);

/* Notify the engine that all values of a query are bound. */
int hd_db_start(struct hd_db_rows *r, struct hd_err *err);

int hd_pg_check(struct hd_db *db, struct hd_err *err);		/* pg_open.c */
int hd_sqlite_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err);
int hd_pg_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err);

#endif
