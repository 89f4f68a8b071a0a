/*
 * pg.h - what pg.c, pg_open.c and pg_values.c share; nobody else includes this
 */
#ifndef HD_DB_PG_H
#define HD_DB_PG_H

#include "db/backend.h"

#ifdef HAVE_LIBPQ

#include <libpq-fe.h>

/* The functions that are used; X(name) is PQname. */
#define HD_LIBPQ_FUNCTIONS(X)										\
	X(clear) X(cmdStatus) X(connectdbParams) X(conninfoFree) X(conninfoParse) X(describePrepared)	\
	X(errorMessage) X(exec) X(execParams) X(execPrepared) X(finish) X(fname) X(freemem) X(ftype) X(getResult)	\
	X(getisnull) X(getlength) X(getvalue) X(nfields) X(nparams) X(ntuples) X(parameterStatus)	\
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
	unsigned nstatements;		/* made so far: each has a number for a name */
	bool committing;		/* a connection that is lost now may have done it */
};

/* One value to be sent. */
struct hd_pg_value {
	char *bytes;			/* NULL: a NULL */
	size_t n;
	bool binary;
};

struct hd_pg_stmt {
	struct hd_stmt head;
	char name[16];
	char *text;			/* its SQL, until the server knows it by its name */
	bool asked;			/* once: asked again, it gets a name */
	bool user;
	struct hd_pg_value *values;
	int nvalues, cap_values, nparams;
	PGresult *shape;		/* of a user's: its columns */
	PGresult *res;
	int row;			/* of res; -1: none asked for yet */
	uint8_t **blobs;		/* by column: what a BLOB's text stands for, of this row */
	size_t *blob_bytes;
	int nblobs;
};

static inline struct hd_pg *hd_pg_of(const struct hd_pg_stmt *st)
{
	return (struct hd_pg *)st->head.db;
}

extern const struct hd_backend hd_pg_backend;

/* pg_values.c: what is sent with a statement, and the columns of its row; as backend.h says. */
void hd_pg_clear_values(struct hd_pg_stmt *st);
void hd_pg_clear_blobs(struct hd_pg_stmt *st);		/* of the row that was */
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
 * The sentence for what the server, or the lack of one, answered; res may be NULL.  user: it is
 * about a statement of the user, whose mistakes are HD_EUSAGE.  Frees res.
 */
int hd_pg_fail(struct hd_pg *db, PGresult *res, bool user, struct hd_err *err);

/* SQL of our own without values and without interest in its rows; many statements are one transaction. */
int hd_pg_exec(struct hd_pg *db, const char *sql, struct hd_err *err);

#endif

#endif
