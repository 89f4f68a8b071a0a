/*
 * pg_open.c - connecting to a PostgreSQL server, and what a session and its user may not do
 *
 * All that a URL of libpq can say holds (host, service, sslmode, options=-csearch_path=...),
 * and so do PGUSER, PGPASSFILE and the like.  Nobody is ever asked for a password.
 *
 * Whoever only reads has a session that the server keeps from writing; a statement of the user
 * moreover runs in a transaction that was begun as reading, gives rows or is refused, and has
 * a time limit.  What functions may do beside that is a matter of the role's rights.
 */
#include "db/pg.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBPQ

enum { IDLE_MS = 60000 };	/* a writer that stands still so long loses its lock */

static void be_silent(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

/* For messages: without the password, and without what does not tell one database from another. */
static char *name_of(struct hd_libpq *pq, const char *url, struct hd_err *err)
{
	static const struct { const char *option, *before, *behind; } parts[] = {
		{ "service", "service=", "" }, { "user", "", "@" }, { "host", "", "" }, { "port", ":", "" },
		{ "dbname", "/", "" },
	};
	char *why = NULL;
	PQconninfoOption *options = pq->conninfoParse(url, &why);
	struct hd_buf name = { 0 };

	if (!options) {
		hd_fail(err, HD_EUSAGE, "--db: no URL of a PostgreSQL server: %.*s", why ? (int)strcspn(why, "\n") : 9,
			why ? why : "no memory");
		pq->freemem(why);
		return NULL;
	}
	hd_buf_adds(&name, "postgresql://");
	for (size_t i = 0; i < HD_COUNT(parts); i++)
		for (const PQconninfoOption *o = options; o->keyword; o++)
			if (o->val && *o->val && !strcmp(o->keyword, parts[i].option))
				hd_buf_addf(&name, "%s%s%s", parts[i].before, o->val, parts[i].behind);
	pq->conninfoFree(options);
	return hd_buf_take(&name);
}

static int connect_to(struct hd_pg *db, const char *url, struct hd_err *err)
{
	/* What stands before dbname can be said otherwise by the URL, what stands behind it cannot. */
	static const char *const words[] = { "connect_timeout", "fallback_application_name", "dbname",
		"client_encoding", NULL };
	const char *const values[] = { "10", "hotdrift", url, "UTF8", NULL };

	db->conn = db->pq.connectdbParams(words, values, 1);
	if (!db->conn || db->pq.status(db->conn) != CONNECTION_OK)
		return hd_pg_fail(db, NULL, false, err);
	db->pq.setNoticeProcessor(db->conn, be_silent, NULL);
	return 0;
}

/* Names are kept in UTF-8, and whatever else the server would make of them is not what was written. */
static int check_encoding(struct hd_pg *db, struct hd_err *err)
{
	const char *is = db->pq.parameterStatus(db->conn, "server_encoding");

	if (is && strcmp(is, "UTF8"))
		return hd_fail(err, HD_EIO,
			"%s: its encoding is %s: make one with createdb --encoding=UTF8 --template=template0",
			db->head.name, is);
	return 0;
}

static int set_up(struct hd_pg *db, struct hd_err *err)
{
	struct hd_buf sql = { 0 };
	int rc;

	hd_buf_addf(&sql,
		"SET bytea_output = hex; SET lock_timeout = %u; SET statement_timeout = %llu; "
		"SET idle_in_transaction_session_timeout = %d",
		db->busy_ms, (unsigned long long)db->limit_ms + db->busy_ms, IDLE_MS);
	if (db->mode != HD_DB_WRITE)
		hd_buf_adds(&sql, "; SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
	rc = hd_pg_exec(db, sql.data, err);
	hd_buf_release(&sql);
	return rc;
}

int hd_pg_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err)
{
	struct hd_pg *db = hd_new(struct hd_pg);
	int rc;

	db->head.be = &hd_pg_backend;
	db->mode = o->mode;
	db->busy_ms = o->busy_ms;
	db->limit_ms = o->limit_ms;
	rc = hd_libpq_load(&db->pq, err);
	if (rc < 0) {
		free(db);
		return rc;
	}
	db->head.name = name_of(&db->pq, o->url, err);
	rc = db->head.name ? connect_to(db, o->url, err) : HD_EUSAGE;
	if (rc >= 0)
		rc = check_encoding(db, err);
	if (rc >= 0)
		rc = set_up(db, err);
	if (rc < 0)
		hd_db_close(&db->head);
	else
		*out = &db->head;
	return rc;
}

#else

int hd_pg_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err)
{
	(void)out;
	(void)o;
	return hd_fail(err, HD_EIO,
		"--db: this program was built without libpq, so it knows no servers: install libpq-dev and build it "
		"again, or name a file for SQLite");
}

#endif
