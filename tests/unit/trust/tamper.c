/*
 * tamper.c - verify must detect changes of the file that bypass the rules of the database
 *
 * The edits use SQLite's own interface without defensive mode, as the sqlite3 program does.
 */
#include "unit/history/history_test.h"

#include "history/acks.h"
#include "trust/anchor.h"
#include "trust/chain.h"
#include "trust/journal.h"

#include <sqlite3.h>

struct fixture {
	struct place place;
	struct hd_run_ticket tickets[4];
};

/* Add a row to each table that no run covers, as the commands do. */
static void add_rest(struct hd_db *db)
{
	static const char *const rows[] = {
		"INSERT INTO tombstone SELECT origin, seq, run_id, content_hash, prev_hash, run_hash, 'a rule', "
		"added_utc FROM run WHERE seq = 4",
		"DELETE FROM hotspot WHERE run_id = 4", "DELETE FROM event WHERE run_id = 4",
		"DELETE FROM run WHERE id = 4",
		"INSERT INTO acknowledgement (id, symbol, level_pct, reason, created_utc) VALUES (1, 'parse_row', 70, "
		"'larger rows', '2026-11-01T00:00:00Z')",
		"INSERT INTO expectation (id, target, measure, symbol, at_most, created_utc) VALUES (1, 'serve', "
		"'self_pct', 'parse_row', 10, '2026-11-01T00:00:00Z')",
		"INSERT INTO gate_result (id, found_utc, command, target, mode, event, base_ref, head_ref, verdict, "
		"look, level, failed, shifted, unsure) VALUES (1, '2026-11-01T00:00:00Z', 'gate', 'serve', 'cpu', "
		"'cycles:u', 'a', 'b', 'FAIL', 1, 0.05, 1, 0, 0)",
		"INSERT INTO gate_run (gate_id, run_id, side) VALUES (1, 1, 'base'), (1, 2, 'head')",
		"INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, "
		"change_pct, ci_lo, ci_hi, q, found_utc, gate_id) VALUES (1, 1, 2, 0, 1, 'cost', 'FAIL', 1, 2, 3, 4, "
		"5, 0.01, '2026-11-01T00:00:00Z', 1)",
	};
	struct hd_err err = { 0 };
	char *origin = text_of(db, "SELECT origin FROM chain WHERE is_local = 1");

	EXPECT_INT(hd_db_begin(db, &err), 0);
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (hd_db_exec(db, rows[i], &err) < 0)
			print_message("%s\n", err.msg);
	EXPECT_INT(hd_journal_note(db, HD_JOURNAL_ACKNOWLEDGEMENT, "", 1, &err), 0);
	EXPECT_INT(hd_journal_note(db, HD_JOURNAL_EXPECTATION, "serve", 0, &err), 0);
	EXPECT_INT(hd_journal_note(db, HD_JOURNAL_GATE, "", 1, &err), 0);
	EXPECT_INT(hd_journal_note(db, HD_JOURNAL_PRUNED, origin, 4, &err), 0);
	free(origin);
	EXPECT_INT(hd_db_commit(db, &err), 0);
}

static void write_file(const char *path, const struct hd_buf *bytes)
{
	FILE *f = fopen(path, "w");

	EXPECT_INT(fwrite(bytes->data, 1, bytes->len, f), bytes->len);
	fclose(f);
}

static void read_file(const char *path, struct hd_buf *bytes)
{
	FILE *f = fopen(path, "r");
	char some[4096];
	size_t n;

	while ((n = fread(some, 1, sizeof(some), f)) > 0)
		hd_buf_add(bytes, some, n);
	fclose(f);
}

