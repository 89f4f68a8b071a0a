/*
 * server.c - tests that need a PostgreSQL server
 *
 * tests/run-pg.sh starts a server, sets HD_TEST_PG to it and runs this program, and those tests of
 * tests/unit/history/ that apply to any database.
 */
#include "unit/history/history_test.h"

#include "trust/chain.h"
#include "db/writers.h"
#include "history/acks.h"
#include "history/expectation_rows.h"
#include "history/gate_rows.h"
#include "history/merge.h"
#include "history/run_lookup.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static const double doubles[] = { 0.1, -0.0, DBL_MIN, DBL_MAX, 5e-324, INFINITY, -INFINITY, 1.0 / 3 };
static const int64_t ints[] = { 0, -1, INT64_MIN, INT64_MAX };
static const char special[] = "'; --\n\\x41 $ \xc3\xa9";

/* Write rows with the values above, and one with NULLs, into a new table v. */
static void put_values(struct hd_db *db, const uint8_t bytes[256])
{
	EXPECT_INT(hd_db_exec(db, "CREATE TABLE v (i BIGINT, d DOUBLE PRECISION, t TEXT, b BLOB)", NULL), 0);
	for (size_t i = 0; i < HD_COUNT(doubles); i++)
		EXPECT_INT(hd_db_do(db, NULL, "INSERT INTO v VALUES ($1, $2, $3, $4)", "idtb", ints[i % HD_COUNT(ints)],
				   doubles[i], i ? special : "", bytes, i * 36),
			0);
	EXPECT_INT(hd_db_do(db, NULL, "INSERT INTO v VALUES ($1, $2, $3, $4)", "nntb", NULL, NULL, (size_t)0), 0);
}

/* Read the rows of put_values() and end the query. */
static void expect_values(struct hd_db_rows *r, const uint8_t bytes[256])
{
	struct hd_err err = { 0 };
	size_t n;

	for (size_t i = 0; i < HD_COUNT(doubles); i++) {
		double want = doubles[i], got;

		EXPECT_INT(hd_db_next(r, &err), 1);
		EXPECT(hd_col_kind(r, 0) == HD_COL_INT && hd_col_kind(r, 1) == HD_COL_DOUBLE);
		EXPECT(hd_col_kind(r, 2) == HD_COL_TEXT && hd_col_kind(r, 3) == HD_COL_BLOB);
		EXPECT(hd_col_int(r, 0) == ints[i % HD_COUNT(ints)]);
		got = hd_col_double(r, 1);
		EXPECT_MEM(&got, &want, sizeof(got));
		EXPECT_STR(hd_col_bytes(r, 2, &n), i ? special : "");
		EXPECT_MEM(hd_col_bytes(r, 3, &n), bytes, i * 36);
		EXPECT_INT(n, i * 36);
	}
	EXPECT_INT(hd_db_next(r, &err), 1);
	for (int i = 0; i < 4; i++)
		EXPECT(hd_col_kind(r, i) == HD_COL_NULL && !hd_col_bytes(r, i, &n));
	EXPECT_INT(hd_db_next(r, &err), 0);
	EXPECT_INT(hd_db_next(r, &err), 0);
	hd_db_end(r);
}

