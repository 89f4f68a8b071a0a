/*
 * db.c - open databases (ours, an empty one, one of another program, a hostile one), store values, and run the queries
 * of a user
 */
#include "unit/history/history_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	EXPECT(fd >= 0);
	EXPECT(write(fd, p, n) == (ssize_t)n);
	close(fd);
}

/* Make a database with SQLite alone, as another program would. */
static void make_foreign(const char *path, const char *sql)
{
	sqlite3 *sq;

	EXPECT_INT(sqlite3_open(path, &sq), SQLITE_OK);
	EXPECT_INT(sqlite3_exec(sq, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(sq);
}

static void refuse(const char *path, enum hd_db_mode mode, enum hd_code code, const char *end_of_message)
{
	struct hd_err err = { 0 };
	struct hd_db *db;

	EXPECT_INT(open_as(&db, path, mode, 0, &err), code);
	EXPECT_STR(err.msg + strlen(err.msg) - strlen(end_of_message), end_of_message);
}

TEST(a_database_that_is_not_there_is_made_for_writing_only)
{
	struct place p = place_new();
	struct hd_db *db;

	refuse(p.db, HD_DB_READ, HD_EIO,
		"h.db: no database yet; see 'hotdrift add --help' to create one, or name another with --db");
	refuse(p.db, HD_DB_QUERY, HD_EIO,
		"h.db: no database yet; see 'hotdrift add --help' to create one, or name another with --db");
	EXPECT(access(p.db, F_OK) < 0);
	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_TEXT(db, "SELECT name FROM schema_version WHERE version = 1", "001_init.sql");
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM chain WHERE is_local = 1 AND LENGTH(origin) = 32"), 1);
	EXPECT_TEXT(db, "PRAGMA journal_mode", "wal");
	EXPECT_INT(count(db, "PRAGMA foreign_keys"), 1);
	hd_db_close(db);
	place_remove(&p);
}

TEST(opening_it_again_changes_nothing)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	char *origin = text_of(db, "SELECT origin FROM chain WHERE is_local = 1");

	hd_db_close(db);
	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_TEXT(db, "SELECT origin FROM chain WHERE is_local = 1", origin);
	EXPECT_INT(count(db, "SELECT MAX(version) FROM schema_version"), hd_schema_version(db));
	hd_db_close(db);
	free(origin);
	place_remove(&p);
}

TEST(the_default_folder_is_made_and_no_other)
{
	struct place p = place_new();
	char here[4096], *was = getcwd(here, sizeof(here));
	struct hd_err err = { 0 };
	struct hd_db *db;

	EXPECT(was && chdir(p.dir) == 0);
	db = must_open(NULL, HD_DB_WRITE);
	EXPECT_STR(hd_db_name(db), "results/hotspots.db");
	hd_db_close(db);
	EXPECT(access("results/hotspots.db", F_OK) == 0);
	EXPECT_INT(open_as(&db, "typo/hotspots.db", HD_DB_WRITE, 0, &err), HD_EIO);
	EXPECT_STR(err.msg, "typo/hotspots.db: cannot create it: No such file or directory");
	EXPECT(chdir(was) == 0);
	place_remove(&p);
}

TEST(reading_leaves_the_folder_as_it_was)
{
	struct place p = place_new();
	char wal[700];
	struct stat before, after;
	struct hd_db *db;

	hd_db_close(must_open(p.db, HD_DB_WRITE));
	EXPECT(stat(p.db, &before) == 0);
	db = must_open(p.db, HD_DB_QUERY);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 0);
	hd_db_close(db);
	EXPECT(stat(p.db, &after) == 0);
	EXPECT(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
	snprintf(wal, sizeof(wal), "%s-wal", p.db);
	EXPECT(access(wal, F_OK) < 0);
	snprintf(wal, sizeof(wal), "%s-shm", p.db);
	EXPECT(access(wal, F_OK) < 0);
	place_remove(&p);
}

/*
 * Runs in a child, which drops root privileges because root may write everywhere.  Returns 0 if a run can be read and
 * writing fails; else the number of the failed step.
 */
static int as_nobody(const char *path)
{
	struct hd_err err = { 0 };
	struct hd_db *db;
	int64_t n = -1;

	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 1;
	if (open_as(&db, path, HD_DB_READ, 0, &err) < 0)
		return fprintf(stderr, "%s\n", err.msg), 2;
	if (hd_db_query_int(db, &n, -1, &err, "SELECT COUNT(*) FROM run", "") < 0 || n != 1)
		return 3;
	hd_db_close(db);
	if (open_as(&db, path, HD_DB_WRITE, 0, &err) != HD_EIO || !strstr(err.msg, "h.db: not writable"))
		return 4;
	return 0;
}

TEST(a_database_in_a_folder_that_cannot_be_written_is_read)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	int status;
	pid_t pid;

	must_add(db, &run);
	hd_db_close(db);
	EXPECT(chmod(p.db, 0444) == 0 && chmod(p.dir, 0555) == 0);
	pid = fork();
	if (pid == 0)
		_exit(as_nobody(p.db));
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFEXITED(status));
	EXPECT_INT(WEXITSTATUS(status), 0);
	place_remove(&p);
}

