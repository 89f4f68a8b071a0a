/* merge.c - copy runs to another database: each run arrives unchanged, once, or not at all */
#include "unit/history/history_test.h"

#include "trust/chain.h"
#include "history/merge.h"

/* Three databases; the last one is empty. */
struct three {
	struct place places[3];
	struct hd_db *db[3];
	struct hd_run_ticket tickets[4];	/* runs 0 and 1 are in db[0], runs 2 and 3 in db[1] */
};

static struct three three_databases(void)
{
	struct three t;
	struct hd_run run = sample_run();

	for (int i = 0; i < 3; i++) {
		t.places[i] = place_new();
		t.db[i] = must_open(t.places[i].db, HD_DB_WRITE);
	}
	for (int i = 0; i < 4; i++) {
		run.target = i % 2 ? "serve" : "a\nhostile; name";
		run.recorded += i;
		run.series = i % 2 ? sample_series : NULL;
		run.nseries = i % 2 ? 2 : 0;
		run.work = i % 2 ? 2.5 : 0;
		run.side = i % 2 ? "base" : NULL;
		run.selection = i % 2 ? "--comm='a\n\xff'" : NULL;
		run.variables = i % 2 ? full_run().variables : NULL;
		run.compiler = i % 2 ? full_run().compiler : NULL;
		run.has_load = i % 2;
		run.load_average = 0.5;
		run.events = i % 2 ? full_run().events : &sample_event;
		t.tickets[i] = must_add(t.db[i / 2], &run);
	}
	return t;
}

static void release(struct three *t)
{
	for (int i = 0; i < 3; i++) {
		hd_db_close(t->db[i]);
		place_remove(&t->places[i]);
	}
}

static void expect_runs(struct hd_db *db, int64_t runs)
{
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	if (hd_chain_verify(db, NULL, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	EXPECT_INT(found.runs, runs);
	expect_sound(db);
}

static struct hd_merge must_merge(struct hd_db *into, struct hd_db *from)
{
	struct hd_merge m = { 0 };
	struct hd_err err = { 0 };

	if (hd_merge(into, from, &m, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	return m;
}

TEST(the_runs_of_two_databases_are_in_the_third_as_they_were)
{
	struct three t = three_databases();

	EXPECT_INT(must_merge(t.db[2], t.db[0]).added, 2);
	EXPECT_INT(must_merge(t.db[2], t.db[1]).added, 2);
	expect_runs(t.db[2], 4);
	for (int i = 0; i < 4; i++) {
		int64_t n;

		EXPECT_INT(hd_db_query_int(t.db[2], &n, 0, NULL,
				   "SELECT COUNT(*) FROM run WHERE run_id = $1 AND run_hash = $2", "tt",
				   t.tickets[i].id, t.tickets[i].hash),
			0);
		EXPECT_INT(n, 1);
	}
	EXPECT_INT(
		count(t.db[2],
			"SELECT COUNT(*) FROM v_series WHERE work = 2.5 AND stat = 'p95' AND value = 300 AND hi = "
			"300.5"),
		2);
	EXPECT_INT(
		count(t.db[2],
			"SELECT COUNT(*) FROM event WHERE frequency_hz = 999 AND throttled = 3 AND silent = 0.03125 "
			"AND running_ns = 7000"),
		2);
	EXPECT_INT(
		count(t.db[2],
			"SELECT COUNT(*) FROM event WHERE frequency_hz IS NULL AND throttled IS NULL AND enabled_ns IS "
			"NULL"),
		2);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM event WHERE call_graph = 'dwarf' AND stack_bytes = 8192"), 2);
	EXPECT_INT(
		count(t.db[2],
			"SELECT COUNT(*) FROM run r JOIN environment v ON v.id = r.environment_id WHERE r.compiler = "
			"'GNU C17 12.2.0 -O2' AND r.load_average = 0.5 AND v.variables LIKE '+HARDENED=1%'"),
		2);
	/* rows that runs share exist once */
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM environment"), 1);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM symbol"), 3);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM object"), 2);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM stack_blob"), 2);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM hotspot"), 12);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM chain WHERE is_local = 1"), 1);
	EXPECT_INT(count(t.db[2], "SELECT COUNT(*) FROM chain WHERE kind = 'runs'"), 3);
	release(&t);
}

TEST(merging_again_adds_nothing_and_later_runs_follow)
{
	struct three t = three_databases();
	struct hd_run run = sample_run();
	struct hd_merge m;

	must_merge(t.db[2], t.db[0]);
	m = must_merge(t.db[2], t.db[0]);
	EXPECT_INT(m.added, 0);
	EXPECT_INT(m.known, 2);
	must_add(t.db[0], &run);
	must_add(t.db[2], &run);
	m = must_merge(t.db[2], t.db[0]);
	EXPECT_INT(m.added, 1);
	EXPECT_INT(m.known, 2);
	expect_runs(t.db[2], 4);
	release(&t);
}

