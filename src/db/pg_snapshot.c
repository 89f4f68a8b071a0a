/*
 * pg_snapshot.c - connections to a PostgreSQL server that share a snapshot: see snapshot.h
 *
 * https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-SNAPSHOT-SYNCHRONIZATION
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/mem.h"
#include "db/snapshot.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STOP_MS = 50 };		/* how often a thread that waits for the server looks at *stop */

int hd_pg_export_snapshot(struct hd_db *db, char *id, size_t room, struct hd_err *err)
{
	struct hd_db_rows r;
	const char *is = NULL;
	size_t n;
	int rc = hd_db_query(&r, db, err, "SELECT CAST(pg_export_snapshot() AS TEXT)", "");

	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		is = hd_col_bytes(&r, 0, &n);
	/* The id becomes part of an SQL text, and the server may be hostile. */
	if (rc >= 0 && (!is || !n || n >= room || strspn(is, "0123456789abcdefABCDEF-") != n))
		rc = hd_fail(err, HD_EIO, "%s: the server exports no snapshot", hd_db_name(db));
	if (rc >= 0)
		snprintf(id, room, "%s", is);
	hd_db_end(&r);
	return rc < 0 ? rc : 1;
}

/* Wait until the answer of the server is complete.  Returns false if *stop became true or the connection is lost. */
static bool wait_for_answer(struct hd_pg *db, const atomic_bool *stop)
{
	while (db->pq.isBusy(db->conn)) {
		struct pollfd on = { .fd = db->pq.socket(db->conn), .events = POLLIN };

		if (atomic_load(stop))
			return false;
		if (poll(&on, 1, STOP_MS) > 0 && !db->pq.consumeInput(db->conn))
			return false;
	}
	return true;
}

/*
 * SET TRANSACTION SNAPSHOT must precede the first query of the transaction, so the settings of hd_pg_send_settings()
 * follow it.  Both statements are sent as one message, for which a connection pool waits only once.
 */
static int begin(struct hd_pg *db, const char *id, const atomic_bool *stop, struct hd_err *err)
{
	PGresult *res, *failed = NULL;
	char sql[160];

	snprintf(sql, sizeof(sql), "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '%s'",
		id);
	if (!db->pq.sendQuery(db->conn, sql))
		return hd_pg_fail(db, NULL, false, err);
	if (!wait_for_answer(db, stop))
		return hd_fail(err, HD_EIO, "%s: the server does not answer", db->head.name);
	while ((res = db->pq.getResult(db->conn))) {
		if (!failed && db->pq.resultStatus(res) != PGRES_COMMAND_OK)
			failed = res;
		else
			db->pq.clear(res);
	}
	if (failed)
		return hd_pg_fail(db, failed, false, err);
	db->head.round_trips++;
	db->head.in_transaction = true;
	db->reading = true;
	return hd_pg_send_settings(db, NULL, err);
}

int hd_pg_open_snapshot(struct hd_db **out, const struct hd_db *hdb, const char *id, const atomic_bool *stop,
	struct hd_err *err)
{
	const struct hd_pg *like = (const struct hd_pg *)hdb;
	struct hd_pg *db = hd_new(struct hd_pg);
	int rc;

	db->head.be = like->head.be;
	db->head.name = hd_strdup(like->head.name);
	db->head.schema_folder = like->head.schema_folder;
	db->head.busy_ms = like->head.busy_ms;
	db->mode = HD_DB_READ;
	db->limit_ms = like->limit_ms;
	db->pq = like->pq;
	db->url = hd_strdup(like->url);
	rc = hd_pg_connect(db, err);
	if (rc >= 0)
		rc = begin(db, id, stop, err);
	if (rc < 0)
		hd_db_close(&db->head);
	else
		*out = &db->head;
	return rc;
}

#endif