/* Three runs, of which the third has all optional members, and the tombstone of a fourth. */
static struct fixture make_three_runs(void)
{
	struct fixture f = { .place = place_new() };
	struct hd_db *db = must_open(f.place.db, HD_DB_WRITE);
	static const struct hd_run_dropped dropped = { "no_mapping", 1 };
	static const struct hd_run_artifact artifact = { "recording", "perf.data", 77,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" };
	struct hd_log log = { 0 };
	struct hd_machine machine = {
		.source = "here", .arch = hd_strdup("x86_64"), .cpu_model = hd_strdup("a\\b\001"), .cpus_online = 2,
		.memory_bytes = 1 << 20,
		.boot_id = hd_strdup("boot"),
	};
	struct hd_config config;
	struct hd_git_commit git = {
		.sha = "0123456789abcdef0123456789abcdef01234567", .parents = "", .subject = "a subject",
		.committed_utc = "2026-10-23T13:00:00Z", .dirty = 0,
	};

	hd_machine_seal(&machine);
	EXPECT_INT(hd_config_parse(&config, "{\"a\":1}", 7, "config", NULL), 0);
	hd_warn(&log, "lost.tail", "a hint", "one sample was lost");
	for (int i = 0; i < 4; i++) {
		struct hd_run run = i != 2 ? sample_run() : full_run();

		run.recorded += i + 1;
		if (i == 2) {
			run.git = &git;
			run.dropped = &dropped;
			run.ndropped = 1;
			run.artifacts = &artifact;
			run.nartifacts = 1;
			run.warnings = &log;
			run.machine = &machine;
			run.config = &config;
		}
		f.tickets[i] = must_add(db, &run);
	}
	add_rest(db);
	hd_config_release(&config);
	hd_machine_release(&machine);
	hd_log_release(&log);
	hd_db_close(db);
	return f;
}

/* Edit the file without any protection of SQLite. */
static void edit(const char *path, const char *sql)
{
	char *why = NULL;
	sqlite3 *sq;

	if (on_server()) {
		struct hd_db *db = must_open(path, HD_DB_WRITE);

		forget_references(db);
		EXPECT_INT(hd_db_exec(db, sql, NULL), 0);
		hd_db_close(db);
		return;
	}
	EXPECT_INT(sqlite3_open(path, &sq), SQLITE_OK);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	sqlite3_exec(sq, "PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON", NULL, NULL, NULL);
	if (sqlite3_exec(sq, sql, NULL, NULL, &why) != SQLITE_OK)
		print_message("%s: %s\n", sql, why);
	EXPECT(!why);
	sqlite3_close(sq);
}

/*
 * Verify the file in its present state.  Returns the result of hd_chain_verify() or of opening the file; the message
 * is in *err.
 */
static int verify(const char *path, struct hd_err *err)
{
	struct hd_chain_walk found;
	struct hd_db *db;
	int rc = open_as(&db, path, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	rc = hd_chain_verify(db, NULL, &found, err);
	hd_db_close(db);
	return rc;
}

/* Return a new database with the runs of make_three_runs(), which verify() accepts.  SQLite files are copies of one. */
static struct fixture three_runs(void)
{
	static struct fixture first;
	static struct hd_buf bytes;
	struct fixture f;
	struct hd_err err;

	if (bytes.len) {
		f = first;
		f.place = place_new();
		write_file(f.place.db, &bytes);
		return f;
	}
	f = make_three_runs();
	if (!on_server()) {
		first = f;
		read_file(f.place.db, &bytes);
		EXPECT(bytes.len > 0);
	}
	EXPECT_INT(verify(f.place.db, &err), 0);
	return f;
}

static void tampered(const char *sql, const char *want)
{
	struct fixture f = three_runs();
	struct hd_err err = { 0 };

	edit(f.place.db, sql);
	EXPECT_INT(verify(f.place.db, &err), HD_ENO);
	if (!strstr(err.msg, want))
		print_message("%s\n", err.msg);
	EXPECT(strstr(err.msg, want));
	place_remove(&f.place);
}

/* A copy of run 1 that claims to be the newest one, outside of the chain. */
#define STRAY(origin) \
	"CREATE TEMP TABLE t AS SELECT * FROM run WHERE id = 1;" \
	"UPDATE t SET id = 9, run_id = 'x', run_hash = 'x', recorded_utc = '2027-01-01T00:00:00Z', " \
	"origin = " origin ";" \
	"INSERT INTO run SELECT * FROM t"

TEST(a_run_beside_the_chains_is_seen_whatever_its_origin_is)
{
	static const char any_origin[] = "UPDATE sqlite_master SET sql = REPLACE(sql, 'origin        TEXT NOT NULL', "
					 "'origin        TEXT') WHERE name IN ('run', 'chain'); PRAGMA writable_schema "
					 "= RESET; PRAGMA writable_schema = ON;";
	char sql[1000];

	ONLY_SQLITE();
	tampered(STRAY("'elsewhere'"), "1 runs belong to no chain");
	/* A query with NOT IN would not find the run, because NOT IN is never true for a list with a NULL. */
	snprintf(sql, sizeof(sql), "%s%s", any_origin,
		 "INSERT INTO chain (origin, is_local, created_utc) VALUES (NULL, 0, '');" STRAY("'elsewhere'"));
	tampered(sql, "the definition of the table chain was changed");
	snprintf(sql, sizeof(sql), "%s%s", any_origin, STRAY("NULL") ";UPDATE sqlite_master SET sql = REPLACE(sql, "
		 "'origin        TEXT', 'origin        TEXT NOT NULL') WHERE name IN ('run', 'chain')");
	tampered(sql, "NULL value in run.origin");
}

TEST(a_chain_has_a_name)
{
	struct fixture f;
	sqlite3 *sq;

	ONLY_SQLITE();
	f = three_runs();
	EXPECT_INT(sqlite3_open(f.place.db, &sq), SQLITE_OK);
	EXPECT_INT(sqlite3_exec(sq, "INSERT INTO chain (origin, is_local, created_utc) VALUES (NULL, 0, '')",
				NULL, NULL, NULL), SQLITE_CONSTRAINT);
	EXPECT_INT(sqlite3_exec(sq, "UPDATE symbol SET id = NULL", NULL, NULL, NULL), SQLITE_CONSTRAINT);
	EXPECT_INT(sqlite3_exec(sq, "UPDATE stack_blob SET sha256 = NULL", NULL, NULL, NULL), SQLITE_CONSTRAINT);
	sqlite3_close(sq);
	place_remove(&f.place);
}

TEST(runs_beside_the_chains_or_missing_from_them_stop_who_selects_runs)
{
	static const char *const changes[] = {
		STRAY("'elsewhere'"), "", "DELETE FROM run WHERE seq = 3",
		"DELETE FROM run WHERE seq = 1", "DELETE FROM run", "DELETE FROM chain",
		"UPDATE run SET seq = 0 WHERE seq = 1",
	};
	struct fixture f;
	struct hd_err err = { 0 };
	struct hd_db *db;

	ONLY_SQLITE();
	for (size_t i = 0; i <= HD_COUNT(changes); i++) {
		f = three_runs();
		if (i && i < 3)
			edit(f.place.db, "DROP INDEX run_by_target");
		if (i)
			edit(f.place.db, i == 2 ? "CREATE TEMP TABLE t AS SELECT * FROM run WHERE id = 1; UPDATE t SET "
						  "id = 9, run_id = 'x', run_hash = 'x', seq = 4; INSERT INTO run "
						  "SELECT * FROM t" : changes[i - 1]);
		db = must_open(f.place.db, HD_DB_READ);
		EXPECT_INT(hd_chain_count(db, &err), i ? HD_EIO : 0);
		EXPECT(!i || strstr(err.msg, "were inserted or deleted without their chains; 'hotdrift verify' "
					     "names the first"));
		hd_db_close(db);
		place_remove(&f.place);
	}
}

TEST(an_index_that_lacks_a_row_is_seen)
{
	ONLY_SQLITE();
	/*
	 * SQLite 3.40 reports the row, 3.46 the wrong number of entries.  The edit indexes other rows under the name
	 * of the index run_by_time, so the index no longer matches its table.
	 */
	tampered("UPDATE sqlite_master SET sql = REPLACE(sql, 'ON run', 'ON artifact'), sql = 'CREATE INDEX "
		 "run_by_time ON run (recorded_utc) WHERE id < 3' WHERE name = 'run_by_time'; PRAGMA writable_schema = "
		 "RESET; REINDEX run_by_time; PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE "
		 "INDEX run_by_time ON run (recorded_utc)' WHERE name = 'run_by_time'",
		 " index run_by_time");
}

TEST(missing_stacks_are_seen)
{
	tampered("DELETE FROM stack_blob", "(stacks, or a series) was deleted after it was added");
	tampered("DELETE FROM stack_blob WHERE sha256 IN (SELECT csv FROM series)",
		 "(stacks, or a series) was deleted after it was added");
	tampered("UPDATE stack_blob SET zstd = CAST('x' AS BLOB)",
		 "(stacks, or a series) was changed after it was added");
}

TEST(a_changed_date_or_commit_in_the_id_of_a_run_is_seen)
{
	static const char wrong[] = "its id does not match its time, commit and hash";

	tampered("UPDATE run SET run_id = REPLACE(run_id, '20261023', '20271023') WHERE seq = 1", wrong);
	tampered("UPDATE run SET run_id = REPLACE(run_id, 'nocommit', '0123456') WHERE seq = 1", wrong);
	tampered("UPDATE run SET run_id = REPLACE(run_id, '0123456', 'fedcba9') WHERE seq = 3", wrong);
	tampered("UPDATE run SET run_id = SUBSTR(run_id, 1, LENGTH(run_id) - 4) WHERE seq = 3", wrong);
}

TEST(runs_that_were_renumbered_are_seen)
{
	/* Two runs of the same second are in the order of run.id. */
	static const char renumber[] =
		"UPDATE run SET id = 10 WHERE id = 1; UPDATE event SET run_id = 10 WHERE run_id = 1; UPDATE hotspot "
		"SET run_id = 10 WHERE run_id = 1; UPDATE gate_run SET run_id = 10 WHERE run_id = 1; UPDATE "
		"drift_event SET base_run = 10 WHERE base_run = 1";

	ONLY_SQLITE();
	tampered(renumber, "its row was renumbered: run.id is less than that of the run before it");
}

/* The id of a symbol depends on the backend: a server gets the symbols of a run in the order of their keys. */
#define PARSE_ROW "(SELECT MIN(id) FROM symbol WHERE name = 'parse_row')"
TEST(a_changed_identity_of_a_symbol_is_seen)
{
	tampered("UPDATE symbol SET key = 'x' WHERE id = " PARSE_ROW, "(parse_row) was changed: its key");
	tampered("UPDATE symbol SET normal = 'other' WHERE id = " PARSE_ROW, "(parse_row) was changed: its key");
	tampered("UPDATE symbol SET normal_raw = CAST('other' AS BLOB) WHERE id = " PARSE_ROW,
		 "(parse_row) was changed: its key");
	tampered("UPDATE object SET key = 'x' WHERE id = 1", "object 1 was changed: its key");
	/* A second symbol with the same names, for the newest run only: its cost would be another symbol's. */
	tampered("INSERT INTO symbol SELECT 9, 'x', object, object_raw, linkage, linkage_raw, name, name_raw, normal, "
		 "normal_raw FROM symbol WHERE id = " PARSE_ROW "; "
		 "UPDATE hotspot SET symbol_id = 9 WHERE symbol_id = " PARSE_ROW " AND run_id = 3",
		 "symbol 9 (parse_row) was changed: its key");
	tampered("UPDATE hotspot SET symbol_id = (SELECT MIN(id) FROM symbol WHERE name <> 'parse_row') "
		 "WHERE symbol_id = " PARSE_ROW " AND run_id = 3",
		 "(3 of its chain): its content was changed");
}
#undef PARSE_ROW

/* The next run with its key would use a row that was inserted by hand. */
TEST(a_configuration_or_machine_that_was_inserted_in_advance_is_seen)
{
	tampered("INSERT INTO config SELECT 9, REPLACE(sha256, 'a', 'b'), form, canonical FROM config",
		 "config 9 was changed: its key does not match its canonical text");
	tampered("INSERT INTO machine (id, key, fingerprint, source, arch) SELECT 9, REPLACE(key, 'a', 'b'), "
		 "fingerprint, source, arch FROM machine",
		 "machine 9 was changed: its key or its fingerprint does not match");
}

TEST(an_acknowledgement_that_was_inserted_or_altered_by_hand_is_seen)
{
	static const char insert[] = "INSERT INTO acknowledgement (id, symbol, level_pct, reason, created_utc) VALUES "
				     "(2, 'parse_row', 99, 'x', '')";
	struct hd_err err = { 0 };
	struct fixture f;
	struct hd_db *db;

	tampered(insert, "acknowledgement 2: it was inserted by hand: the journal has no entry about it");
	tampered("UPDATE acknowledgement SET level_pct = 99",
		 "acknowledgement 1: it was altered or deleted after it was written");
	tampered("UPDATE acknowledgement SET withdrawn_utc = '2026-11-02T00:00:00Z'",
		 "acknowledgement 1: it was altered or deleted");
	tampered("DELETE FROM acknowledgement", "acknowledgement 1: it was altered or deleted");
	tampered("UPDATE acknowledgement SET id = 2", "acknowledgement 1: it was altered or deleted");
	f = three_runs();
	edit(f.place.db, insert);
	db = must_open(f.place.db, HD_DB_READ);
	EXPECT_INT(hd_chain_count(db, &err), HD_EIO);
	EXPECT_INT(hd_journal_holds(db, HD_JOURNAL_ACKNOWLEDGEMENT, "", 1, &err), 1);
	EXPECT_INT(hd_journal_holds(db, HD_JOURNAL_ACKNOWLEDGEMENT, "", 2, &err), 0);
	hd_db_close(db);
	place_remove(&f.place);
}

/* SQL reads 1.5 and C reads 1, so the older state of a row could pass for the newest. */
TEST(a_value_of_another_type_than_its_column_is_seen)
{
	static const struct { const char *sql, *column; } cases[] = {
		{ "UPDATE journal SET number = 1.5 WHERE kind = 'acknowledgement'", "journal.number" },
		{ "UPDATE journal SET kind = CAST(kind AS BLOB)", "journal.kind" },
		{ "UPDATE journal SET kind = CAST(kind || x'00' AS TEXT)", "journal.kind" },
		{ "UPDATE acknowledgement SET id = 1.5", "acknowledgement.id" },
		{ "UPDATE gate_result SET id = 1.5", "gate_result.id" },
		{ "UPDATE drift_event SET id = 1.5", "drift_event.id" },
		{ "UPDATE run SET id = 2.5 WHERE id = 2", "run.id" },
		{ "UPDATE hotspot SET run_id = 2.5 WHERE run_id = 2", "hotspot.run_id" },
		{ "UPDATE symbol SET key = CAST(key AS BLOB)", "symbol.key" },
		{ "UPDATE symbol SET key = CAST(key || x'00' AS TEXT)", "symbol.key" },
		{ "UPDATE symbol SET normal = CAST(normal AS BLOB)", "symbol.normal" },
		{ "UPDATE symbol SET normal = CAST(normal || x'00' AS TEXT)", "symbol.normal" },
		{ "UPDATE symbol SET normal = CAST(normal || x'0041' AS TEXT)", "symbol.normal" },
		{ "UPDATE object SET path_raw = 'x'", "object.path_raw" },
		{ "UPDATE stack_blob SET sha256 = CAST(sha256 AS BLOB)", "stack_blob.sha256" },
		{ "UPDATE series_summary SET value = CAST('1' AS BLOB)", "series_summary.value" },
	};
	char want[200];

	ONLY_SQLITE();
	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		snprintf(want, sizeof(want), "a value of %s has another type", cases[i].column);
		tampered(cases[i].sql, want);
	}
}

TEST(a_withdrawn_acknowledgement_does_not_return_by_an_id_that_is_no_integer)
{
	static const char return_it[] =
		"INSERT INTO acknowledgement SELECT id + 0.5, target, event, object, symbol, level_pct, commit_sha, "
		"reason, author, created_utc, expires_utc, withdrawn_utc FROM acknowledgement; "
		"UPDATE acknowledgement SET withdrawn_utc = NULL WHERE typeof(id) = 'integer'; "
		"UPDATE journal SET number = number + 0.5 WHERE kind = 'acknowledgement' AND seq > (SELECT MIN(seq) "
		"FROM journal k WHERE k.kind = journal.kind AND k.number = journal.number)";
	struct hd_acks acks;
	struct hd_err err = { 0 };
	struct fixture f;
	struct hd_db *db;
	int64_t n;

	ONLY_SQLITE();
	f = three_runs();
	db = must_open(f.place.db, HD_DB_WRITE);
	EXPECT_INT(hd_ack_withdraw(db, NULL, false, "parse_row", NULL, NULL, &n, &err), 0);
	EXPECT_INT(hd_acks_load(&acks, db, "serve", NULL, "2026-11-29T00:00:00Z", &err), 0);
	EXPECT_INT(acks.n, 0);
	hd_acks_release(&acks);
	hd_db_close(db);
	edit(f.place.db, return_it);
	EXPECT_INT(verify(f.place.db, &err), HD_ENO);
	EXPECT(strstr(err.msg, "a value of acknowledgement.id has another type"));
	db = must_open(f.place.db, HD_DB_READ);
	EXPECT_INT(hd_acks_load(&acks, db, "serve", NULL, "2026-11-29T00:00:00Z", &err), HD_EIO);
	EXPECT(strstr(err.msg, "its acknowledgements or its journal were edited by hand"));
	hd_db_close(db);
	place_remove(&f.place);
}

TEST(an_altered_or_removed_journal_is_seen)
{
	tampered("DELETE FROM journal WHERE seq = 3", "entry 3 of its journal is missing");
	tampered("DELETE FROM journal WHERE seq = (SELECT MAX(seq) FROM journal)", "its journal ends at ");
	tampered("UPDATE journal SET number = 2 WHERE kind = 'acknowledgement'", "of its journal was altered");
	tampered("UPDATE journal SET origin = 'x' WHERE seq = (SELECT MAX(seq) FROM journal)",
		 "an entry belongs to no journal");
	tampered("DELETE FROM journal; DELETE FROM chain WHERE kind = 'journal'", "its journal was removed");
	tampered("INSERT INTO chain (origin, is_local, created_utc, kind) VALUES ('x', 0, '', 'journal')",
		 "it has more than one journal");
	tampered("INSERT INTO chain (origin, is_local, created_utc) VALUES ('x', 0, '')",
		 "chain x 0: it was inserted by hand");
}

/* ---- every column of every row ---- */

/*
 * The columns of all tables: table, column, type, and whether it is part of the primary key.  The keys of a partitioned
 * table belong to its partitions, such as hotspot_0.  The server has the schemas of many tests: the views of
 * information_schema then take seconds for the same answer, which can exceed the time limit of a statement.
 */
static const char sqlite_columns[] =
	"SELECT t.name, c.name, c.type, c.pk > 0 FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = "
	"'table' ORDER BY t.name, c.cid";
static const char pg_columns[] =
	"SELECT CAST(t.relname AS TEXT), CAST(a.attname AS TEXT), UPPER(format_type(COALESCE(NULLIF(y.typbasetype, 0), "
	"y.oid), NULL)), CASE WHEN EXISTS (SELECT 1 FROM pg_index i JOIN pg_class k ON k.oid = i.indrelid JOIN "
	"pg_attribute key ON key.attrelid = k.oid AND key.attnum = ANY (i.indkey) WHERE i.indisprimary AND "
	"k.relnamespace = t.relnamespace AND k.relname IN (t.relname, t.relname || '_0') AND key.attname = a.attname) "
	"THEN 1 ELSE 0 END FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_attribute a ON "
	"a.attrelid = t.oid JOIN pg_type y ON y.oid = a.atttypid WHERE n.nspname = current_schema() AND t.relkind IN "
	"('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND t.relname NOT LIKE '%\\_0' ORDER BY t.relname, "
	"a.attnum";

struct column {
	char *table, *name, *type;
	/*
	 * SQL that counts the rows, and those with NULL in the column; stored here because prepared statements are
	 * cached by the address of their text
	 */
	char *rows, *nulls;
	bool key;
};

struct columns {
	struct column items[400];
	size_t n;
};

static void list_columns(struct hd_db *db, struct columns *list)
{
	struct hd_err err = { 0 };
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, &err, on_server() ? pg_columns : sqlite_columns, "");

