/*
 * pg.h - what pg.c and pg_open.c share; nobody else includes this
 */
#ifndef HD_STORE_PG_H
#define HD_STORE_PG_H

#include "store/backend.h"
#include "store/libpq.h"

#ifdef HAVE_LIBPQ

struct hd_pg {
	struct hd_db head;
	struct hd_libpq pq;
	PGconn *conn;
	enum hd_db_mode mode;
	unsigned busy_ms, limit_ms;
	unsigned nstatements;		/* made so far: each has a number for a name */
	bool committing;		/* a connection that is lost now may have done it */
};

extern const struct hd_backend hd_pg_backend;

/*
 * The sentence for what the server, or the lack of one, answered; res may be NULL.  user: it is
 * about a statement of the user, whose mistakes are HD_EUSAGE.  Frees res.
 */
int hd_pg_fail(struct hd_pg *db, PGresult *res, bool user, struct hd_err *err);

/* SQL of our own without values and without interest in its rows; many statements are one transaction. */
int hd_pg_exec(struct hd_pg *db, const char *sql, struct hd_err *err);

#endif

#endif