/* The server sends the values of a single query as text, and those of several queries in one statement as records. */
TEST(values_go_in_and_come_out_as_they_are)
{
	uint8_t bytes[256];
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_db_rows r, other, none;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	put_values(db, bytes);
	EXPECT_INT(hd_db_query(&r, db, NULL, "SELECT i, d, t, b FROM v", ""), 0);
	expect_values(&r, bytes);
	EXPECT_INT(hd_db_query(&none, db, NULL, "SELECT i FROM v WHERE i = $1 AND t = $2", "it", (int64_t)7, "x"), 0);
	EXPECT_INT(hd_db_query(&r, db, NULL, "SELECT i, d, t, b FROM v", ""), 0);
	EXPECT_INT(hd_db_query(&other, db, NULL, "SELECT COUNT(*), i = $1 FROM v WHERE i < $1 GROUP BY i = $1", "i",
			   (int64_t)0), 0);
	EXPECT_INT(hd_db_next(&none, NULL), 0);
	EXPECT_INT(hd_db_next(&other, NULL), 1);
	EXPECT_INT(hd_col_int(&other, 0), 4);
	EXPECT(hd_col_kind(&other, 1) == HD_COL_INT && !hd_col_int(&other, 1));
	EXPECT_INT(hd_db_next(&other, NULL), 0);
	expect_values(&r, bytes);
	hd_db_end(&none);
	hd_db_end(&other);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_numeric_of_a_record_is_the_text_that_the_server_sends)
{
	static const char alone[] = "SELECT CAST(x AS NUMERIC) FROM unnest(CAST($1 AS TEXT[])) x";
	static const char together[] = "SELECT CAST(x AS NUMERIC) FROM  unnest(CAST($1 AS TEXT[])) x";
	static const char numbers[] = "{0,1,-1,9999,10000,100000000,12345678901234567890,1.5,0.5,-0.00012,0.0001,"
		"12.3400,-99999999.9999,0.00,1e20,1e-9,70000.00007}";
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_db_rows text, record, other;
	int rows = 0;
	size_t n;

	EXPECT_INT(hd_db_query(&text, db, NULL, alone, "t", numbers), 0);
	EXPECT_INT(hd_db_next(&text, NULL), 1);
	EXPECT_INT(hd_db_query(&record, db, NULL, together, "t", numbers), 0);
	EXPECT_INT(hd_db_query(&other, db, NULL, "SELECT 1", ""), 0);
	do {
		EXPECT_INT(hd_db_next(&record, NULL), 1);
		EXPECT_STR(hd_col_bytes(&record, 0, &n), hd_col_bytes(&text, 0, &n));
		EXPECT(hd_col_kind(&record, 0) == hd_col_kind(&text, 0));
		rows++;
	} while (hd_db_next(&text, NULL) > 0);
	EXPECT_INT(hd_db_next(&record, NULL), 0);
	EXPECT_INT(rows, 17);
	hd_db_end(&text);
	hd_db_end(&record);
	hd_db_end(&other);
	hd_db_close(db);
	place_remove(&p);
}

TEST(queries_that_are_sent_as_one_can_be_ended_in_any_order_and_fail_together)
{
	struct hd_db_rows a, b, c;
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_err err = { 0 };
	uint64_t trips;

	EXPECT_INT(hd_db_begin(db, NULL), 0);
	trips = hd_db_round_trips(db);
	EXPECT_INT(hd_db_query(&a, db, NULL, "SELECT 1", ""), 0);
	EXPECT_INT(hd_db_query(&b, db, NULL, "SELECT 2", ""), 0);
	EXPECT_INT(hd_db_query(&c, db, NULL, "SELECT 'three'", ""), 0);
	hd_db_end(&a);
	EXPECT_INT(hd_db_next(&c, NULL), 1);
	EXPECT_STR(hd_col_bytes(&c, 0, &(size_t){ 0 }), "three");
	hd_db_end(&c);
	EXPECT_INT(hd_db_next(&b, NULL), 1);
	EXPECT_INT(hd_col_int(&b, 0), 2);
	hd_db_end(&b);
	EXPECT_INT(hd_db_round_trips(db) - trips, 1);

	EXPECT_INT(hd_db_query(&a, db, NULL, "SELECT 1 / $1", "i", (int64_t)0), 0);
	EXPECT_INT(hd_db_query(&b, db, NULL, "SELECT 2", ""), 0);
	EXPECT_INT(hd_db_next(&b, &err), HD_EIO);
	EXPECT(strstr(err.msg, "division by zero"));
	EXPECT_INT(hd_db_next(&a, NULL), HD_EIO);
	hd_db_end(&a);
	hd_db_end(&b);
	hd_db_rollback(db);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 0);
	/* Closing the connection frees queries that were started and not read. */
	EXPECT_INT(hd_db_query(&a, db, NULL, "SELECT 1", ""), 0);
	EXPECT_INT(hd_db_query(&b, db, NULL, "SELECT 2", ""), 0);
	hd_db_end(&a);
	hd_db_end(&b);
	hd_db_close(db);
	place_remove(&p);
}