	list->n = 0;
	while (rc >= 0 && (rc = hd_db_next(&r, &err)) > 0 && list->n < HD_COUNT(list->items))
		list->items[list->n++] = (struct column){ .table = hd_col_text(&r, 0),
							  .name = hd_col_text(&r, 1),
							  .type = hd_col_text(&r, 2),
							  .key = hd_col_int(&r, 3) };
	hd_db_end(&r);
	if (rc < 0)
		print_error("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	for (size_t i = 0; i < list->n; i++) {
		struct hd_buf rows = { 0 }, nulls = { 0 };

		hd_buf_addf(&rows, "SELECT COUNT(*) FROM %s", list->items[i].table);
		hd_buf_addf(&nulls, "%s WHERE %s IS NULL", rows.data, list->items[i].name);
		list->items[i].rows = hd_buf_take(&rows);
		list->items[i].nulls = hd_buf_take(&nulls);
	}
}

static void release_columns(struct columns *list)
{
	for (size_t i = 0; i < list->n; i++) {
		char *const texts[] = { list->items[i].table, list->items[i].name, list->items[i].type,
					list->items[i].rows, list->items[i].nulls };

		for (size_t k = 0; k < HD_COUNT(texts); k++)
			free(texts[k]);
	}
}

/* Return true for columns that are not tested: only `verify --key` can check an anchor. */
static bool is_exception(const struct column *c)
{
	return !strcmp(c->table, "anchor");
}

