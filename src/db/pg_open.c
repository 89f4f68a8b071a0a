/*
 * pg_open.c - load libpq, connect to a PostgreSQL server, and check its encoding and its schema
 *
 * Everything that a URL of libpq can contain is supported (host, service, sslmode, options=-csearch_path=...), and
 * so are PGUSER, PGPASSFILE and the other variables of libpq.  The program never prompts for a password.
 *
 * Statements that only read, also those of the user, run in a read-only transaction with a time limit
 * (pg_pipeline.c).  A statement of the user is rejected if its result has no columns, as that of an UPDATE.  What the
 * functions that it calls may do is decided by the privileges of the role.
 */
#include "db/pg.h"

#include "base/library.h"
#include "base/mem.h"
#include "db/partitions.h"
#include "db/schema.h"
#include "db/sqlite.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBPQ

#define SONAME "libpq.so.5"

static int load_libpq(struct hd_libpq *pq, struct hd_err *err)
{
	const char *lacks;

#define X(name) "PQ" #name "\0"
	if (hd_library_load(SONAME, RTLD_NOW | RTLD_LOCAL, HD_LIBPQ_FUNCTIONS(X), pq, &lacks))
#undef X
		return 0;
	if (lacks)
		return hd_fail(err, HD_EIO, "--db: %s is too old: it has no %s", SONAME, lacks);
	return hd_fail(err, HD_EIO, "--db: a PostgreSQL server needs %s, which cannot be loaded: install libpq5",
		SONAME);
}

int hd_db_server_available(struct hd_err *err)
{
	struct hd_libpq pq;

	return load_libpq(&pq, err);
}

static void discard_notice(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

/*
 * Return the name of the database for messages: the parts of the URL that identify it, without the password.  NULL if
 * the URL is invalid.
 */
static char *name_of(struct hd_libpq *pq, const char *url, struct hd_err *err)
{
	static const struct { const char *option, *before, *after; } parts[] = {
		{ "service", "service=", "" }, { "user", "", "@" }, { "host", "", "" }, { "port", ":", "" },
		{ "dbname", "/", "" },
	};
	char *why = NULL;
	PQconninfoOption *options = pq->conninfoParse(url, &why);
	struct hd_buf name = { 0 };

	if (!options) {
		hd_fail(err, HD_EUSAGE, "--db: not a valid URL of a PostgreSQL server: %.*s",
			why ? (int)strcspn(why, "\n") : 9, why ? why : "no memory");
		pq->freemem(why);
		return NULL;
	}
	hd_buf_adds(&name, "postgresql://");
	for (size_t i = 0; i < HD_COUNT(parts); i++)
		for (const PQconninfoOption *o = options; o->keyword; o++)
			if (o->val && *o->val && !strcmp(o->keyword, parts[i].option))
				hd_buf_addf(&name, "%s%s%s", parts[i].before, o->val, parts[i].after);
	pq->conninfoFree(options);
	return hd_buf_take(&name);
}

int hd_pg_connect(struct hd_pg *db, struct hd_err *err)
{
	/* libpq expands the URL at `dbname`: it overrides the parameters before it, and later ones override the URL. */
	static const char *const words[] = { "connect_timeout", "fallback_application_name", "dbname",
		"client_encoding", NULL };
	const char *const values[] = { "10", "hotdrift", db->url, "UTF8", NULL };

	db->conn = db->pq.connectdbParams(words, values, 1);
	if (!db->conn || db->pq.status(db->conn) != CONNECTION_OK)
		return hd_pg_fail(db, NULL, false, err);
	db->pq.setNoticeProcessor(db->conn, discard_notice, NULL);
	return 0;
}

/*
 * Reject a database with an encoding other than UTF-8.  hotdrift stores names as UTF-8.  A server with another encoding
 * would convert them, and their hashes would not match.
 */
static int check_encoding(struct hd_pg *db, struct hd_err *err)
{
	const char *is = db->pq.parameterStatus(db->conn, "server_encoding");

	if (is && strcmp(is, "UTF8"))
		return hd_fail(err, HD_EIO,
			"%s: the encoding of the database is %s: create one with createdb --encoding=UTF8 "
			"--template=template0",
			db->head.name, is);
	return 0;
}

int hd_pg_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err)
{
	struct hd_pg *db = hd_new(struct hd_pg);
	int rc;

	db->head.be = &hd_pg_backend;
	db->mode = o->mode;
	db->head.busy_ms = o->busy_ms;
	db->limit_ms = o->limit_ms;
	rc = load_libpq(&db->pq, err);
	if (rc < 0) {
		free(db);
		return rc;
	}
	db->url = hd_strdup(o->url);
	db->head.name = name_of(&db->pq, o->url, err);
	rc = db->head.name ? hd_pg_connect(db, err) : HD_EUSAGE;
	if (rc >= 0)
		rc = check_encoding(db, err);
	if (rc < 0)
		hd_db_close(&db->head);
	else
		*out = &db->head;
	/* CockroachDB divides tables by itself, and has other statements for it. */
	if (rc >= 0 && !db->pq.parameterStatus(db->conn, "crdb_version"))
		db->head.schema_folder = "pg/";
	return rc;
}