/* ---- statements that a user wrote ---- */

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
		"DELETE FROM run", "DELETE FROM run RETURNING id", "UPDATE run SET target = '' RETURNING id",
		"DROP TABLE run",
		"CREATE TABLE x (a INT)", "CREATE TEMP TABLE x (a INT)", "SELECT 1 AS a INTO x",
		"CREATE VIEW x AS SELECT 1", "BEGIN", "COMMIT",
		"ROLLBACK", "SET transaction_read_only = off", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
		"VACUUM", "ANALYZE",
		"SELECT 1; DELETE FROM run", "COMMIT; DELETE FROM run",
		"WITH x AS (DELETE FROM run RETURNING id) SELECT * FROM x",
		"COPY run TO STDOUT", "COPY run TO PROGRAM 'true'", "DO 'BEGIN DELETE FROM run; END'", "LOCK TABLE run",
		"LISTEN x", "", ";",
		"-- nothing", "nonsense", "SELECT * FROM no_such_table", "SELECT $1::BIGINT", "SELECT 1 / 0",
		"PREPARE x AS SELECT 1",
		"SELECT set_config('transaction_read_only', 'off', false)", "EXPLAIN ANALYZE DELETE FROM run",
	};
	struct hd_run run = sample_run();
	struct place p = place_new();
	struct hd_db *db;

	db = must_open(p.db, HD_DB_WRITE);
	must_add(db, &run);
	hd_db_close(db);
	db = must_open(p.db, HD_DB_QUERY);
	for (size_t i = 0; i < HD_COUNT(writing); i++) {
		struct hd_err err = { 0 };

		if (ask(db, writing[i], &err) >= 0)
			print_message("%s\n", writing[i]);
		else if (err.code != HD_EUSAGE)
			print_message("%s: %s\n", writing[i], err.msg);
		EXPECT_INT(err.code, HD_EUSAGE);
		EXPECT(!strncmp(err.msg, "SQL: ", 5));
	}
	EXPECT_INT(ask(db, "SELECT * FROM v_top5;  -- fine", NULL), 0);
	EXPECT_INT(ask(db, "WITH x AS (SELECT 1 AS a) SELECT a FROM x", NULL), 0);
	EXPECT_INT(ask(db, "EXPLAIN SELECT * FROM run", NULL), 0);
	EXPECT_INT(ask(db, "SELECT generate_series(1, 100000)", NULL), 0);
	hd_db_close(db);
	db = must_open(p.db, HD_DB_READ);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 1);
	EXPECT_INT(hd_db_exec(db, "DELETE FROM hotspot", NULL), HD_EIO);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_query_is_bounded_in_time_and_the_next_one_is_answered)
{
	struct hd_db_opts o = { .mode = HD_DB_QUERY, .limit_ms = 50, .busy_ms = 1 };
	struct hd_err err = { 0 };
	struct place p = place_new();
	struct hd_db *db;

	hd_db_close(must_open(p.db, HD_DB_WRITE));
	o.url = p.db;
	EXPECT_INT(hd_db_open(&db, &o, &err), 0);
	EXPECT_INT(ask(db, "SELECT COUNT(*) FROM generate_series(1, 1000000000000)", &err), HD_EIO);
	EXPECT(strstr(err.msg, ": a statement took longer than 50 ms"));
	EXPECT_INT(ask(db, "SELECT 1", &err), 0);
	hd_db_close(db);
	place_remove(&p);
}

TEST(values_of_a_query_are_bound_and_counted)
{
	char *const values[] = { "'; DROP TABLE run; --", "2" };
	struct hd_db_rows r;
	struct hd_err err = { 0 };
	struct place p = place_new();
	struct hd_db *db;
	size_t n;

	hd_db_close(must_open(p.db, HD_DB_WRITE));
	db = must_open(p.db, HD_DB_QUERY);
	EXPECT_INT(hd_db_query_user(&r, db, "SELECT $2 || '', $1 || ''", values, 2, &err), 0);
	EXPECT_INT(hd_db_next(&r, &err), 1);
	EXPECT_STR(hd_col_bytes(&r, 0, &n), "2");
	EXPECT_STR(hd_col_bytes(&r, 1, &n), values[0]);
	hd_db_end(&r);
	EXPECT_INT(hd_db_query_user(&r, db, "SELECT $1 || ''", values, 2, &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "SQL: the statement wants 1 values, 2 are given");
	hd_db_end(&r);
	hd_db_close(db);
	place_remove(&p);
}

/* ---- several writers ---- */

/* In a child process, add `runs` runs, and write one byte to `out`: 1 if all were added.  Returns the process ID. */
static pid_t in_child(int out, const char *url, int runs)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct hd_run run = sample_run();
		struct hd_run_ticket ticket;
		struct hd_err err = { 0 };
		struct hd_db *db;
		char ok = (char)(open_as(&db, url, HD_DB_WRITE, 60000, &err) >= 0);

		for (int i = 0; i < runs && ok; i++)
			ok = hd_run_add(db, &run, &ticket, &err) >= 0;
		if (!ok)
			fprintf(stderr, "%s\n", err.msg);
		ok = write(out, &ok, 1) == 1;
		_exit(!ok);
	}
	return pid;
}

