/*
 * partitions.c - see partitions.h
 */
#include "db/partitions.h"

#include "base/assets.h"
#include "base/buf.h"
#include "base/mem.h"
#include "db/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NEXT_EVERY = 1024,	/* one of this many runs tries to make the next partition */
	/* how long it waits for other writers; shorter than the time after which the server looks for deadlocks */
	NEXT_WAIT_MS = 200,
};

static bool has_partitions(const struct hd_db *db)
{
	return db->schema_folder != NULL;
}

bool hd_partition_is_missing(const struct hd_db *db)
{
	return db->lacks_partition;
}

static int make(struct hd_db *db, int64_t run, unsigned wait_ms, struct hd_err *err)
{
	char wait[16];

	snprintf(wait, sizeof(wait), "%u", wait_ms);
	return hd_db_do(db, err,
		"SELECT set_config('lock_timeout', CAST($1 AS TEXT), true), make_partition(CAST($2 AS BIGINT))", "ti",
		wait, run);
}

int hd_partition_make(struct hd_db *db, int64_t run, struct hd_err *err)
{
	return has_partitions(db) ? make(db, run, db->busy_ms, err) : 0;
}

void hd_partition_make_next(struct hd_db *db, int64_t run)
{
	if (has_partitions(db) && run % HD_PARTITION_RUNS >= HD_PARTITION_RUNS / 2 && run % NEXT_EVERY == 0)
		make(db, run + HD_PARTITION_RUNS, NEXT_WAIT_MS, NULL);
}

/*
 * The partitions of the large tables: tab (the table), name, oid, relkind, bounds, number (the suffix of the name),
 * first (there is no lower bound) and fits (the bounds are those of the number).
 */
#define PARTITIONS \
	"(SELECT p.tab, p.name, p.oid, p.relkind, p.bounds, p.number, p.bounds LIKE '%(MINVALUE)%' AS first, " \
	"COALESCE(p.bounds IN (format('FOR VALUES FROM (%L) TO (%L)', number * 1048576, (number + 1) * 1048576), " \
	"format('FOR VALUES FROM (MINVALUE) TO (%L)', (number + 1) * 1048576)), false) AS fits FROM " \
	"(SELECT CAST(t.relname AS TEXT) AS tab, CAST(c.relname AS TEXT) AS name, c.oid, " \
	"CAST(c.relkind AS TEXT) AS relkind, pg_get_expr(c.relpartbound, c.oid) AS bounds, CASE WHEN " \
	"c.relnamespace = t.relnamespace THEN CAST(substring(c.relname FROM '^' || t.relname || " \
	"'_(0|[1-9][0-9]{0,11})$') AS BIGINT) END AS number FROM pg_class t JOIN pg_namespace n ON " \
	"n.oid = t.relnamespace JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c ON c.oid = i.inhrelid " \
	"WHERE n.nspname = current_schema() AND t.relname IN " HD_PARTITIONED_TABLES ") p)"

int hd_partitions_old(struct hd_partitions *list, struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	*list = (struct hd_partitions){ 0 };
	if (!has_partitions(db))
		return 0;
	rc = hd_db_query(&r, db, err,
		"SELECT x.number, x.begins, x.ends, (SELECT COUNT(*) FROM run r WHERE r.id >= x.begins AND "
		"r.id < x.ends) FROM (SELECT number, CASE WHEN BOOL_OR(first) THEN CAST('-9223372036854775808' AS "
		"BIGINT) ELSE number * 1048576 END AS begins, (number + 1) * 1048576 AS ends FROM " PARTITIONS " p "
		"WHERE fits AND relkind = 'r' GROUP BY number HAVING COUNT(*) = 5 AND COUNT(DISTINCT first) = 1) x "
		"WHERE x.ends <= (SELECT q.last_value FROM pg_sequences q WHERE q.schemaname = current_schema() AND "
		"q.sequencename = 'run_ids') ORDER BY x.number",
		"");
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		HD_GROW(list->items, list->n + 1, list->cap);
		list->items[list->n++] = (struct hd_partition){ hd_col_int(&r, 0), hd_col_int(&r, 1),
			hd_col_int(&r, 2), hd_col_int(&r, 3) };
	}
	hd_db_end(&r);
	return rc;
}

void hd_partitions_release(struct hd_partitions *list)
{
	free(list->items);
	*list = (struct hd_partitions){ 0 };
}

int hd_partition_drop(struct hd_db *db, int64_t number, struct hd_err *err)
{
	int64_t dropped = 0;
	int rc = hd_db_query_int(db, &dropped, 0, err, "SELECT drop_partition(CAST($1 AS BIGINT))", "i", number);

	return rc < 0 ? rc : dropped == 1;
}

/*
 * List the ids of runs that are not in table run, but have rows in partitions on other servers.  Only event and series
 * are read, because the rows of the other tables refer to these.
 */