/* Append an UPDATE that sets the column of one row to another value of the same type, or to NULL. */
static void make_update(struct hd_buf *sql, const struct columns *all, const struct column *c, int64_t row, bool null)
{
	static const struct { const char *type, *value; } others[] = {
		{ "BIGINT", "COALESCE(%s, 0) + 1" }, { "DOUBLE PRECISION", "COALESCE(%s, 0) + 0.5" }, 
		{ "TEXT", "COALESCE(%s, '') || 'x'" },
		{ "BLOB", "CAST('?' AS BLOB)" }, { "BYTEA", "CAST('?' AS BLOB)" },
	};
	struct hd_buf keys = { 0 };
	size_t i = 0;

	while (i < HD_COUNT(others) && strcmp(others[i].type, c->type))
		i++;
	EXPECT(i < HD_COUNT(others));
	for (size_t k = 0; k < all->n; k++)
		if (!strcmp(all->items[k].table, c->table) && all->items[k].key)
			hd_buf_addf(&keys, "%s%s", keys.len ? ", " : "", all->items[k].name);
	EXPECT(keys.len > 0);
	hd_buf_addf(sql, "UPDATE %s SET %s = ", c->table, c->name);
	if (null)
		hd_buf_adds(sql, "NULL");
	else if (i < 3)
		for (const char *p = others[i].value; *p; p++)
			*p == '%' ? (void)(hd_buf_adds(sql, c->name), p++) : hd_buf_addc(sql, *p);
	else
		hd_buf_adds(sql, others[i].value);
	hd_buf_addf(sql, " WHERE (%s) = (SELECT %s FROM %s ORDER BY %s LIMIT 1 OFFSET %lld)",
		    keys.data, keys.data, c->table, keys.data, (long long)row);
	hd_buf_release(&keys);
}

