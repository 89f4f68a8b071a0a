/*
 * pg.h - types and functions that the files pg*.c share
 *
 * libpq is loaded with dlopen() when a server is opened: linking it would slow down every start of the program by
 * milliseconds, since it brings Kerberos, LDAP and TLS along.  Only its header is needed to build.
 */
#ifndef HD_DB_PG_H
#define HD_DB_PG_H

#include "db/backend.h"

#ifdef HAVE_LIBPQ

#include <libpq-fe.h>

/* Ids of built-in types (catalog pg_type). */
enum {
	HD_PG_BOOL = 16, HD_PG_BYTEA = 17, HD_PG_INT8 = 20, HD_PG_INT2 = 21, HD_PG_INT4 = 23, HD_PG_TEXT = 25,
	HD_PG_OID = 26, HD_PG_FLOAT4 = 700, HD_PG_FLOAT8 = 701, HD_PG_NUMERIC = 1700,
};

/* The functions of libpq that are used; X(name) is PQname. */
#define HD_LIBPQ_FUNCTIONS(X)										\
	X(clear) X(cmdStatus) X(connectdbParams) X(conninfoFree) X(conninfoParse) X(consumeInput)	\
	X(describePrepared) X(enterPipelineMode) X(errorMessage) X(exec) X(exitPipelineMode) X(finish) X(fname)	\
	X(freemem) X(ftype) X(getResult) X(getisnull) X(getlength) X(getvalue) X(isBusy) X(nfields) X(nparams)	\
	X(ntuples) X(parameterStatus) X(pipelineStatus) X(pipelineSync) X(prepare) X(resultErrorField)	\
	X(resultStatus) X(sendQuery) X(sendQueryParams) X(sendQueryPrepared) X(setNoticeProcessor)	\
	X(setSingleRowMode) X(socket) X(status)

struct hd_libpq {
#define X(name) __typeof__(PQ##name) *name;
	HD_LIBPQ_FUNCTIONS(X)
#undef X
};

/* A value of a statement. */
struct hd_pg_value {
	char *bytes;			/* NULL for NULL */
	size_t n;
	bool binary;
};

/* The result of several queries that were sent as one statement (pg_combine.c). */
struct hd_pg_results {
	struct hd_pg_stmt **members;	/* indexed by the number of the query; NULL: its rows are not needed */
	size_t n;
	PGresult *res;
	/* indices of the rows of res, sorted by query; those of query i begin at first[i] and end at first[i + 1] */
	int *rows, *first;
	unsigned users;			/* number of statements that refer to this result */
};

/* A statement that was sent and whose result was not received yet. */
struct hd_pg_sent {
	struct hd_pg_stmt *st;		/* NULL: its result is not needed */
	/* the result of several queries that were sent as one; NULL: this is a single statement */
	struct hd_pg_results *shared;
};

enum hd_pg_kind { HD_PG_SINGLE, HD_PG_WRITE, HD_PG_QUERY };

/* A statement that is collected, to be sent together with others. */
struct hd_pg_part {
	struct hd_pg_stmt *st;		/* NULL: its result is not needed */
	char *sql;
	int nvalues;
};

struct hd_pg {
	struct hd_db head;
	struct hd_libpq pq;
	PGconn *conn;
	char *url;			/* may contain a password */
	enum hd_db_mode mode;
	unsigned limit_ms;
	bool committing;		/* if the connection is lost now, the commit may have succeeded */
	/* a read-only transaction is open: the caller began it, or this backend began it by itself */
	bool reading;
	char tag[16];			/* command tag of the last statement, such as COMMIT */
	struct hd_pg_sent *sent;	/* in the order of sending */
	size_t nsent, sent_cap;
	/* statements that were not sent yet, all of one kind, and their values */
	enum hd_pg_kind kind;
	struct hd_pg_part *parts;
	size_t nparts, parts_cap;
	struct hd_pg_value *values;
	int nvalues;
	size_t values_cap, part_bytes;
};

/* A column of the current row, if the result is shared: see hd_pg_stmt.record. */
struct hd_pg_cell {
	uint32_t type;
	bool is_null;
	size_t at, n;			/* position and length of its value in hd_pg_stmt.record */
};