#else

int hd_db_server_available(struct hd_err *err)
{
	return hd_fail(err, HD_EIO, "this hotdrift was built without libpq's header");
}

int hd_pg_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err)
{
	(void)out;
	(void)o;
	return hd_fail(err, HD_EIO,
		"--db: this program was built without libpq and cannot use servers: install libpq-dev and rebuild it, "
		"or name a file for SQLite");
}

#endif

/*
 * The expected schema is created in an SQLite database in memory.  The server prints definitions in its own dialect, so
 * only names, kinds, columns, their NOT NULL, and triggers are compared.  A column is listed as an object, with its
 * table.  Indexes and references are not compared, because the server itself keeps them intact.  Partitions have a
 * check of their own (partitions.h).
 */
#define PARTITIONS \
	"(SELECT CAST(c.relname AS TEXT) FROM pg_class t JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c " \
	"ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = current_schema() AND " \
	"c.relnamespace = t.relnamespace AND t.relkind = 'p' AND t.relname IN " HD_PARTITIONED_TABLES ")"
static const char expected_objects[] =
	"SELECT type, name, '', '' FROM sqlite_master WHERE type IN ('table', 'view') UNION ALL SELECT 'column', "
	"m.name || '.' || c.name, m.name, CASE WHEN m.type = 'table' AND c.\"notnull\" THEN 'NOT NULL' ELSE '' END "
	"FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') ORDER BY 1, 2";
static const char server_objects[] =
	"SELECT type, name, tab, def FROM (SELECT CAST(CASE t.table_type WHEN 'BASE TABLE' THEN 'table' WHEN 'VIEW' "
	"THEN 'view' ELSE t.table_type END AS TEXT) AS type, CAST(t.table_name AS TEXT) AS name, '' AS tab, '' AS def "
	"FROM information_schema.tables t WHERE t.table_schema = current_schema() AND CAST(t.table_name AS TEXT) NOT "
	"IN " PARTITIONS " UNION ALL SELECT 'column', "
	"c.table_name || '.' || c.column_name, CAST(c.table_name AS TEXT), CASE WHEN c.is_nullable = 'NO' THEN 'NOT "
	"NULL' ELSE '' END FROM information_schema.columns c WHERE c.table_schema = current_schema() AND "
	"CAST(c.table_name AS TEXT) NOT IN " PARTITIONS " UNION ALL SELECT "
	"'trigger', CAST(g.tgname AS TEXT), CAST(k.relname AS TEXT), '' FROM pg_trigger g JOIN pg_class k ON k.oid = "
	"g.tgrelid JOIN pg_namespace n ON n.oid = k.relnamespace WHERE NOT g.tgisinternal AND n.nspname = "
	"current_schema()) x ORDER BY type COLLATE \"C\", name COLLATE \"C\"";

int hd_pg_check(struct hd_db *db, struct hd_err *err)
{
	struct hd_db *expected = NULL;
	int rc = hd_sqlite_open_memory(&expected, err);

	if (rc >= 0)
		rc = hd_schema_replay(expected, db, "SELECT version FROM schema_version ORDER BY version", err);
	if (rc >= 0)
		rc = hd_schema_compare(db, server_objects, expected, expected_objects, err);
	if (rc >= 0)
		rc = hd_partitions_check(db, err);
	hd_db_close(expected);
	return rc;
}