TEST(what_is_no_database_is_refused)
{
	static const char text[] =
		"not a database at all, but quite long: long enough to hold the hundred bytes of a header and more "
		"than that";
	struct place p = place_new();

	write_file(p.db, text, sizeof(text));
	refuse(p.db, HD_DB_READ, HD_EIO, "h.db: not a database");
	refuse(p.db, HD_DB_WRITE, HD_EIO, "h.db: not a database");
	refuse(p.dir, HD_DB_READ, HD_EIO, "not a regular file");
	EXPECT(unlink(p.db) == 0 && mkfifo(p.db, 0600) == 0);
	refuse(p.db, HD_DB_WRITE, HD_EIO, "h.db: not a regular file");
	refuse("", HD_DB_READ, HD_EUSAGE, "the path of the database is empty");
	place_remove(&p);
}

TEST(a_path_is_a_path_whatever_it_looks_like)
{
	struct place p = place_new();
	char here[4096], *was = getcwd(here, sizeof(here));

	EXPECT(was && chdir(p.dir) == 0);
	hd_db_close(must_open(":memory:", HD_DB_WRITE));
	hd_db_close(must_open("file:x.db?mode=memory", HD_DB_WRITE));
	hd_db_close(must_open("file:x.db?mode=memory", HD_DB_READ));
	EXPECT(access(":memory:", F_OK) == 0);
	EXPECT(access("file:x.db?mode=memory", F_OK) == 0);
	EXPECT(chdir(was) == 0);
	place_remove(&p);
}

TEST(an_empty_file_is_an_empty_database)
{
	struct place p = place_new();

	write_file(p.db, "", 0);
	refuse(p.db, HD_DB_READ, HD_EIO, "h.db: the database is empty; see 'hotdrift add --help'");
	hd_db_close(must_open(p.db, HD_DB_WRITE));
	hd_db_close(must_open(p.db, HD_DB_READ));
	place_remove(&p);
}

TEST(a_database_of_something_else_is_left_alone)
{
	struct place p = place_new();

	make_foreign(p.db, "CREATE TABLE photos (id)");
	refuse(p.db, HD_DB_READ, HD_EIO, "h.db: a database, but not one of hotdrift");
	refuse(p.db, HD_DB_WRITE, HD_EIO, "h.db: a database, but not one of hotdrift");
	EXPECT(unlink(p.db) == 0);
	make_foreign(p.db, "CREATE TABLE schema_version (version, name)");
	refuse(p.db, HD_DB_WRITE, HD_EIO, "h.db: a database, but not one of hotdrift");
	place_remove(&p);
}

TEST(another_schema_is_refused_by_name)
{
	struct place p = place_new();
	char newer[120];

	make_foreign(p.db,
		"CREATE TABLE schema_version (version, name); INSERT INTO schema_version VALUES (1, '001_other.sql')");
	refuse(p.db, HD_DB_READ, HD_EIO,
		"h.db: another schema: '001_other.sql' is applied where 001_init.sql should be");
	EXPECT(unlink(p.db) == 0);
	make_foreign(p.db,
		"CREATE TABLE schema_version (version, name); INSERT INTO schema_version VALUES (NULL, NULL)");
	refuse(p.db, HD_DB_WRITE, HD_EIO, "h.db: another schema: '(nothing)' is applied where 001_init.sql should be");
	EXPECT(unlink(p.db) == 0);
	hd_db_close(must_open(p.db, HD_DB_WRITE));
	make_foreign(p.db, "INSERT INTO schema_version VALUES (999, '999_next.sql', '', '', '')");
	snprintf(newer, sizeof(newer), "h.db: made by a newer hotdrift (schema 999, this program knows %d)",
		hd_schema_version(NULL));
	refuse(p.db, HD_DB_READ, HD_EIO, newer);
	refuse(p.db, HD_DB_WRITE, HD_EIO, newer);
	place_remove(&p);
}