/*
 * Change one row as make_update() does, verify the chain, and roll back.  Returns 1 if the verification failed, 0 if it
 * passed, -1 if the database rejects the change or `null` would change nothing.
 */
static int try_update(struct hd_db *db, const struct columns *all, const struct column *c, int64_t row, bool null)
{
	struct hd_buf sql = { 0 };
	struct hd_chain_walk found;
	int64_t before;
	int answer = -1;

	make_update(&sql, all, c, row, null);
	before = count(db, c->nulls);
	EXPECT_INT(hd_db_begin(db, NULL), 0);
	if (hd_db_exec(db, sql.data, NULL) >= 0 && (!null || count(db, c->nulls) != before))
		answer = hd_chain_verify(db, NULL, &found, NULL) < 0;
	hd_db_rollback(db);
	hd_buf_release(&sql);
	return answer;
}

/* Count the answers of try_update(): [0] the change was not noticed, [1] it was. */
static void try_and_count(struct hd_db *db, const struct columns *all, const struct column *c, int64_t row, bool null,
	int answers[2])
{
	int answer = try_update(db, all, c, row, null);

	if (!answer)
		print_message("not noticed: %s.%s, row %lld%s\n", c->table, c->name, (long long)row,
			null ? ", NULL" : "");
	if (answer >= 0)
		answers[answer]++;
}

