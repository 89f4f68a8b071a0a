/*
 * sqlite_check.c - check that an SQLite file has the schema and the structure that this program creates
 *
 * The hashes of trust/ cover the rows that a query returns.  An attacker who edits the file can also change what
 * the query reads: remove entries from an index, replace a table by a view, change the text of a view, or store a value
 * that SQL and C read differently.
 */
#include "db/sqlite.h"

#include "base/mem.h"
#include "db/schema.h"

#include <stdlib.h>
#include <string.h>

/* ---- the schema ---- */

/*
 * SQLite allows NULL in a primary key unless the column is declared NOT NULL, and no statement can add that to an
 * existing table.  The declaration does not change the file format.  So the stored text of the table is edited, as
 * SQLite's documentation of ALTER TABLE allows.
 */
static const char complete[] =
	"PRAGMA writable_schema = ON;"
	"UPDATE sqlite_master SET sql = REPLACE(REPLACE(sql, ' BIGINT PRIMARY KEY', ' BIGINT NOT NULL PRIMARY KEY'), "
	"' TEXT PRIMARY KEY', ' TEXT NOT NULL PRIMARY KEY') WHERE type = 'table';"
	"PRAGMA writable_schema = RESET;";

int hd_sqlite_complete(struct hd_db *hdb, struct hd_err *err)
{
	struct hd_sqlite *db = (struct hd_sqlite *)hdb;
	int rc;

	sqlite3_db_config(db->sq, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	rc = hd_db_exec(hdb, complete, err);
	sqlite3_db_config(db->sq, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return rc;
}

/* The tables of ANALYZE are ignored: they change query plans, not results. */
#define OBJECTS \
	"SELECT type, name, tbl_name, sql FROM sqlite_master WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', " \
	"'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')) ORDER BY type, name"

int hd_sqlite_check(struct hd_db *db, struct hd_err *err)
{
	struct hd_db *expected = NULL;
	int rc = hd_sqlite_open_memory(&expected, err);

	if (rc >= 0)
		rc = hd_schema_replay(expected, db, "SELECT version FROM schema_version ORDER BY rowid", err);
	if (rc >= 0)
		rc = hd_schema_compare(db, OBJECTS, expected, OBJECTS, err);
	hd_db_close(expected);
	return rc;
}

/* ---- the contents ---- */

/*
 * Set *fault to the first row of a pragma that lists faults; NULL if it has none.  The caller frees *fault.  There is
 * no time limit, since the pragma reads the whole file once.
 */
static int first_fault(struct hd_sqlite *db, const char *pragma, char **fault, struct hd_err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db->sq, pragma, -1, &st, NULL);

	*fault = NULL;
	db->deadline_ms = INT64_MAX;
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (!text)
			hd_out_of_memory("sqlite");
		*fault = hd_strdup(text);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_OK || rc == SQLITE_DONE ? 0 : hd_sqlite_fail(db, rc, err);
}

int hd_sqlite_check_storage(struct hd_db *hdb, struct hd_err *err)
{
	char *fault = NULL;
	int rc = first_fault((struct hd_sqlite *)hdb, "PRAGMA integrity_check(1)", &fault, err);

	/* integrity_check does not fail if a page cannot be read; its result contains the error code. */
	if (rc >= 0 && fault && strstr(fault, "error code"))
		rc = hd_fail(err, HD_EIO, "%s: the database is damaged or cannot be read: %.200s", hdb->name, fault);
	if (rc >= 0 && (!fault || strcmp(fault, "ok")))
		rc = hd_fail(err, HD_ENO, "%s: the file is damaged or was edited: %.200s", hdb->name,
			fault ? fault : "no answer of integrity_check");
	free(fault);
	return rc;
}

int hd_sqlite_check_references(struct hd_db *hdb, struct hd_err *err)
{
	char *fault = NULL;
	int rc = first_fault((struct hd_sqlite *)hdb, "PRAGMA foreign_key_check", &fault, err);

	if (rc >= 0 && fault)
		rc = hd_fail(err, HD_ENO, "%s: a row of table %.80s refers to a row that is missing", hdb->name, fault);
	free(fault);
	return rc;
}

/* ---- the types of values ---- */

/*
 * For each table, a query for the name of a column that has a value of another type than the schema declares, or a text
 * with a NUL byte.  SQL and C read such values differently: of 1.5 in a column of integers, C reads 1, and of a text
 * with a NUL byte, C reads the start.
 */
static const char type_queries[] =
	"SELECT printf('SELECT c FROM (SELECT CASE%s END AS c FROM \"%w\") WHERE c IS NOT NULL LIMIT 1', "
	"GROUP_CONCAT(printf(' WHEN typeof(\"%w\") NOT IN (''null'', %Q)%s THEN %Q', c.name, "
	"CASE c.type WHEN 'BIGINT' THEN 'integer' WHEN 'DOUBLE PRECISION' THEN 'real' ELSE LOWER(c.type) END, "
	"CASE c.type WHEN 'TEXT' THEN printf(' OR instr(\"%w\", char(0))', c.name) ELSE '' END, "
	"t.name || '.' || c.name), ''), t.name) FROM sqlite_master t, pragma_table_info(t.name) c "
	"WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name = COALESCE(?1, t.name) "
	"AND t.name <> ?2 GROUP BY t.name";

static int run_type_queries(struct hd_sqlite *db, sqlite3_stmt *queries, struct hd_err *err)
{
	int rc = 0, step = SQLITE_DONE;

	while (rc >= 0 && (step = sqlite3_step(queries)) == SQLITE_ROW) {
		const char *query = (const char *)sqlite3_column_text(queries, 0);
		char *fault;

		if (!query)
			hd_out_of_memory("sqlite");
		rc = first_fault(db, query, &fault, err);
		if (rc >= 0 && fault)
			rc = hd_fail(err, HD_ENO, "%s: the file was edited: a value of %.80s has another type than its "
				"column, or is a text with a NUL byte", db->head.name, fault);
		free(fault);
	}
	return rc < 0 || step == SQLITE_DONE ? rc : hd_sqlite_fail(db, step, err);
}

int hd_sqlite_check_types(struct hd_db *hdb, const char *only, const char *except, struct hd_err *err)
{
	struct hd_sqlite *db = (struct hd_sqlite *)hdb;
	sqlite3_stmt *queries = NULL;
	int rc = sqlite3_prepare_v2(db->sq, type_queries, -1, &queries, NULL);

	if (rc != SQLITE_OK)
		return hd_sqlite_fail(db, rc, err);
	sqlite3_bind_text(queries, 1, only, -1, SQLITE_STATIC);
	sqlite3_bind_text(queries, 2, except ? except : "", -1, SQLITE_STATIC);
	rc = run_type_queries(db, queries, err);
	sqlite3_finalize(queries);
	return rc;
}