TEST(a_schema_file_that_came_late_is_applied_though_its_number_is_smaller)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	int64_t files = count(db, "SELECT COUNT(*) FROM schema_version");

	EXPECT_INT(hd_db_exec(db, "DELETE FROM schema_version WHERE version = 2", NULL), 0);
	hd_db_close(db);
	refuse(p.db, HD_DB_READ, HD_EIO,
		"schema files are applied); the next command that writes upgrades it");
	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM schema_version"), files);
	hd_db_close(db);
	place_remove(&p);
}

TEST(triggers_of_a_hostile_database_do_not_run)
{
	struct place p = place_new();
	struct hd_run run = sample_run();
	struct hd_db *db;

	hd_db_close(must_open(p.db, HD_DB_WRITE));
	make_foreign(p.db,
		"CREATE TABLE loot (x); CREATE TRIGGER t AFTER INSERT ON run BEGIN INSERT INTO loot VALUES "
		"(new.target); END");
	db = must_open(p.db, HD_DB_WRITE);
	must_add(db, &run);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM loot"), 0);
	hd_db_close(db);
	place_remove(&p);
}

/* The view has rows of 100 MB each, although the file is small. */
TEST(a_view_in_the_place_of_a_table_is_not_read)
{
	struct place p = place_new();
	struct hd_err err = { 0 };
	struct hd_db *db;

	ONLY_SQLITE();
	hd_db_close(must_open(p.db, HD_DB_WRITE));
	make_foreign(p.db, "PRAGMA legacy_alter_table = ON; ALTER TABLE config RENAME TO config_0; "
		     "CREATE VIEW config AS SELECT id, sha256, form, zeroblob(100000000) AS canonical FROM config_0");
	db = must_open(p.db, HD_DB_READ);
	EXPECT_INT(hd_db_query_int(db, &(int64_t){ 0 }, 0, &err, "SELECT COUNT(*) FROM config", ""), HD_EIO);
	EXPECT(strstr(err.msg, "access to view \"config\" prohibited"));
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_table_with_a_computed_column_or_a_long_default_is_refused)
{
	static const char *const columns[] = { "x BLOB AS (zeroblob(100000000))",
		"x TEXT DEFAULT '0123456789012345678901234567890123456789012345678901234567890123456789'" };

	ONLY_SQLITE();
	for (size_t i = 0; i < HD_COUNT(columns); i++) {
		struct place p = place_new();
		char sql[200];

		hd_db_close(must_open(p.db, HD_DB_WRITE));
		snprintf(sql, sizeof(sql), "ALTER TABLE run ADD COLUMN %s", columns[i]);
		make_foreign(p.db, sql);
		refuse(p.db, HD_DB_READ, HD_EIO,
			"table run has computed columns or long defaults, which hotdrift never creates");
		refuse(p.db, HD_DB_QUERY, HD_EIO,
			"table run has computed columns or long defaults, which hotdrift never creates");
		place_remove(&p);
	}
}

