/*
 * pg_check.c - does a schema on a server have the tables and views of ours?  See backend.h
 *
 * The server keeps indexes and references.  It prints definitions in words of its own, so only names, kinds, columns and
 * triggers are compared, with those of an SQLite database in memory.
 */
#include "db/backend.h"

#include "db/schema.h"
#include "db/sqlite.h"

/* A column is an object of its own, with its table. */
static const char ours[] =
	"SELECT type, name, '', '' FROM sqlite_master WHERE type IN ('table', 'view') UNION ALL SELECT 'column', "
	"m.name || '.' || c.name, m.name, CASE WHEN m.type = 'table' AND c.\"notnull\" THEN 'NOT NULL' ELSE '' END "
	"FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') ORDER BY 1, 2";
static const char theirs[] =
	"SELECT type, name, tab, def FROM (SELECT CAST(CASE t.table_type WHEN 'BASE TABLE' THEN 'table' WHEN 'VIEW' "
	"THEN 'view' ELSE t.table_type END AS TEXT) AS type, CAST(t.table_name AS TEXT) AS name, '' AS tab, '' AS def "
	"FROM information_schema.tables t WHERE t.table_schema = current_schema() UNION ALL SELECT 'column', "
	"c.table_name || '.' || c.column_name, CAST(c.table_name AS TEXT), CASE WHEN c.is_nullable = 'NO' THEN 'NOT "
	"NULL' ELSE '' END FROM information_schema.columns c WHERE c.table_schema = current_schema() UNION ALL SELECT "
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
		rc = hd_schema_compare(db, theirs, expected, ours, err);
	hd_db_close(expected);
	return rc;
}