static int find_stray(struct hd_db *db, int64_t **runs, size_t *n, struct hd_err *err)
{
	struct hd_buf sql = { 0 };
	struct hd_db_rows r;
	size_t cap = 0;
	int rc = hd_db_query(&r, db, err,
		"SELECT format('SELECT run_id FROM %I', name) FROM " PARTITIONS " p WHERE relkind = 'f' AND number IS "
		"NOT NULL AND tab IN ('event', 'series') ORDER BY name", "");

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
		hd_buf_addf(&sql, "%s%s", sql.len ? " UNION ALL " : "", hd_col_bytes(&r, 0, &(size_t){ 0 }));
	hd_db_end(&r);
	if (rc >= 0 && sql.len) {
		hd_buf_adds(&sql, " EXCEPT SELECT id FROM run");
		rc = hd_db_query_text(&r, db, err, hd_buf_str(&sql));
		while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
			HD_GROW(*runs, *n + 1, cap);
			(*runs)[(*n)++] = hd_col_int(&r, 0);
		}
		hd_db_end(&r);
	}
	hd_buf_release(&sql);
	return rc;
}

int hd_partitions_delete_run(struct hd_db *db, int64_t run, struct hd_err *err)
{
	/* Rows are deleted before the rows that they refer to. */
	static const char *const deletes[] = {
		"DELETE FROM hotspot WHERE run_id = $1", "DELETE FROM event WHERE run_id = $1",
		"DELETE FROM benchmark_cover WHERE run_id = $1", "DELETE FROM series_summary WHERE run_id = $1",
		"DELETE FROM series WHERE run_id = $1",
	};
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(deletes) && rc >= 0; i++)
		rc = hd_db_do(db, err, deletes[i], "i", run);
	return rc;
}

int hd_partitions_delete_stray(struct hd_db *db, struct hd_err *err)
{
	int64_t *runs = NULL;
	size_t n = 0;
	int rc = has_partitions(db) ? find_stray(db, &runs, &n, err) : 0;

	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = hd_partitions_delete_run(db, runs[i], err);
	free(runs);
	return rc;
}

/* ---- checking ---- */

/*
 * SQL for a text about the table `oid` that lists, separated by "; ": keys, references, other constraints except NOT
 * NULL, indexes, triggers, rules, policies and row security.  The suffix _NUMBER is removed from the names of
 * partitions that references lead to, and indexes are listed without their names.  Indexes of keys and the internal
 * triggers of references are listed only if they are invalid or disabled.
 */
#define ITEMS(oid, number) \
	"(SELECT COALESCE(string_agg(i.item, '; ' ORDER BY i.item COLLATE \"C\"), '') FROM (" \
	"SELECT replace(pg_get_constraintdef(k.oid), '_' || " number " || '(', '(') AS item FROM pg_constraint k " \
	"WHERE k.conrelid = " oid " AND k.contype <> 'n' UNION ALL " \
	"SELECT CASE WHEN x.indisvalid AND x.indisready THEN '' ELSE 'invalid ' END || replace(pg_get_indexdef(" \
	"x.indexrelid), format('INDEX %I ON %I.%I ', c.relname, n.nspname, t.relname), 'INDEX ') FROM pg_index x " \
	"JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON " \
	"n.oid = t.relnamespace WHERE x.indrelid = " oid " AND (NOT x.indisvalid OR NOT x.indisready OR NOT EXISTS " \
	"(SELECT 1 FROM pg_constraint k WHERE k.conindid = x.indexrelid AND k.conrelid = " oid ")) UNION ALL " \
	"SELECT 'trigger ' || g.tgname FROM pg_trigger g WHERE g.tgrelid = " oid " AND (NOT g.tgisinternal OR " \
	"g.tgenabled <> 'O') UNION ALL " \
	"SELECT 'rule ' || w.rulename FROM pg_rewrite w WHERE w.ev_class = " oid " UNION ALL " \
	"SELECT 'policy ' || y.polname FROM pg_policy y WHERE y.polrelid = " oid " UNION ALL " \
	"SELECT 'row security' FROM pg_class c WHERE c.oid = " oid " AND c.relrowsecurity) i)"

/* What ITEMS() must return for a partition of each table. */
#define EXPECTED \
	"(VALUES ('event', 'CREATE INDEX USING btree (stacks); FOREIGN KEY (run_id) REFERENCES run(id); FOREIGN KEY " \
	"(stacks) REFERENCES stack_blob(sha256); PRIMARY KEY (run_id, event)'), " \
	"('hotspot', 'CREATE INDEX USING btree (((run_id / 32)), symbol_id, run_id); FOREIGN KEY (object_id) " \
	"REFERENCES object(id); FOREIGN KEY (run_id, event) REFERENCES event(run_id, event); FOREIGN KEY (symbol_id) " \
	"REFERENCES symbol(id); PRIMARY KEY (run_id, event, rank)'), " \
	"('series', 'CREATE INDEX USING btree (csv); FOREIGN KEY (csv) REFERENCES stack_blob(sha256); FOREIGN KEY " \
	"(run_id) REFERENCES run(id); PRIMARY KEY (run_id, series)'), " \
	"('series_summary', 'FOREIGN KEY (run_id, series) REFERENCES series(run_id, series); PRIMARY KEY (run_id, " \
	"series, ordinal)'), " \
	"('benchmark_cover', 'FOREIGN KEY (run_id, series) REFERENCES series(run_id, series); PRIMARY KEY (run_id, " \
	"series, ordinal)'))"