TEST(no_value_is_longer_than_the_file_or_16_mib)
{
	struct place p = place_new();
	struct hd_err err = { 0 };
	struct hd_db *db;

	ONLY_SQLITE();
	hd_db_close(must_open(p.db, HD_DB_WRITE));
	db = must_open(p.db, HD_DB_QUERY);
	EXPECT_INT(hd_db_query_int(db, &(int64_t){ 0 }, 0, &err, "SELECT length(CAST(zeroblob(17000000) AS TEXT))", ""),
		HD_EIO);
	EXPECT_INT(hd_db_query_int(db, &(int64_t){ 0 }, 0, &err, "SELECT length(CAST(zeroblob(16000000) AS TEXT))", ""),
		0);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_damaged_database_is_an_error_and_not_a_crash)
{
	struct place p = place_new();
	struct hd_run run = sample_run();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_buf bytes = { 0 };
	unsigned seed = 1;
	struct stat st;
	int fd;

	must_add(db, &run);
	hd_db_close(db);
	fd = open(p.db, O_RDONLY);
	EXPECT(fstat(fd, &st) == 0);
	hd_buf_reserve(&bytes, (size_t)st.st_size);
	EXPECT(read(fd, bytes.data, (size_t)st.st_size) == st.st_size);
	close(fd);
	for (int round = 0; round < 60; round++) {
		struct hd_run_ticket ticket;
		struct hd_err err = { 0 };
		int rc;

		for (int i = 0; i < 40; i++)
			bytes.data[100 + (size_t)rand_r(&seed) % ((size_t)st.st_size - 100)] ^= (char)(1
				<< rand_r(&seed) % 8);
		write_file(p.db, bytes.data, (size_t)st.st_size);
		rc = open_as(&db, p.db, HD_DB_WRITE, 0, &err);
		if (rc >= 0) {
			rc = hd_run_add(db, &run, &ticket, &err);
			hd_db_close(db);
		}
		EXPECT(rc == 0 || (rc == HD_EIO && err.msg[0]));
	}
	hd_buf_release(&bytes);
	place_remove(&p);
}

/* ---- servers ---- */

#ifdef HAVE_LIBPQ
static int open_url(const char *url, struct hd_err *err)
{
	const struct hd_db_opts o = { .url = url, .mode = HD_DB_WRITE };
	struct hd_db *db;

	return hd_db_open(&db, &o, err);
}
#endif

TEST(a_server_that_is_not_there_is_named_without_its_password)
{
#ifdef HAVE_LIBPQ
	struct hd_err err = { 0 };

	EXPECT_INT(open_url("postgresql://me:secret@/mine?host=/nowhere/at/all", &err), HD_EIO);
	EXPECT(strstr(err.msg, "postgresql://me@/nowhere/at/all/mine: "));
	EXPECT(strstr(err.msg, "No such file or directory"));
	EXPECT(!strstr(err.msg, "secret"));
#else
	SKIP("built without libpq");
#endif
}

TEST(a_url_that_is_none_is_a_mistake_of_the_command_line)
{
#ifdef HAVE_LIBPQ
	struct hd_err err = { 0 };

	EXPECT_INT(open_url("postgresql://host/db?colour=red", &err), HD_EUSAGE);
	EXPECT(strstr(err.msg, "--db: not a valid URL of a PostgreSQL server: invalid URI query parameter: "
		"\"colour\""));
#else
	SKIP("built without libpq");
#endif
}

/* ---- values ---- */

TEST(values_go_in_and_come_out_as_they_are)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_db_rows r;
	struct hd_err err;
	size_t n;

	EXPECT_INT(hd_db_query(&r, db, &err, "SELECT $1, $2, $3, $4, $5, $6, $7, $8", "idtnobto", INT64_MIN, -0.5,
			   "x'; --", (int64_t)7, "\0\xff", (size_t)2, NULL, (int64_t)-1),
		0);
	EXPECT_INT(hd_db_next(&r, &err), 1);
	EXPECT_INT(hd_col_count(&r), 8);
	EXPECT(hd_col_kind(&r, 0) == HD_COL_INT && hd_col_int(&r, 0) == INT64_MIN);
	EXPECT(hd_col_kind(&r, 1) == HD_COL_DOUBLE && hd_col_double(&r, 1) == -0.5);
	EXPECT(hd_col_kind(&r, 2) == HD_COL_TEXT);
	EXPECT_STR(hd_col_bytes(&r, 2, &n), "x'; --");
	EXPECT(hd_col_kind(&r, 3) == HD_COL_NULL && hd_col_bytes(&r, 3, &n) == NULL && n == 0);
	EXPECT_INT(hd_col_int(&r, 4), 7);
	EXPECT_MEM(hd_col_bytes(&r, 5, &n), "\0\xff", 2);
	EXPECT_INT(n, 2);
	EXPECT(hd_col_kind(&r, 6) == HD_COL_NULL);
	EXPECT(hd_col_kind(&r, 7) == HD_COL_NULL);
	EXPECT_INT(hd_db_next(&r, &err), 0);
	hd_db_end(&r);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_name_is_two_values_its_visible_form_and_its_bytes_where_they_differ)
{
	static const struct { const char *name, *shown; bool raw; } names[] = {
		{ "plain", "plain", false }, { "", "", false }, { "a\\b", "a\\\\b", true }, { "a\nb", "a\\x0ab", true },
		{ "\xff", "\\xff", true }, { "caf\xc3\xa9", "caf\xc3\xa9", false },
		{ "'; DROP TABLE run; --", "'; DROP TABLE run; --", false },
	};
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		struct hd_db_rows r;
		struct hd_err err;
		char *raw, *back;
		size_t n;

		EXPECT_INT(hd_db_query(&r, db, &err, "SELECT $1, $2", "v", names[i].name), 0);
		EXPECT_INT(hd_db_next(&r, &err), 1);
		EXPECT_STR(hd_col_bytes(&r, 0, &n), names[i].shown);
		EXPECT((hd_col_kind(&r, 1) == HD_COL_BLOB) == names[i].raw);
		raw = hd_col_text(&r, 1);
		back = hd_col_raw_name(&r, 0);
		EXPECT_STR(back, names[i].name);
		EXPECT(!raw == !names[i].raw);
		free(raw);
		free(back);
		hd_db_end(&r);
	}
	hd_db_close(db);
	place_remove(&p);
}