TEST(writers_that_meet_an_empty_database_make_one_schema_and_one_chain)
{
	enum { WRITERS = 8, RUNS = 5 };
	pid_t pids[WRITERS];
	struct hd_err err = { 0 };
	struct place p = place_new();
	struct hd_db *db;
	struct hd_chain_walk found;
	int pipes[2];
	char ok = 0;

	EXPECT_INT(pipe(pipes), 0);
	for (int i = 0; i < WRITERS; i++)
		pids[i] = in_child(pipes[1], p.db, RUNS);
	for (int i = 0; i < WRITERS; i++) {
		EXPECT(read(pipes[0], &ok, 1) == 1);
		EXPECT_INT(ok, 1);
		waitpid(pids[i], NULL, 0);
	}
	close(pipes[0]);
	close(pipes[1]);
	db = must_open(p.db, HD_DB_READ);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), WRITERS * RUNS);
	EXPECT_INT(count(db, "SELECT MAX(seq) FROM run"), WRITERS * RUNS);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol"), 3);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	EXPECT_INT(found.runs, WRITERS * RUNS);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_connection_that_the_server_ends_in_the_middle_leaves_nothing)
{
	struct hd_err err = { 0 };
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct place p = place_new();
	struct hd_db *db, *other;
	char sql[100];

	db = must_open(p.db, HD_DB_WRITE);
	other = must_open(p.db, HD_DB_WRITE);
	must_add(other, &run);
	EXPECT_INT(hd_db_begin(db, &err), 0);
	EXPECT_INT(hd_db_do(db, &err, "INSERT INTO stack_blob (sha256, bytes, zstd) VALUES ($1, $2, $3)", "tib", "00",
			   (int64_t)0, "", (size_t)0),
		0);
	snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d)", (int)count(db, "SELECT pg_backend_pid()"));
	EXPECT_INT(hd_db_exec(other, sql, &err), 0);
	EXPECT_INT(hd_db_commit(db, &err), HD_EIO);
	EXPECT(hd_db_in_doubt(db));
	EXPECT_INT(hd_run_add(db, &run, &ticket, &err), HD_EIO);
	EXPECT(strstr(err.msg, "nothing was added"));
	hd_db_close(db);
	EXPECT_INT(count(other, "SELECT COUNT(*) FROM stack_blob WHERE sha256 = '00'"), 0);
	must_add(other, &run);		/* the server has released the lock of the killed writer */
	hd_db_close(other);
	place_remove(&p);
}

TEST(a_writer_that_holds_the_lock_is_waited_for_and_then_named)
{
	struct hd_err err = { 0 };
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct place p = place_new();
	struct hd_db *db, *other;

	db = must_open(p.db, HD_DB_WRITE);
	EXPECT_INT(open_as(&other, p.db, HD_DB_WRITE, 20, &err), 0);
	EXPECT_INT(hd_db_begin(db, &err), 0);
	/* it takes the lock, because BEGIN is sent with the first query */
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run"), 0);
	EXPECT_INT(hd_run_add(other, &run, &ticket, &err), HD_EIO);
	EXPECT(strstr(err.msg,
		": locked by another writer for 20 ms; try again, or wait longer with --busy-ms; nothing was added"));
	hd_db_rollback(db);
	must_add(other, &run);
	hd_db_close(other);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_database_of_something_else_is_left_alone)
{
	struct hd_err err = { 0 };
	struct place p = place_new();
	struct hd_db_opts o = { .mode = HD_DB_WRITE };
	struct hd_db *db;

	o.url = p.db;
	EXPECT_INT(hd_db_open(&db, &o, &err), 0);
	EXPECT_INT(hd_db_exec(db, "CREATE TABLE accounts (id INT)", &err), 0);
	EXPECT_INT(hd_journal_apply_schema(db, &err), HD_EIO);
	EXPECT(strstr(err.msg, ": a database, but not one of hotdrift"));
	hd_db_close(db);
	place_remove(&p);
}

