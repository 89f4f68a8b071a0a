/*
 * pg_pipeline.c - send statements to a PostgreSQL server without waiting for each result
 *
 * Each round trip costs the latency of the network.  So a statement is sent, or collected with others (pg_combine.c),
 * when it is started, and the program waits only when it reads a result.  One wait receives the results of everything
 * that was sent before.  If a statement fails, the server skips those that were sent after it, and the transaction can
 * only be rolled back.
 *
 * libpq reads while it sends, so that a server that is busy sending results does not block the program:
 * https://www.postgresql.org/docs/current/libpq-pipeline-mode.html
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	MAX_SENT = 256,		/* results are received at the latest after this many statements */
	IDLE_MS = 60000,	/* the server ends the session of a writer that is idle this long in a transaction */
};

static int receive_sent(struct hd_pg *db, struct hd_err *err);

static int send(struct hd_pg *db, const char *sql, int n, const char *const *values, const int *lengths,
	const int *formats, struct hd_pg_sent result, struct hd_err *err)
{
	int rc = db->nsent < MAX_SENT ? 0 : receive_sent(db, err);

	if (rc < 0)
		return rc;
	if (db->pq.pipelineStatus(db->conn) == PQ_PIPELINE_OFF && !db->pq.enterPipelineMode(db->conn))
		return hd_pg_fail(db, NULL, false, err);
	if (!db->pq.sendQueryParams(db->conn, sql, n, NULL, values, lengths, formats, result.shared != NULL))
		return hd_pg_fail(db, NULL, false, err);
	HD_GROW(db->sent, db->nsent + 1, db->sent_cap);
	db->sent[db->nsent++] = result;
	return 0;
}

int hd_pg_send(struct hd_pg *db, const char *sql, struct hd_err *err)
{
	int rc = hd_pg_send_collected(db, err);

	return rc < 0 ? rc : send(db, sql, 0, NULL, NULL, NULL, (struct hd_pg_sent){ 0 }, err);
}

/*
 * Settings of the whole session are not used, because a connection pool would keep them for other clients.  The JIT
 * compiler of the server is switched off where there is one: it took 0.5 s for statements that run for 0.1 s.
 */
int hd_pg_send_settings(struct hd_pg *db, const char *lock, struct hd_err *err)
{
	char sql[500];
	int n = snprintf(sql, sizeof(sql),
		"SELECT set_config('bytea_output', 'hex', true), set_config('lock_timeout', '%u', true), "
		"set_config('statement_timeout', '%llu', true), CASE WHEN current_setting('jit', true) = 'on' THEN "
		"set_config('jit', 'off', true) END, "
		"set_config('idle_in_transaction_session_timeout', '%d', true)",
		db->head.busy_ms, (unsigned long long)db->limit_ms + db->head.busy_ms, lock ? IDLE_MS : 0);

	if (lock)
		snprintf(sql + n, sizeof(sql) - (size_t)n, ", %s(1751413348, hashtext(current_schema()))", lock);
	return hd_pg_send(db, sql, err);
}

static int end_reading(struct hd_pg *db, struct hd_err *err)
{
	db->reading = false;
	return hd_pg_send(db, "ROLLBACK", err);
}

/*
 * Send the statements that begin a transaction.  lock: the function for the advisory lock of the schema; NULL: the
 * transaction only reads.
 */