/* ---- statements that a user passes ---- */

static int ask(struct hd_db *db, const char *sql, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query_user(&r, db, sql, NULL, 0, err);

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
		;
	hd_db_end(&r);
	return rc;
}

TEST(a_query_may_only_read)
{
	static const char *const writing[] = {
		"DELETE FROM run", "INSERT INTO run (id) VALUES (1)", "UPDATE run SET target = ''", "DROP TABLE run",
		"CREATE TABLE x (a)",
		"CREATE TEMP TABLE x (a)", "CREATE VIEW x AS SELECT 1", "ATTACH ':memory:' AS x", "DETACH main",
		"PRAGMA query_only = 0",
		"PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1", "BEGIN", "COMMIT", "SAVEPOINT x",
		"VACUUM", "VACUUM INTO 'x'",
		"REINDEX", "ANALYZE", "SELECT load_extension('x')", "SELECT fts3_tokenizer('x')",
		"SELECT 1; DELETE FROM run",
		"WITH x AS (SELECT 1) DELETE FROM run", "EXPLAIN DELETE FROM run; DELETE FROM run", "", ";",
		"-- nothing", "SELECT", "nonsense",
		"SELECT * FROM no_such_table", "REPLACE INTO run (id) VALUES (1)", "SELECT $1",
	};
	struct place p = place_new();
	struct hd_run run = sample_run();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	must_add(db, &run);
	hd_db_close(db);
	db = must_open(p.db, HD_DB_QUERY);
	for (size_t i = 0; i < HD_COUNT(writing); i++) {
		struct hd_err err = { 0 };

		if (ask(db, writing[i], &err) != HD_EUSAGE)
			print_message("%s\n", writing[i]);
		EXPECT_INT(err.code, HD_EUSAGE);
		EXPECT(!strncmp(err.msg, "SQL: ", 5));
	}
	EXPECT_INT(ask(db, "SELECT * FROM v_top5;  -- fine", NULL), 0);
	EXPECT_INT(ask(db, "WITH x AS (SELECT 1 AS a) SELECT a FROM x", NULL), 0);
	EXPECT_INT(ask(db, "PRAGMA table_info(run)", NULL), 0);
	EXPECT_INT(ask(db, "EXPLAIN QUERY PLAN SELECT * FROM run", NULL), 0);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 1);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_query_is_bounded_in_time_and_memory)
{
	struct place p = place_new();
	struct hd_db_opts o = { .url = p.db, .mode = HD_DB_QUERY, .limit_ms = 50 };
	struct hd_err err = { 0 };
	struct hd_db *db;

	hd_db_close(must_open(p.db, HD_DB_WRITE));
	EXPECT_INT(hd_db_open(&db, &o, &err), 0);
	EXPECT_INT(ask(db, "WITH RECURSIVE r (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT COUNT(*) FROM r",
			   &err),
		HD_EIO);
	EXPECT(strstr(err.msg, "h.db: a statement took longer than 50 ms"));
	EXPECT_INT(ask(db, "SELECT zeroblob(1000000000)", &err), HD_EIO);
	EXPECT_INT(ask(db, "SELECT 1", &err), 0);
	hd_db_close(db);
	place_remove(&p);
}