TEST(a_way_through_other_databases_and_back_is_no_change)
{
	struct three t = three_databases();

	must_merge(t.db[1], t.db[0]);
	must_merge(t.db[2], t.db[1]);
	EXPECT_INT(must_merge(t.db[0], t.db[2]).known, 2);
	expect_runs(t.db[0], 4);
	EXPECT_INT(must_merge(t.db[0], t.db[1]).added, 0);
	/* the database's own chain is still the local one */
	EXPECT_INT(count(t.db[0], "SELECT COUNT(*) FROM chain WHERE is_local = 1"), 1);
	EXPECT_INT(
		count(t.db[0], "SELECT COUNT(*) FROM run r JOIN chain c ON c.origin = r.origin WHERE c.is_local = 1"),
		2);
	release(&t);
}

static void refused(struct three *t, const char *sql, enum hd_code code, const char *why, int64_t left)
{
	struct hd_merge m = { 0 };
	struct hd_err err = { 0 };

	forget_references(t->db[0]);
	must_exec(t->db[0], sql);
	EXPECT_INT(hd_merge(t->db[2], t->db[0], &m, &err), code);
	if (!strstr(err.msg, why))
		print_message("%s\n", err.msg);
	EXPECT(strstr(err.msg, why));
	expect_runs(t->db[2], left);
}

TEST(a_run_that_was_altered_is_not_taken_and_those_before_it_are)
{
	static const struct { const char *sql, *why; int64_t left;
	} cases[] = {
		{ "UPDATE hotspot SET self = self + 1 WHERE run_id = 2 AND rank = 1",
			": run 20261023T140103Z-nocommit-", 1 },
		{ "UPDATE hotspot SET self = self + 1 WHERE run_id = 1 AND rank = 1", "was changed after it was added",
			0 },
		{ "UPDATE run SET prev_hash = content_hash WHERE id = 2", "does not follow the 1 runs of it in", 1 },
		{ "UPDATE run SET run_hash = content_hash WHERE id = 2", "does not follow the 1 runs of it in", 1 },
		{ "DELETE FROM run WHERE id = 1", "(2 of its chain) does not follow the 0 runs of it in", 0 },
		{ "UPDATE stack_blob SET bytes = bytes - 1", "is damaged", 0 },
		{ "DELETE FROM stack_blob", "is missing", 0 },
		{ "DELETE FROM symbol", "refers to a row that is missing", 0 },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct three t = three_databases();

		refused(&t, cases[i].sql, strstr(cases[i].why, "damaged") ? HD_EIO : HD_EFORMAT, cases[i].why,
			cases[i].left);
		release(&t);
	}
}

TEST(a_history_that_was_written_anew_is_not_mixed_with_the_old_one)
{
	struct three t = three_databases();

	must_merge(t.db[2], t.db[0]);
	refused(&t, "UPDATE run SET run_hash = content_hash WHERE id = 2", HD_EFORMAT,
		"one of the two was rewritten", 2);
	release(&t);
}

TEST(a_run_that_was_pruned_in_the_source_is_pruned_in_the_target)
{
	struct three t = three_databases();
	struct hd_merge m;

	forget_references(t.db[0]);
	EXPECT_INT(
		hd_db_exec(t.db[0],
			"INSERT INTO tombstone SELECT origin, seq, run_id, content_hash, prev_hash, run_hash, 'by "
			"hand', added_utc FROM run WHERE id = 1; DELETE FROM hotspot WHERE run_id = 1; DELETE FROM "
			"event WHERE run_id = 1; DELETE FROM run WHERE id = 1",
			NULL),
		0);
	m = must_merge(t.db[2], t.db[0]);
	EXPECT_INT(m.pruned, 1);
	EXPECT_INT(m.added, 1);
	expect_runs(t.db[2], 1);
	m = must_merge(t.db[2], t.db[0]);
	EXPECT_INT(m.known, 2);
	release(&t);
}

TEST_MAIN(RUN(the_runs_of_two_databases_are_in_the_third_as_they_were),
	RUN(merging_again_adds_nothing_and_later_runs_follow), RUN(a_way_through_other_databases_and_back_is_no_change),
	RUN(a_run_that_was_altered_is_not_taken_and_those_before_it_are),
	RUN(a_history_that_was_written_anew_is_not_mixed_with_the_old_one),
	RUN(a_run_that_was_pruned_in_the_source_is_pruned_in_the_target))
