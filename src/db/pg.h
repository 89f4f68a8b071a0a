/*
 * pg.h - types that pg.c, pg_open.c and pg_values.c share
 *
 * libpq is loaded with dlopen() when a server is opened: linking it would slow down every start of the program by
 * milliseconds, since it brings Kerberos, LDAP and TLS along.  Only its header is needed to build.
 */
#ifndef HD_DB_PG_H
#define HD_DB_PG_H

#include "db/backend.h"

#ifdef HAVE_LIBPQ

#include <libpq-fe.h>

/* The functions of libpq that are used; X(name) is PQname. */
#define HD_LIBPQ_FUNCTIONS(X)										\
	X(clear) X(cmdStatus) X(connectdbParams) X(conninfoFree) X(conninfoParse) X(describePrepared)	\
	X(errorMessage) X(exec) X(execParams) X(execPrepared) X(finish) X(fname) X(freemem) X(ftype)	\
	X(getResult) X(getisnull) X(getlength) X(getvalue) X(nfields) X(nparams) X(ntuples) X(parameterStatus)	\
	X(prepare) X(resultErrorField) X(resultStatus) X(sendQueryPrepared) X(setNoticeProcessor)	\
	X(setSingleRowMode) X(status)

struct hd_libpq {
#define X(name) __typeof__(PQ##name) *name;
	HD_LIBPQ_FUNCTIONS(X)
#undef X
};

struct hd_pg {
	struct hd_db head;
	struct hd_libpq pq;
	PGconn *conn;
	enum hd_db_mode mode;
	unsigned busy_ms, limit_ms;
	unsigned nstatements;		/* number of prepared statements; the next one is named after it */
	bool committing;		/* if the connection is lost now, the commit may have succeeded */
};

/* A value of a statement. */
struct hd_pg_value {
	char *bytes;			/* NULL for NULL */
	size_t n;
	bool binary;
};

struct hd_pg_stmt {
	struct hd_stmt head;
	char name[16];
	char *text;			/* the statement's SQL; NULL once the server has it under `name` */
	bool executed;			/* the statement was executed once; the second execution prepares it */
	bool user;			/* a statement of the user (HD_DB_QUERY) */
	struct hd_pg_value *values;
	int nvalues, cap_values, nparams;
	PGresult *shape;		/* the columns of a statement of the user, before it is executed */
	PGresult *res;
	int row;			/* the current row of res; -1: not executed yet */
	/* indexed by column: decoded BLOBs of the current row; NULL: not decoded yet */
	uint8_t **blobs;
	size_t *blob_bytes;
	int nblobs;
};

static inline struct hd_pg *hd_pg_of(const struct hd_pg_stmt *st)
{
	return (struct hd_pg *)st->head.db;
}

extern const struct hd_backend hd_pg_backend;

/* pg_values.c: the bind and col functions of backend.h. */
void hd_pg_clear_values(struct hd_pg_stmt *st);
void hd_pg_clear_blobs(struct hd_pg_stmt *st);		/* before the next row */
void hd_pg_bind_null(struct hd_stmt *st, int i);
void hd_pg_bind_int(struct hd_stmt *st, int i, int64_t v);
void hd_pg_bind_double(struct hd_stmt *st, int i, double v);
void hd_pg_bind_text(struct hd_stmt *st, int i, const char *s, size_t n);
void hd_pg_bind_blob(struct hd_stmt *st, int i, const void *p, size_t n);
int hd_pg_col_count(const struct hd_stmt *st);
const char *hd_pg_col_name(const struct hd_stmt *st, int i);
enum hd_col_kind hd_pg_col_kind(const struct hd_stmt *st, int i);
int64_t hd_pg_col_int(const struct hd_stmt *st, int i);
double hd_pg_col_double(const struct hd_stmt *st, int i);
const char *hd_pg_col_bytes(const struct hd_stmt *st, int i, size_t *len);

/*
 * Report the error of a result; NULL: the connection failed.  user: the statement is the user's, and faults of its SQL
 * are HD_EUSAGE.  Frees res.
 */
int hd_pg_fail(struct hd_pg *db, PGresult *res, bool user, struct hd_err *err);

/* Run SQL without values and discard its rows.  Several statements are one transaction. */
int hd_pg_exec(struct hd_pg *db, const char *sql, struct hd_err *err);

#endif

#endif