TEST(values_of_a_query_are_bound_and_counted)
{
	struct place p = place_new();
	char *const values[] = { "'; DROP TABLE run; --", "2" };
	struct hd_db_rows r;
	struct hd_err err = { 0 };
	struct hd_db *db;
	size_t n;

	hd_db_close(must_open(p.db, HD_DB_WRITE));
	db = must_open(p.db, HD_DB_QUERY);
	EXPECT_INT(hd_db_query_user(&r, db, "SELECT $2, $1", values, 2, &err), 0);
	EXPECT_INT(hd_db_next(&r, &err), 1);
	EXPECT_STR(hd_col_bytes(&r, 0, &n), "2");
	EXPECT_STR(hd_col_bytes(&r, 1, &n), values[0]);
	hd_db_end(&r);
	EXPECT_INT(hd_db_query_user(&r, db, "SELECT ?, ?", values, 2, &err), 0);
	EXPECT_INT(hd_db_next(&r, &err), 1);
	EXPECT_STR(hd_col_bytes(&r, 0, &n), values[0]);
	hd_db_end(&r);
	EXPECT_INT(hd_db_query_user(&r, db, "SELECT $1", values, 2, &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "SQL: the statement wants 1 values, 2 are given");
	hd_db_end(&r);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_transaction_that_is_not_committed_is_undone)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_err err;

	EXPECT_INT(hd_db_begin(db, &err), 0);
	must_exec(db, "INSERT INTO chain (origin, is_local, created_utc) VALUES ('x', 0, '')");
	hd_db_close(db);
	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM chain WHERE is_local = 1"), 1);
	hd_db_close(db);
	place_remove(&p);
}

/* Replaces the function of the C library, so that SQLite cannot sync its files. */
static bool no_sync;

int fdatasync(int fd)
{
	if (no_sync) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

TEST(a_transaction_is_in_doubt_only_if_its_own_commit_cannot_be_synced)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE), *other = must_open(p.db, HD_DB_WRITE);
	struct hd_err err;

	EXPECT_INT(hd_db_begin(db, &err), 0);
	must_exec(db, "INSERT INTO chain (origin, is_local, created_utc) VALUES ('x', 0, '')");
	no_sync = true;
	EXPECT_INT(hd_db_commit(db, &err), HD_EIO);
	no_sync = false;
	EXPECT(hd_db_in_doubt(db));
	/* Later the connection cannot get the lock. */
	EXPECT_INT(hd_db_begin(other, &err), 0);
	EXPECT_INT(hd_db_begin(db, &err), HD_EIO);
	EXPECT(strstr(err.msg, "locked by another writer"));
	EXPECT(!hd_db_in_doubt(db));
	hd_db_close(other);
	hd_db_close(db);
	place_remove(&p);
}

TEST_MAIN(RUN(a_database_that_is_not_there_is_made_for_writing_only),
	  RUN(opening_it_again_changes_nothing),
	  RUN(the_default_folder_is_made_and_no_other),
	  RUN(reading_leaves_the_folder_as_it_was),
	  RUN(a_database_in_a_folder_that_cannot_be_written_is_read),
	  RUN(what_is_no_database_is_refused),
	  RUN(a_path_is_a_path_whatever_it_looks_like),
	  RUN(an_empty_file_is_an_empty_database),
	  RUN(a_database_of_something_else_is_left_alone),
	  RUN(another_schema_is_refused_by_name),
	  RUN(a_schema_file_that_came_late_is_applied_though_its_number_is_smaller),
	  RUN(triggers_of_a_hostile_database_do_not_run),
	  RUN(a_view_in_the_place_of_a_table_is_not_read),
	  RUN(a_table_with_a_computed_column_or_a_long_default_is_refused),
	  RUN(no_value_is_longer_than_the_file_or_16_mib),
	  RUN(a_damaged_database_is_an_error_and_not_a_crash),
	  RUN(a_server_that_is_not_there_is_named_without_its_password),
	  RUN(a_url_that_is_none_is_a_mistake_of_the_command_line), RUN(values_go_in_and_come_out_as_they_are),
	  RUN(a_name_is_two_values_its_visible_form_and_its_bytes_where_they_differ),
	  RUN(a_query_may_only_read),
	  RUN(a_query_is_bounded_in_time_and_memory),
	  RUN(values_of_a_query_are_bound_and_counted),
	  RUN(a_transaction_that_is_not_committed_is_undone),
	  RUN(a_transaction_is_in_doubt_only_if_its_own_commit_cannot_be_synced))