/* ---- the number of round trips over the network, during which other writers wait ---- */

static uint64_t waits_for_a_run_of(struct hd_db *db, size_t symbols, const char *word)
{
	struct hd_run_hotspot *h = hd_new_array(struct hd_run_hotspot, symbols);
	char (*names)[40] = hd_zalloc(symbols, sizeof(*names));
	struct hd_run_event e = { .name = "cycles",
		.unit = "cycles",
		.samples = symbols,
		.weight = symbols,
		.hotspots = h,
		.nhotspots = symbols };
	struct hd_run run = sample_run();
	uint64_t before = hd_db_round_trips(db);

	for (size_t i = 0; i < symbols; i++) {
		snprintf(names[i], sizeof(names[i]), "%s_%zu", word, i);
		h[i] = (struct hd_run_hotspot){ .object = i % 2 ? "/x/app" : "/x/lib.so",
			.linkage = names[i],
			.name = names[i],
			.has_vaddr = true,
			.vaddr = i,
			.self = symbols - i,
			.total = symbols,
			.samples = 1 };
	}
	run.events = &e;
	must_add(db, &run);
	free(names);
	free(h);
	return hd_db_round_trips(db) - before;
}

TEST(a_run_of_thousands_of_symbols_is_written_in_few_questions)
{
	struct place p = place_new(), q = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE), *into = must_open(q.db, HD_DB_WRITE);
	uint64_t first = waits_for_a_run_of(db, 10, "a"), few, many, again;
	struct hd_merge m = { 0 };

	few = waits_for_a_run_of(db, 10, "b");
	many = waits_for_a_run_of(db, 2000, "c");
	again = waits_for_a_run_of(db, 2000, "c");
	print_message("questions of an add: the first %d, 10 symbols %d, 2000 new ones %d, 2000 known ones %d\n",
		(int)first, (int)few, (int)many, (int)again);
	EXPECT(first <= 3);
	EXPECT(few <= 3);
	EXPECT(many <= 3);
	EXPECT(again <= 3);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM hotspot"), 4020);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM symbol"), 2020);

	few = hd_db_round_trips(into);
	EXPECT_INT(hd_merge(into, db, &m, NULL), 0);
	few = hd_db_round_trips(into) - few;
	print_message("questions of a merge of these four runs: %d to the one, and all in all %d to the other\n",
		(int)few, (int)hd_db_round_trips(db));
	EXPECT_INT(m.added, 4);
	EXPECT(few <= 4 * 12);
	few = hd_db_round_trips(into);
	EXPECT_INT(hd_merge(into, db, &m, NULL), 0);
	EXPECT(hd_db_round_trips(into) - few <= 10);
	EXPECT_INT(m.known, 4);
	hd_db_close(db);
	hd_db_close(into);
	place_remove(&p);
	place_remove(&q);
}

/* Load all runs as `log` does, and verify them as `verify` does; store the number of round trips that each needs. */
static void round_trips_of_all_runs(struct hd_db *db, uint64_t *list_trips, uint64_t *verify_trips)
{
	uint64_t before = hd_db_round_trips(db), between;
	struct hd_chain_walk found;
	struct hd_run_list list;
	int64_t *rows;
	size_t n;

	EXPECT_INT(hd_run_lookup_list(db, NULL, 0, &rows, &n, NULL), 0);
	EXPECT_INT(hd_run_load_list(&list, db, rows, n, 1, NULL), 0);
	EXPECT_INT(list.n, n);
	for (size_t i = 0; i < n; i++)
		EXPECT_INT(list.runs[i].row, rows[i]);
	hd_run_list_release(&list);
	free(rows);
	between = hd_db_round_trips(db);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, NULL), 0);
	EXPECT_INT(found.runs, n);
	*list_trips = between - before;
	*verify_trips = hd_db_round_trips(db) - between;
}