static int begin(struct hd_pg *db, const char *lock, struct hd_err *err)
{
	bool writing = lock != NULL;
	int rc = db->reading ? end_reading(db, err) : 0;

	db->reading = !writing;
	db->head.met_writer = false;
	db->head.lacks_object = false;
	db->head.lacks_partition = false;
	db->head.independent = false;
	/*
	 * A writer uses READ COMMITTED: with one snapshot for the whole transaction, it would not see what others wrote
	 * while it waited for the lock.
	 */
	if (rc >= 0)
		rc = hd_pg_send(db, writing ? "BEGIN ISOLATION LEVEL READ COMMITTED" :
			"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err);
	return rc < 0 ? rc : hd_pg_send_settings(db, lock, err);
}

int hd_pg_begin(struct hd_db *hdb, bool writing, struct hd_err *err)
{
	struct hd_pg *db = (struct hd_pg *)hdb;
	int rc = begin(db, writing ? "pg_advisory_xact_lock" : NULL, err);

	/*
	 * Writers also lock a row of table `chain`, because some servers that speak the protocol of PostgreSQL ignore
	 * advisory locks.
	 */
	if (rc >= 0 && writing && hdb->has_schema)
		rc = hd_pg_send(db, "SELECT origin FROM chain WHERE kind = 'journal' FOR NO KEY UPDATE", err);
	return rc;
}

int hd_pg_begin_beside(struct hd_db *hdb, struct hd_err *err)
{
	return begin((struct hd_pg *)hdb, "pg_advisory_xact_lock_shared", err);
}

int hd_pg_begin_outside(struct hd_pg *db, bool reads, struct hd_err *err)
{
	reads = reads || db->mode != HD_DB_WRITE;
	if (db->head.in_transaction || db->reading == reads)
		return 0;
	return reads ? hd_pg_begin(&db->head, false, err) : end_reading(db, err);
}

int hd_pg_send_values(struct hd_pg *db, const char *sql, const struct hd_pg_value *values, int n, struct hd_pg_stmt *st,
	struct hd_pg_results *shared, struct hd_err *err)
{
	const char **bytes = hd_new_array(const char *, n + 1);
	int *lengths = hd_new_array(int, n + 1), *formats = hd_new_array(int, n + 1), rc;

	for (int i = 0; i < n; i++) {
		bytes[i] = values[i].bytes;
		lengths[i] = (int)values[i].n;
		formats[i] = values[i].binary;
	}
	rc = send(db, sql, n, bytes, lengths, formats, (struct hd_pg_sent){ st, shared }, err);
	free(bytes);
	free(lengths);
	free(formats);
	return rc;
}

int hd_pg_send_stmt(struct hd_pg_stmt *st, bool keep, struct hd_err *err)
{
	struct hd_pg *db = hd_pg_of(st);
	int rc = 0;

	for (int i = 0; i < st->nvalues; i++)
		if (st->values[i].n > INT32_MAX)
			rc = hd_fail(err, HD_EIO, "%s: a value of %zu bytes is too large for the server", db->head.name,
				st->values[i].n);
	if (rc >= 0)
		rc = hd_pg_begin_outside(db, keep, err);
	if (rc >= 0)
		rc = hd_pg_collect(st, keep, err);
	hd_pg_clear_values(st);
	return rc;
}

void hd_pg_forget(struct hd_pg_stmt *st)
{
	struct hd_pg *db = hd_pg_of(st);

	for (size_t i = 0; st->sent && i < db->nparts; i++)
		if (db->parts[i].st == st)
			db->parts[i].st = NULL;
	for (size_t i = 0; st->sent && i < db->nsent; i++) {
		struct hd_pg_results *all = db->sent[i].shared;

		if (db->sent[i].st == st)
			db->sent[i].st = NULL;
		for (size_t k = 0; all && k < all->n; k++)
			if (all->members[k] == st)
				all->members[k] = NULL;
	}
	st->sent = false;
}

/* Store a result, or free it if it is not needed. */
static void store(struct hd_pg *db, const struct hd_pg_sent *of, PGresult *res)
{
	if (of->shared)
		hd_pg_results_set(db, of->shared, res);
	else if (of->st)
		of->st->res = res;
	else
		db->pq.clear(res);
}

/* Receive the next result: that of the oldest statement in flight, `of`. */
static int receive_one(struct hd_pg *db, const struct hd_pg_sent *of, struct hd_err *err)
{
	bool stored = false;
	PGresult *res = db->pq.getResult(db->conn), *more;
	int rc = 0;

	switch (res ? db->pq.resultStatus(res) : PGRES_FATAL_ERROR) {
	case PGRES_COMMAND_OK:
	case PGRES_TUPLES_OK:
		snprintf(db->tag, sizeof(db->tag), "%s", db->pq.cmdStatus(res));
		store(db, of, res);
		stored = true;
		break;
	case PGRES_PIPELINE_ABORTED:	/* the first error was reported */
		db->pq.clear(res);
		break;
	default:
		rc = hd_pg_fail(db, res, false, err);
	}
	/* libpq ends the results of a statement with NULL. */
	while (res && (more = db->pq.getResult(db->conn)))
		db->pq.clear(more);
	if (of->st)
		of->st->sent = false;
	if (of->shared && !stored)
		hd_pg_results_set(db, of->shared, NULL);
	return rc;
}

static int receive_sent(struct hd_pg *db, struct hd_err *err)
{
	PGresult *sync;
	int rc = 0, one;

	if (!db->nsent)
		return 0;
	db->head.round_trips++;
	db->tag[0] = '\0';
	if (!db->pq.pipelineSync(db->conn))
		rc = hd_pg_fail(db, NULL, false, err);
	for (size_t i = 0; i < db->nsent; i++) {
		one = receive_one(db, &db->sent[i], rc < 0 ? NULL : err);
		rc = rc < 0 ? rc : one;
	}
	db->nsent = 0;
	sync = db->pq.getResult(db->conn);
	if (rc >= 0 && (!sync || db->pq.resultStatus(sync) != PGRES_PIPELINE_SYNC))
		return hd_pg_fail(db, sync, false, err);
	db->pq.clear(sync);
	return rc;
}

int hd_pg_receive(struct hd_pg *db, struct hd_err *err)
{
	int rc = hd_pg_send_collected(db, err), received = receive_sent(db, rc < 0 ? NULL : err);

	return rc < 0 ? rc : received;
}

int hd_pg_leave_pipeline(struct hd_pg *db, struct hd_err *err)
{
	int rc = hd_pg_receive(db, err);

	if (rc >= 0 && db->pq.pipelineStatus(db->conn) != PQ_PIPELINE_OFF && !db->pq.exitPipelineMode(db->conn))
		rc = hd_pg_fail(db, NULL, false, err);
	return rc;
}

#endif