TEST(a_change_of_any_column_of_any_row_is_seen)
{
	static struct columns all;
	struct fixture f = three_runs();
	struct hd_db *db = must_open(f.place.db, HD_DB_WRITE);
	struct hd_chain_walk found;
	struct hd_err err = { 0 };
	int answers[2] = { 0, 0 }, step = SANITIZED ? 4 : 1;

	forget_references(db);
	EXPECT_INT(hd_db_begin(db, NULL), 0);
	if (hd_chain_verify(db, NULL, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	hd_db_rollback(db);
	list_columns(db, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct column *c = &all.items[i];

		int64_t n = is_exception(c) ? 0 : on_server() ? count(db, c->rows) > 0 : count(db, c->rows);

		for (int64_t row = 0; row < n; row += step)
			try_and_count(db, &all, c, row, false, answers);
		if (n)
			try_and_count(db, &all, c, n - 1, true, answers);
	}
	EXPECT_INT(answers[0], 0);
	EXPECT(answers[1] > (on_server() ? 150 : 500 / step));
	hd_db_close(db);
	release_columns(&all);
	place_remove(&f.place);
}

/* ---- single bits of the file ---- */

static void add_value(struct hd_buf *out, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *p = hd_col_bytes(r, i, &n);

	hd_buf_addf(out, "%d:%zu:", (int)hd_col_kind(r, i), n);
	if (p)
		hd_buf_add(out, p, n);
}

/*
 * Append what queries of many tables and views return, also with orders and conditions that use
 * indexes.  Returns false if the file cannot be read.
 */
static bool all_answers(const char *path, struct hd_buf *out)
{
	static const char *const names[] = {
		"schema_version", "chain", "commit_info", "machine", "config", "stack_blob", "run", "artifact",
		"dropped", "run_warning", "event", "object", "symbol", "hotspot", "series", "series_summary",
		"expectation", "acknowledgement", "drift_event", "tombstone", "gate_result", "gate_run", "anchor",
		"journal", "benchmark_cover", "environment", "v_top5", "v_symbol_history", "v_run_summary",
		"v_series", "v_series_csv", "v_step", "v_benchmark", "v_benchmark_hotspot",
		"run ORDER BY recorded_utc", "run ORDER BY target, recorded_utc",
		"hotspot ORDER BY run_id / 32, symbol_id, run_id", "run WHERE run_hash > ''",
	};
	struct hd_err err = { 0 };
	struct hd_db *db;
	int rc = open_as(&db, path, HD_DB_QUERY, 0, &err);

	if (rc < 0)
		return false;
	for (size_t i = 0; i < HD_COUNT(names) && rc >= 0; i++) {
		struct hd_db_rows r;
		char sql[100];

		snprintf(sql, sizeof(sql), "SELECT * FROM %s", names[i]);
		rc = hd_db_query_user(&r, db, sql, NULL, 0, &err);
		while (rc >= 0 && (rc = hd_db_next(&r, &err)) > 0)
			for (int k = 0; k < hd_col_count(&r); k++)
				add_value(out, &r, k);
		hd_db_end(&r);
	}
	hd_db_close(db);
	if (rc < 0)
		hd_buf_addf(out, "%s", err.msg);
	return rc >= 0;
}

TEST(a_flipped_bit_that_changes_an_answer_is_seen)
{
	enum { HEADER = 100, EVERY = 401 };	/* every 401st byte that is not 0: most zeros are free space */
	struct hd_buf bytes = { 0 }, want = { 0 }, got = { 0 };
	struct hd_err err = { 0 };
	int seen = 0, harmless = 0, unseen = 0;
	struct fixture f;

	ONLY_SQLITE();
	f = three_runs();
	read_file(f.place.db, &bytes);
	if (!all_answers(f.place.db, &want))
		print_message("%s\n", want.data);
	for (size_t at = 0, n = 0; at < bytes.len; at++) {
		char bit = (char)(1 << (at / 3 % 8));

		if (at >= HEADER && (!bytes.data[at] || n++ % EVERY))
			continue;
		bytes.data[at] ^= bit;
		write_file(f.place.db, &bytes);
		bytes.data[at] ^= bit;
		hd_buf_reset(&got);
		if (verify(f.place.db, &err) < 0) {
			seen++;
		} else if (all_answers(f.place.db, &got) && got.len == want.len &&
			   !memcmp(got.data, want.data, got.len)) {
			harmless++;
		} else {
			print_message("not noticed: bit %#x of byte %zu\n", bit & 0xffu, at);
			unseen++;
		}
	}
	EXPECT_INT(unseen, 0);
	EXPECT(seen > 50 && harmless > 0);
	hd_buf_release(&bytes);
	hd_buf_release(&want);
	hd_buf_release(&got);
	place_remove(&f.place);
}

TEST(a_changed_schema_is_seen)
{
	static const struct { const char *sql, *why; } cases[] = {
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'h.rank <= 5', 'h.rank <= 5 AND r.recorded_utc < "
		  "''2027''') WHERE name = 'v_top5'",
		  "the definition of the view v_top5 was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'h.vaddr,', 'h.vaddr \"/*\", h.vaddr AS vaddr, "
		  "1 AS self, 0.01 AS self_pct, 1 AS \"*/\",') WHERE name = 'v_top5'",
		  "the definition of the view v_top5 was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'h.vaddr,', 'h.vaddr \"--\"\"\", h.vaddr AS vaddr, "
		  "1 AS \"\"\"\n\",') WHERE name = 'v_top5'",
		  "the definition of the view v_top5 was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'h.vaddr,', 'h.vaddr [/*], 1 AS `*/`,') WHERE name = "
		  "'v_top5'",
		  "the definition of the view v_top5 was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'r.recorded_utc,', 'r.recorded\"_utc\",') WHERE name = "
		  "'v_top5'",
		  "the definition of the view v_top5 was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'AS object', 'AS \"obj\"\"ect\"') WHERE name = "
		  "'v_top5'",
		  "the definition of the view v_top5 was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'TEXT NOT NULL', 'TEXT \"NOT\" NULL') WHERE name = "
		  "'run'",
		  "the definition of the table run was changed" },
		{ "CREATE VIEW sqliteXstatY AS SELECT 1", "its schema has the view 'sqliteXstatY'" },
		{ "DROP VIEW v_series", "its schema lacks the view v_series" },
		{ "ALTER TABLE dropped RENAME TO kept; CREATE VIEW dropped AS SELECT * FROM kept",
			"its schema lacks the index sqlite_autoindex_dropped_1" },
		{ "DROP INDEX run_by_time", "its schema lacks the index run_by_time" },
		{ "CREATE TRIGGER x AFTER INSERT ON run BEGIN DELETE FROM run; END", "its schema has the trigger 'x'" },
		{ "ALTER TABLE run ADD COLUMN x TEXT", "the definition of the table run was changed" },
		{ "UPDATE sqlite_master SET sql = REPLACE(sql, 'TEXT NOT NULL PRIMARY', 'TEXT PRIMARY') WHERE name = "
		  "'chain'",
		  "the definition of the table chain was changed" },
	};

	ONLY_SQLITE();
	for (size_t i = 0; i < HD_COUNT(cases); i++)
		tampered(cases[i].sql, cases[i].why);
}

TEST(a_changed_schema_on_a_server_is_seen)
{
	static const struct { const char *sql, *why; } cases[] = {
		{ "ALTER TABLE dropped RENAME TO kept; CREATE VIEW dropped AS SELECT * FROM kept",
			"the definition of the column dropped.ordinal was changed" },
		{ "DROP VIEW v_series", "its schema lacks the column v_series.commit_sha" },
		{ "ALTER TABLE run ALTER COLUMN target DROP NOT NULL",
			"the definition of the column run.target was changed" },
		{ "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; "
		  "CREATE TRIGGER x BEFORE INSERT ON run FOR EACH ROW EXECUTE FUNCTION f()",
		  "its schema has the trigger 'x', which hotdrift does not make" },
	};

	if (!on_server())
		skip();
	for (size_t i = 0; i < HD_COUNT(cases); i++)
		tampered(cases[i].sql, cases[i].why);
}

/* ---- runs of form 1 ---- */

/* Make the runs that a program before form 2 would have written, with hashes of form 1. */
static void make_form_1(struct hd_db *db)
{
	char prev[HD_SHA256_HEX] = HD_CHAIN_START, content[HD_SHA256_HEX], hash[HD_SHA256_HEX];
	char *origin = text_of(db, "SELECT origin FROM chain WHERE is_local = 1");

	for (int64_t i = 1; i <= 3; i++) {
		EXPECT_INT(hd_chain_content(db, i, 1, content, NULL), 0);
		hd_chain_link(origin, i, prev, content, hash);
		EXPECT_INT(hd_db_do(db, NULL,
				    "UPDATE run SET form = 1, prev_hash = $1, content_hash = $2, run_hash = $3, "
				    "run_id = SUBSTR(run_id, 1, LENGTH(run_id) - 8) || SUBSTR($3, 1, 8) WHERE id = $4",
				    "ttti", prev, content, hash, i),
			   0);
		memcpy(prev, hash, sizeof(prev));
	}
	hd_chain_link(origin, 4, prev, content, hash);
	EXPECT_INT(hd_db_do(db, NULL, "UPDATE tombstone SET prev_hash = $1, content_hash = $2, run_hash = $3, run_id = "
				      "SUBSTR(run_id, 1, LENGTH(run_id) - 8) "
			    "|| SUBSTR($3, 1, 8)", "ttt", prev, content, hash), 0);
	EXPECT_INT(hd_db_begin(db, NULL), 0);
	EXPECT_INT(hd_chain_advance(db, origin, 4, hash, NULL), 0);
	EXPECT_INT(hd_journal_note(db, HD_JOURNAL_PRUNED, origin, 4, NULL), 0);
	EXPECT_INT(hd_journal_note(db, HD_JOURNAL_GATE, "", 1, NULL), 0);
	EXPECT_INT(hd_db_commit(db, NULL), 0);
	free(origin);
}

TEST(hashes_of_form_1_still_hold_and_leave_out_three_numbers_only)
{
	static struct columns all;
	struct hd_chain_walk found;
	struct hd_err err = { 0 };
	struct fixture f;
	struct hd_db *db;

	ONLY_SQLITE();
	f = three_runs();
	db = must_open(f.place.db, HD_DB_WRITE);
	make_form_1(db);
	if (hd_chain_verify(db, NULL, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	EXPECT_INT(found.runs, 3);
	forget_references(db);
	list_columns(db, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct column *c = &all.items[i];
		int64_t n = is_exception(c) || !strcmp(c->name, "ordinal") ? 0 : count(db, c->rows);

		if (n && !try_update(db, &all, c, n - 1, false)) {
			print_message("not noticed: %s.%s\n", c->table, c->name);
			EXPECT(!"noticed");
		}
	}
	hd_db_close(db);
	release_columns(&all);
	place_remove(&f.place);
}

TEST(blanks_comments_and_quotes_are_no_change_of_the_schema)
{
	struct hd_err err = { 0 };
	struct fixture f;

	ONLY_SQLITE();
	f = three_runs();
	edit(f.place.db, "UPDATE sqlite_master SET sql = REPLACE(REPLACE(sql, '        TEXT', ' /* a name */ TEXT -- "
			 "and more\n '), ' chain (', ' \"chain\"\t(') WHERE name = 'chain'; "
			 "UPDATE sqlite_master SET sql = REPLACE(sql, 'o.path AS object,', 'o.[path]AS`object`,') "
			 "WHERE name = 'v_top5'; ANALYZE");
	if (verify(f.place.db, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	place_remove(&f.place);
}

TEST_MAIN(RUN(a_run_beside_the_chains_is_seen_whatever_its_origin_is), RUN(a_chain_has_a_name),
	  RUN(runs_beside_the_chains_or_missing_from_them_stop_who_selects_runs),
	  RUN(an_index_that_lacks_a_row_is_seen), RUN(missing_stacks_are_seen),
	  RUN(a_changed_date_or_commit_in_the_id_of_a_run_is_seen), RUN(a_changed_identity_of_a_symbol_is_seen),
	  RUN(runs_that_were_renumbered_are_seen),
	  RUN(a_configuration_or_machine_that_was_inserted_in_advance_is_seen),
	  RUN(an_acknowledgement_that_was_inserted_or_altered_by_hand_is_seen),
	  RUN(a_value_of_another_type_than_its_column_is_seen),
	  RUN(a_withdrawn_acknowledgement_does_not_return_by_an_id_that_is_no_integer),
	  RUN(an_altered_or_removed_journal_is_seen),
	  RUN(a_change_of_any_column_of_any_row_is_seen),
	  RUN(a_flipped_bit_that_changes_an_answer_is_seen), RUN(a_changed_schema_is_seen),
	  RUN(a_changed_schema_on_a_server_is_seen), RUN(hashes_of_form_1_still_hold_and_leave_out_three_numbers_only),
	  RUN(blanks_comments_and_quotes_are_no_change_of_the_schema))