struct hd_pg_stmt {
	struct hd_stmt head;
	char *text;			/* the statement's SQL; NULL for a statement of the user */
	bool user;			/* a statement of the user (HD_DB_QUERY) */
	bool sent;			/* it was sent or collected, and its result is expected */
	struct hd_pg_value *values;
	int nvalues, cap_values, nparams;
	/* description of the columns of a statement of the user, known before it is executed */
	PGresult *shape;
	PGresult *res;
	/* if not NULL, used instead of `res`: the result of several queries; this statement is number `part` of them */
	struct hd_pg_results *shared;
	size_t part;
	int row;			/* the current row of the result; -1: before the first one */
	/* the current row, if the result is shared */
	struct hd_buf record;
	struct hd_pg_cell *cells;
	int ncells;
	size_t cells_cap;
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
void hd_pg_clear_blobs(struct hd_pg_stmt *st);		/* called before the next row is read */
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
 * Report the error in `res`.  If res is NULL, the connection failed.  user: the statement is one of the user, so faults
 * of its SQL are HD_EUSAGE.  Frees res.
 */
int hd_pg_fail(struct hd_pg *db, PGresult *res, bool user, struct hd_err *err);

/*
 * Functions of pg_pipeline.c, for statements that were sent and whose results were not received yet.  The connection is
 * in libpq's pipeline mode, except while SQL with several statements or a statement of the user runs.
 */
/*
 * Send the settings for one transaction.  lock: the function for the advisory lock of the schema, which the same
 * statement takes after the time limit for locks is set; NULL: none.
 */
int hd_pg_send_settings(struct hd_pg *db, const char *lock, struct hd_err *err);
/* Send a statement without values.  hd_pg_receive() waits for its result. */
int hd_pg_send(struct hd_pg *db, const char *sql, struct hd_err *err);
/* Send a statement or collect it, and clear its values.  keep: its result is needed. */
int hd_pg_send_stmt(struct hd_pg_stmt *st, bool keep, struct hd_err *err);
/*
 * Send SQL with n values.  The result becomes that of `st` or, if `shared` is not NULL, that of its members.  Both may
 * be NULL.
 */
int hd_pg_send_values(struct hd_pg *db, const char *sql, const struct hd_pg_value *values, int n, struct hd_pg_stmt *st,
	struct hd_pg_results *shared, struct hd_err *err);
/* Send what was collected and wait for all results.  Reports the first error; later statements have no result. */
int hd_pg_receive(struct hd_pg *db, struct hd_err *err);
/* Discard the result of this statement when it arrives. */
void hd_pg_forget(struct hd_pg_stmt *st);
/* Receive all results and leave the pipeline mode. */
int hd_pg_leave_pipeline(struct hd_pg *db, struct hd_err *err);
/*
 * If the caller has begun no transaction, prepare for a statement that only reads (`reads`) or that writes.  The
 * statements that read share one read-only transaction, so that they see one state of the database.  A statement that
 * writes ends it and is a transaction of its own; only HD_DB_WRITE permits it.
 */
int hd_pg_begin_outside(struct hd_pg *db, bool reads, struct hd_err *err);
/* Begin a transaction, see backend.h.  If the transaction of hd_pg_begin_outside() is open, it is ended first. */
int hd_pg_begin(struct hd_db *db, bool writing, struct hd_err *err);
/* Begin a transaction that writes beside others, see writers.h. */
int hd_pg_begin_beside(struct hd_db *db, struct hd_err *err);

/* Functions of pg_combine.c. */
/* Collect a statement and take its values.  A statement that cannot be combined with others is sent at once. */
int hd_pg_collect(struct hd_pg_stmt *st, bool keep, struct hd_err *err);
/* Send what was collected. */
int hd_pg_send_collected(struct hd_pg *db, struct hd_err *err);
void hd_pg_combine_free(struct hd_pg *db);
/*
 * Make `res`, which the server sent, the result of all members.  res is NULL if the statement failed.  Takes ownership
 * of res.
 */
void hd_pg_results_set(struct hd_pg *db, struct hd_pg_results *all, PGresult *res);
/* Detach the statement from its shared result; the last statement frees it.  Does nothing if it has none. */
void hd_pg_results_leave(struct hd_pg_stmt *st);
void hd_pg_results_drop(struct hd_pg_results *all);	/* frees it if no statement refers to it; accepts NULL */

/* pg_records.c: read the current row of a shared result into st->cells.  Returns 1, or HD_EIO. */
int hd_pg_read_record(struct hd_pg_stmt *st, struct hd_err *err);

/* Read a number of n bytes (at most 8) that is stored in big-endian byte order. */
static inline uint64_t hd_pg_number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && i < sizeof(v); i++)
		v = v << 8 | p[i];
	return v;
}

/* pg_open.c: connect to db->url. */
int hd_pg_connect(struct hd_pg *db, struct hd_err *err);
/* pg_snapshot.c: see snapshot.h.  room: size of `id`. */
int hd_pg_export_snapshot(struct hd_db *db, char *id, size_t room, struct hd_err *err);
int hd_pg_open_snapshot(struct hd_db **out, const struct hd_db *db, const char *id, const atomic_bool *stop,
	struct hd_err *err);

/* Run SQL without values and discard its rows.  Several statements run as one transaction. */
int hd_pg_exec(struct hd_pg *db, const char *sql, struct hd_err *err);

#endif

#endif