TEST(the_round_trips_of_log_and_verify_do_not_depend_on_the_number_of_runs)
{
	uint64_t list_few, verify_few, list_many, verify_many;
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);

	for (int i = 0; i < 3; i++)
		waits_for_a_run_of(db, 10, "a");
	round_trips_of_all_runs(db, &list_few, &verify_few);
	for (int i = 0; i < 60; i++)
		waits_for_a_run_of(db, 10, "a");
	round_trips_of_all_runs(db, &list_many, &verify_many);
	print_message("questions of 63 runs: %d to list them, %d to verify them\n", (int)list_many, (int)verify_many);
	EXPECT_INT(list_many, list_few);
	EXPECT_INT(verify_many, verify_few);
	hd_db_close(db);
	place_remove(&p);
}

TEST(an_acknowledgement_an_expectation_and_a_gate_do_not_wait_for_a_run_that_is_being_added)
{
	static const struct hd_expectation_row expected = { .symbol = "parse_row", .at_least = NAN, .at_most = 10 };
	static const struct hd_gate_row result = { .command = "gate", .target = "serve", .mode = "cpu",
		.event = "cycles", .base_ref = "a", .head_ref = "b", .verdict = "PASS" };
	struct hd_ack ack = { .symbol = "parse_row", .level = 10, .reason = "larger rows" };
	struct place p = place_new();
	struct hd_db *adding = must_open(p.db, HD_DB_WRITE), *db;
	struct hd_chain_walk found;
	struct hd_err err = { 0 };
	int64_t n;

	waits_for_a_run_of(adding, 10, "a");
	EXPECT_INT(open_as(&db, p.db, HD_DB_WRITE, 300, &err), 0);
	EXPECT_INT(hd_db_begin_beside(adding, &err), 0);
	EXPECT_INT(count(adding, "SELECT COUNT(*) FROM run"), 1);
	EXPECT_INT(hd_ack_add(db, &ack, &err), 0);
	EXPECT_INT(hd_ack_withdraw(db, NULL, false, "parse_row", NULL, NULL, &n, &err), 0);
	EXPECT_INT(n, 1);
	EXPECT_INT(hd_expectation_rows_replace(db, "serve", &expected, 1, &err), 0);
	EXPECT_INT(hd_gate_rows_write(db, &result, NULL, 0, NULL, 0, &err), 0);
	EXPECT_STR(err.msg, "");
	hd_db_rollback(adding);
	/* acknowledgements wait for each other, and for a transaction that excludes all other writers */
	EXPECT_INT(hd_journal_begin(adding, &err), 0);
	EXPECT_INT(count(adding, "SELECT COUNT(*) FROM run"), 1);
	EXPECT_INT(hd_ack_add(db, &ack, &err), HD_EIO);
	EXPECT(strstr(err.msg, "locked by another writer"));
	hd_db_rollback(adding);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	hd_db_close(db);
	hd_db_close(adding);
	place_remove(&p);
}

TEST_MAIN(RUN(values_go_in_and_come_out_as_they_are), RUN(a_query_may_only_read),
	RUN(a_numeric_of_a_record_is_the_text_that_the_server_sends),
	RUN(queries_that_are_sent_as_one_can_be_ended_in_any_order_and_fail_together),
	  RUN(a_query_is_bounded_in_time_and_the_next_one_is_answered), RUN(values_of_a_query_are_bound_and_counted),
	  RUN(writers_that_meet_an_empty_database_make_one_schema_and_one_chain),
	  RUN(a_connection_that_the_server_ends_in_the_middle_leaves_nothing),
	  RUN(a_writer_that_holds_the_lock_is_waited_for_and_then_named),
	  RUN(a_database_of_something_else_is_left_alone),
	  RUN(a_run_of_thousands_of_symbols_is_written_in_few_questions),
	RUN(the_round_trips_of_log_and_verify_do_not_depend_on_the_number_of_runs),
	  RUN(an_acknowledgement_an_expectation_and_a_gate_do_not_wait_for_a_run_that_is_being_added))