/* Queries for differences.  Each returns a message with %s, and the name of the table or partition for the %s. */
static const char *const differences[] = {
	"SELECT CASE WHEN p.number IS NULL OR p.relkind NOT IN ('r', 'f') THEN 'its schema has the partition %s, which "
	"hotdrift does not make' WHEN NOT p.fits THEN 'the partition %s has other bounds than its name' ELSE 'the "
	"definition of the partition %s was changed' END, p.name FROM (SELECT p.*, " ITEMS("p.oid", "p.number")
	" AS items FROM " PARTITIONS " p) p JOIN " EXPECTED " e (tab, items) ON e.tab = p.tab WHERE p.number IS "
	"NULL OR p.relkind NOT IN ('r', 'f') OR NOT p.fits OR p.items <> CASE p.relkind WHEN 'f' THEN '' ELSE "
	"e.items END ORDER BY p.name",

	"SELECT 'the definition of the table %s was changed', CAST(p.relname AS TEXT) FROM pg_class p WHERE "
	"p.relnamespace = CAST(current_schema() AS regnamespace) AND p.relname IN " HD_PARTITIONED_TABLES " AND "
	"(p.relkind <> 'p' OR pg_get_partkeydef(p.oid) <> 'RANGE (run_id)' OR " ITEMS("p.oid", "'-'")
	" <> '') ORDER BY 2",

	"SELECT 'its schema lacks the partition %s', e.tab || '_' || k.number FROM " EXPECTED " e (tab, items) CROSS "
	"JOIN (SELECT DISTINCT number FROM " PARTITIONS " p) k WHERE NOT EXISTS (SELECT 1 FROM " PARTITIONS " p WHERE "
	"p.tab = e.tab AND p.number = k.number) ORDER BY 2",

	/* Runs without a partition.  `prune` drops a partition only if it deletes all of its runs as well. */
	"SELECT 'its schema lacks the partition %s', 'event_' || k.number FROM (SELECT DISTINCT id / 1048576 AS number "
	"FROM run) k WHERE NOT EXISTS (SELECT 1 FROM " PARTITIONS " p WHERE p.tab = 'event' AND (p.number = k.number "
	"OR (p.first AND p.number > k.number))) ORDER BY k.number",
};

static int check_differences(struct hd_db *db, const char *sql, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err, sql, "");

	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0) {
		char *what = hd_col_text(&r, 0), *name = hd_col_text(&r, 1);
		const char *at = strstr(what, "%s");

		rc = hd_fail(err, HD_ENO, "%s: %.*s%.80s%s", hd_db_name(db), at ? (int)(at - what) : 0, what,
			name ? name : "", at ? at + 2 : what);
		free(what);
		free(name);
	}
	hd_db_end(&r);
	return rc;
}

/* Compare the functions of the database with the schema file that creates them. */
static int check_functions(struct hd_db *db, struct hd_err *err)
{
	const struct hd_asset *file = hd_asset_find("pg/019_partitions.sql");
	int rc, same = 0;
	struct hd_db_rows r;

	rc = hd_db_query(&r, db, err,
		"SELECT format('CREATE FUNCTION %s(%s) RETURNS %s LANGUAGE %s%s AS $$%s$$;', p.proname, "
		"pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), l.lanname, CASE WHEN p.prosecdef "
		"THEN ' SECURITY DEFINER' ELSE '' END, p.prosrc) FROM pg_proc p JOIN pg_namespace n ON "
		"n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang WHERE n.nspname = current_schema() AND "
		"(p.proname, array_to_string(p.proconfig, ';')) IN (('make_partition', format('search_path=%I, "
		"pg_temp', current_schema())), ('drop_partition', 'lock_timeout=200ms'))",
		"");
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *text = hd_col_text(&r, 0);

		same += text && file && strstr(file->data, text) != NULL;
		free(text);
	}
	hd_db_end(&r);
	if (rc >= 0 && same != 2)
		rc = hd_fail(err, HD_ENO, "%s: the functions make_partition and drop_partition were changed",
			hd_db_name(db));
	return rc;
}

int hd_partitions_check(struct hd_db *db, struct hd_err *err)
{
	int rc = has_partitions(db) ? check_functions(db, err) : 0;

	for (size_t i = 0; has_partitions(db) && i < HD_COUNT(differences) && rc >= 0; i++)
		rc = check_differences(db, differences[i], err);
	return rc;
}
