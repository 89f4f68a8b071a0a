/* trend.c - compute the history of a symbol or a series: its points, their values, and changes */
#include "unit/history/history_test.h"

#include "history/trend.h"
#include "history/stored_function.h"
#include "history/trend_top.h"
#include "stats/twosample.h"

#include <math.h>

/* A run at a commit.  Of its 100,000 cycles, parse_row has `share` per mille, and decode has the others. */
struct made {
	const char *commit;
	int64_t when;
	uint64_t share;
	const char *suffix, *object, *status, *command;
	struct hd_rate rate;
	const struct hd_machine *machine;
};

static int64_t make(struct hd_db *db, struct made m)
{
	char name[64];
	struct hd_run_hotspot spots[2] = {
		{ .object = m.object ? m.object : "/opt/serve",
			.linkage = name,
			.name = name,
			.has_vaddr = true,
			.vaddr = 0x1000,
			.self = m.share * 100,
			.total = m.share * 100,
			.samples = m.share },
		{ .object = "/opt/serve",
			.linkage = "decode",
			.name = "decode",
			.has_vaddr = true,
			.vaddr = 0x2000,
			.self = 100000 - m.share * 100,
			.total = 100000,
			.samples = 1000 - m.share },
	};
	struct hd_run_event event = { .name = "cycles",
		.unit = "cycles",
		.samples = 1000,
		.weight = 100000,
		.hotspots = spots,
		.nhotspots = 2,
		.rate = m.rate };
	struct hd_git_commit git = { .sha = (char *)m.commit, .dirty = 0 };
	struct hd_run run = sample_run();

	snprintf(name, sizeof(name), "parse_row%s", m.suffix ? m.suffix : "");
	run.recorded = m.when;
	run.events = &event;
	run.git = m.commit ? &git : NULL;
	run.status = m.status ? m.status : "ok";
	run.machine = m.machine;
	run.command = m.command;
	must_add(db, &run);
	return count(db, "SELECT MAX(id) FROM run");
}

static struct hd_trend must_trend(struct hd_db *db, struct hd_trend_scope scope)
{
	struct hd_trend t;
	struct hd_err err = { 0 };
	int rc = hd_trend_open(&t, db, &scope, &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return t;
}

static struct hd_trend_values must_find(struct hd_db *db, const struct hd_trend *t, const char *name)
{
	struct hd_stored_function f;
	struct hd_trend_values v;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_stored_function_find(&f, db, name, NULL, &err), 0);
	EXPECT_INT(hd_trend_symbol(&v, t, db, f.ids, f.n, &err), 0);
	hd_stored_function_release(&f);
	return v;
}

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"

TEST(runs_of_one_commit_are_one_point_with_the_mean_of_their_shares)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend_values v;
	struct hd_trend t;
	int64_t last;

	make(db, (struct made){ .commit = A, .when = 1000, .share = 100 });
	make(db, (struct made){ .commit = B, .when = 2000, .share = 300 });
	make(db, (struct made){ .commit = A, .when = 3000, .share = 120 });
	last = make(db, (struct made){ .commit = NULL, .when = 4000, .share = 400 });
	make(db, (struct made){ .commit = NULL, .when = 5000, .share = 500 });
	t = must_trend(db, (struct hd_trend_scope){ .like = last });
	EXPECT_INT(t.npoints, 4);
	EXPECT_INT(t.nruns, 5);
	EXPECT_STR(t.points[0].commit, A);
	EXPECT_INT(t.points[0].runs, 2);
	EXPECT_STR(t.runs[t.points[0].first].recorded, "1970-01-01T00:16:40Z");
	assert_null(t.points[2].commit);
	v = must_find(db, &t, "parse_row");
	EXPECT(fabs(v.of[0].value - 11) < 1e-9);
	EXPECT(v.of[0].lo < 11 && v.of[0].hi > 11);
	EXPECT_INT(v.of[1].rank, 1);
	EXPECT(fabs(v.of[3].value - 50) < 1e-9);
	EXPECT_INT(v.have, 4);
	hd_trend_values_release(&v);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(only_runs_that_compare_stand_beside_each_other)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_machine other = { .source = "here", .arch = (char *)"riscv64", .cpus_online = 3, .memory_bytes = -1 };
	struct hd_trend t;
	int64_t last;

	hd_machine_seal(&other);
	make(db, (struct made){ .commit = A, .when = 1000, .share = 100 });
	make(db, (struct made){ .commit = A, .when = 1100, .share = 100, .status = "failed" });
	make(db, (struct made){ .commit = B, .when = 2000, .share = 100, .machine = &other });
	make(db, (struct made){ .commit = B, .when = 2100, .share = 100 });
	make(db, (struct made){ .commit = B, .when = 2200, .share = 100 });
	EXPECT_INT(hd_db_do(db, NULL, "UPDATE run SET selection = '--comm=x' WHERE id = 4", ""), 0);
	EXPECT_INT(hd_db_do(db, NULL, "UPDATE run SET side = 'A' WHERE id = 5", ""), 0);
	last = make(db, (struct made){ .commit = C, .when = 3000, .share = 100 });
	t = must_trend(db, (struct hd_trend_scope){ .like = last });
	EXPECT_INT(t.npoints, 3);
	EXPECT_INT(t.points[1].runs, 1);	/* the one of a side: gate would compare it, too */
	EXPECT_INT(t.unlike, 2);
	hd_trend_release(&t);
	t = must_trend(db, (struct hd_trend_scope){ .like = last, .before = true });
	EXPECT_INT(t.npoints, 2);
	EXPECT_STR(t.points[0].commit, A);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

/* Runs are comparable by the same rules as in gate (history/comparability.h). */
TEST(other_arguments_and_another_frequency_are_another_history)
{
	const struct hd_rate usual = { .frequency_hz = 999, .recorded = true },
			     often = { .frequency_hz = 4000, .recorded = true }, unknown = { 0 };
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend t;
	int64_t last;

	make(db,
		(struct made){ .commit = A,
			.when = 1000,
			.share = 100,
			.command = "perf record -o a.data -- /x/serve --n 1",
			.rate = usual });
	make(db,
		(struct made){ .commit = A,
			.when = 1100,
			.share = 100,
			.command = "perf record -F 9 -- /y/serve --n 2",
			.rate = usual });
	make(db,
		(struct made){ .commit = B,
			.when = 2000,
			.share = 100,
			.command = "perf record -o b.data -- /z/serve --n 1",
			.rate = usual });
	make(db, (struct made){ .commit = B, .when = 2100, .share = 100, .command = "/z/serve --n 1", .rate = often });
	make(db,
		(struct made){ .commit = B, .when = 2200, .share = 100, .command = "/z/serve --n 1", .rate = unknown });
	last = make(db,
		(struct made){ .commit = C, .when = 3000, .share = 100, .command = "serve --n 1", .rate = usual });
	t = must_trend(db, (struct hd_trend_scope){ .like = last });
	EXPECT_INT(t.npoints, 3);
	EXPECT_INT(t.nruns, 4);
	EXPECT_INT(t.unlike, 2);
	hd_trend_release(&t);
	t = must_trend(db,
		(struct hd_trend_scope){ .like = last,
			.event = "" }); /* the sampling rate does not matter for series */
	EXPECT_INT(t.nruns, 5);
	EXPECT_INT(t.unlike, 1);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(entries_that_differ_in_compiler_suffixes_are_one_function)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend_values v;
	struct hd_trend t;
	int64_t last;

	make(db, (struct made){ .commit = A, .when = 1000, .share = 100, .suffix = ".isra.0" });
	last = make(db, (struct made){ .commit = B, .when = 2000, .share = 300, .suffix = ".constprop.1" });
	t = must_trend(db, (struct hd_trend_scope){ .like = last });
	v = must_find(db, &t, "parse_row");
	EXPECT(fabs(v.of[0].value - 10) < 1e-9 && fabs(v.of[1].value - 30) < 1e-9);
	hd_trend_values_release(&v);
	v = must_find(db, &t, "parse_row.isra.0");
	EXPECT(fabs(v.of[1].value - 30) < 1e-9);
	hd_trend_values_release(&v);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_name_that_means_nothing_or_several_says_which_there_are)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_stored_function f;
	struct hd_err err = { 0 };

	make(db, (struct made){ .commit = A, .when = 1000, .share = 100 });
	make(db, (struct made){ .commit = A, .when = 2000, .share = 100, .object = "/lib/liba.so" });
	EXPECT_INT(hd_stored_function_find(&f, db, "parse_row", NULL, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "'parse_row' is in several objects (liba.so, serve)") != NULL);
	EXPECT_INT(hd_stored_function_find(&f, db, "parse_row", "liba.so", &err), 0);
	EXPECT_STR(f.object, "liba.so");
	EXPECT_INT(f.n, 1);
	hd_stored_function_release(&f);
	EXPECT_INT(hd_stored_function_find(&f, db, "PARSE", NULL, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "no symbol 'PARSE'; there are: parse_row") != NULL);
	EXPECT_INT(hd_stored_function_find(&f, db, "100%_!", NULL, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "none whose name contains it") != NULL);
	hd_db_close(db);
	place_remove(&place);
}

TEST(points_stand_by_the_time_of_their_commit)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_git_commit old = { .sha = (char *)A, .committed_utc = (char *)"2026-01-01T00:00:00Z" };
	struct hd_git_commit young = { .sha = (char *)B, .committed_utc = (char *)"2026-02-01T00:00:00Z" };
	struct hd_run run = sample_run();
	struct hd_trend t;

	run.git = &young;
	must_add(db, &run);
	run.git = &old;				/* measured later than newer commits, as in a bisection */
	run.recorded += 100;
	must_add(db, &run);
	t = must_trend(db, (struct hd_trend_scope){ .like = 1 });
	EXPECT_STR(t.points[0].commit, A);
	EXPECT_STR(t.points[1].commit, B);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_figure_of_a_series_has_a_history_and_a_run_without_it_no_value)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend_values v;
	struct hd_err err = { 0 };
	struct hd_trend t;

	make(db, (struct made){ .commit = A, .when = 1000, .share = 100 });
	make(db, (struct made){ .commit = B, .when = 2000, .share = 100 });
	EXPECT_INT(
		hd_db_do(db, &err,
			"INSERT INTO series (run_id, series, kind, name, unit, samples) VALUES (1, 0, 'latency', "
			"'wall_time_us', 'us', 9)",
			""),
		0);
	EXPECT_INT(
		hd_db_do(db, &err,
			"INSERT INTO series_summary (run_id, series, ordinal, stat, value) VALUES (1, 0, 0, 'p99', "
			"41.5)",
			""),
		0);
	t = must_trend(db, (struct hd_trend_scope){ .like = 2, .event = "" });
	EXPECT_INT(t.npoints, 2);
	EXPECT_INT(hd_trend_series(&v, &t, db, NULL, "wall_time_us", "p99", &err), 0);
	EXPECT(v.of[0].value == 41.5);
	EXPECT(isnan(v.of[1].value));
	EXPECT_INT(v.have, 1);
	hd_trend_values_release(&v);
	EXPECT_INT(hd_trend_series(&v, &t, db, "memory", "wall_time_us", "p99", &err), 0);
	EXPECT_INT(v.have, 0);
	hd_trend_values_release(&v);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_change_is_marked_and_limits_look_back_no_further_than_it)
{
	struct hd_trend_value of[40] = { 0 };
	struct hd_trend_values v = { .of = of, .n = 40, .have = 40 };
	struct hd_trend_marks m;
	double plain[20];

	for (int i = 0; i < 40; i++)
		of[i].value = (i < 20 ? 10 : 12) + 0.05 * (i * 7 % 5 - 2);
	EXPECT_INT(hd_trend_mark(&m, &v, 0.05), 0);
	EXPECT_INT(m.changes, 1);
	EXPECT(m.of[20].change && m.of[20].above);
	EXPECT(fabs(m.of[20].before - 10) < 0.01 && fabs(m.of[20].after - 12) < 0.01);
	EXPECT_INT(m.of[21].limit.n, 0);		/* one point since the change is too few for limits */
	EXPECT(!m.of[30].above && !m.of[30].below);
	EXPECT_INT(m.next.n, 20);
	EXPECT(m.next.lo > 11.5 && m.next.lo < 12 && m.next.hi > 12 && m.next.hi < 12.5);
	for (int i = 20; i < 40; i++)
		plain[i - 20] = of[i].value;
	EXPECT(fabs(m.next.hi - hd_prediction_limit(plain, 20, 0.05)) < 1e-9);
	EXPECT_INT(m.nrises, 1);
	EXPECT(m.rises[0].last == 19 && m.rises[0].first == 20 && fabs(m.rises[0].after - 12) < 0.01 &&
		fabs(m.best - 10) < 0.01);
	hd_trend_marks_release(&m);
	for (int i = 30; i < 40; i++)
		of[i].value -= 2;			/* the rise at index 20 is undone at index 30 */
	EXPECT_INT(hd_trend_mark(&m, &v, 0.05), 0);
	EXPECT(m.changes == 2 && m.nrises == 0 && fabs(m.best - 10) < 0.01);
	hd_trend_marks_release(&m);
	for (int i = 0; i < 40; i++)
		of[i].value = i < 4 ? 10 : NAN;
	EXPECT_INT(hd_trend_mark(&m, &v, 0.05), 0);
	EXPECT_INT(m.next.n, 0);
	hd_trend_marks_release(&m);
	for (int i = 0; i < 40; i++)
		of[i].value = 10;			/* a constant history: rounding is no change */
	EXPECT_INT(hd_trend_mark(&m, &v, 0.05), 0);
	EXPECT(m.next.n == 30 && m.next.hi > 10 && m.next.hi < 10.0001);
	hd_trend_marks_release(&m);
}

/*
 * Add 16 runs in which f has about 3,000 samples.  h has h[0] samples in the first eight runs, and h[1] in the others;
 * f has `factor` times as many there.
 */
static void add_series(struct hd_db *db, const uint64_t h[2], double factor)
{
	static const char *const names[] = { "f", "g", "k", "l", "h" };

	for (uint64_t i = 0; i < 16; i++) {
		uint64_t a_little = i * 37 % 50, f = 3000 + a_little, total = 0;
		uint64_t self[] = { i < 8 ? f : (uint64_t)((double)f * factor), 2000 - a_little, 2500, 1500 + a_little,
			h[i >= 8] };
		struct hd_run_event event = { .name = "cycles", .unit = "cycles", .nhotspots = HD_COUNT(self) };
		struct hd_run_hotspot spots[HD_COUNT(self)];
		struct hd_run run = sample_run();

		for (size_t k = 0; k < HD_COUNT(self); k++) {
			spots[k] = (struct hd_run_hotspot){ .object = "/opt/serve", .linkage = names[k],
				.name = names[k], .has_vaddr = true, .vaddr = 0x1000 * (k + 1), .self = self[k] * 1000,
				.total = self[k] * 1000, .samples = self[k] };
			total += self[k];
		}
		event.samples = total;
		event.weight = total * 1000;
		event.hotspots = spots;
		run.recorded = 1000 + 100 * (int64_t)i;
		run.events = &event;
		run.git = NULL;
		run.status = "ok";
		must_add(db, &run);
	}
}

/* Add such a series, and return the marks of f. */
static struct hd_trend_marks marks_of_f(uint64_t h_before, uint64_t h_after, double factor)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend_values v;
	struct hd_trend_marks m;
	struct hd_err err = { 0 };
	struct hd_trend t;

	add_series(db, (uint64_t[]){ h_before, h_after }, factor);
	t = must_trend(db, (struct hd_trend_scope){ .like = 16 });
	v = must_find(db, &t, "f");
	EXPECT_INT(hd_trend_mark(&m, &v, 0.05), 0);
	EXPECT_INT(m.changes, 1);
	EXPECT(m.of[8].change && isnan(m.of[8].cost.pct));
	EXPECT_INT(hd_trend_mark_costs(&m, &v, &t, db, "f", "serve", &err), 0);
	hd_trend_values_release(&v);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
	return m;
}

TEST(a_share_that_moved_because_another_function_did_is_no_change_and_no_rise)
{
	static const uint64_t h_after[] = { 6000, 1500 };

	for (size_t i = 0; i < HD_COUNT(h_after); i++) {
		struct hd_trend_marks m = marks_of_f(3000, h_after[i], 1);

		EXPECT(m.of[8].share_only && fabs(m.of[8].cost.pct) < 1);
		EXPECT(m.of[8].cost.lo < 0 && m.of[8].cost.hi > 0);
		EXPECT_INT(m.nrises, 0);
		hd_trend_marks_release(&m);
	}
}

/* f grows by 20 %, but h by so much more that the share of f falls. */
TEST(a_rise_of_the_cost_is_found_if_the_share_fell)
{
	struct hd_trend_marks m = marks_of_f(1500, 6000, 1.2);

	EXPECT(m.of[8].after < m.of[8].before);
	EXPECT(!m.of[8].share_only && fabs(m.of[8].cost.pct - 20) < 2);
	EXPECT_INT(m.nrises, 1);
	EXPECT_INT(m.rises[0].first, 8);
	EXPECT(m.rise_costs[0].lo > 15 && m.rise_costs[0].hi < 25);
	hd_trend_marks_release(&m);
}

TEST(the_costliest_of_each_commit_say_how_their_places_moved)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend_tops tops;
	struct hd_err err = { 0 };
	struct hd_trend t;

	make(db, (struct made){ .commit = A, .when = 1000, .share = 300 });
	make(db, (struct made){ .commit = B, .when = 2000, .share = 700 });
	make(db, (struct made){ .commit = C, .when = 3000, .share = 700, .suffix = "2" });
	t = must_trend(db, (struct hd_trend_scope){ .like = 3 });
	EXPECT_INT(hd_trend_tops(&tops, &t, db, 1, &err), 0);
	EXPECT_STR(tops.of[0].rows[0].name, "decode");
	EXPECT_INT(tops.of[0].rows[0].move, HD_TREND_FIRST);
	EXPECT_INT(tops.of[1].n, 2);
	EXPECT_STR(tops.of[1].rows[0].name, "parse_row");
	EXPECT_INT(tops.of[1].rows[0].move, HD_TREND_ENTERED);
	EXPECT_INT(tops.of[1].rows[0].was_rank, 2);
	EXPECT_STR(tops.of[1].rows[1].name, "decode");
	EXPECT_INT(tops.of[1].rows[1].move, HD_TREND_LEFT);
	EXPECT_INT(tops.of[1].rows[1].rank, 2);
	EXPECT_INT(tops.of[2].rows[1].rank, 0);
	hd_trend_tops_release(&tops);
	EXPECT_INT(hd_trend_tops(&tops, &t, db, 5, &err), 0);
	EXPECT_INT(tops.of[1].rows[0].move, HD_TREND_UP);
	EXPECT_INT(tops.of[1].rows[1].move, HD_TREND_DOWN);
	hd_trend_tops_release(&tops);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(the_costliest_of_each_commit_have_a_change_of_cost)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_trend_tops tops;
	struct hd_err err = { 0 };
	struct hd_trend t;

	add_series(db, (uint64_t[]){ 3000, 6000 }, 1);
	t = must_trend(db, (struct hd_trend_scope){ .like = 16 });
	EXPECT_INT(hd_trend_tops(&tops, &t, db, 5, &err), 0);
	EXPECT(isnan(tops.of[0].rows[0].change.pct));
	EXPECT_STR(tops.of[8].rows[0].name, "h");
	EXPECT(fabs(tops.of[8].rows[0].change.pct - 100) < 2 && !tops.of[8].rows[0].within_noise);
	EXPECT(tops.of[8].rows[0].cost == 6e6 && tops.of[8].rows[0].was_cost == 3e6);
	EXPECT_STR(tops.of[8].rows[1].name, "f");
	EXPECT(fabs(tops.of[8].rows[1].change.pct) < 2 && tops.of[8].rows[1].within_noise);
	EXPECT_INT(tops.of[8].rows[1].move, HD_TREND_DOWN);
	hd_trend_tops_release(&tops);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST(the_sum_of_what_is_too_small_for_a_row_is_no_function)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_stored_function f;
	struct hd_trend_tops tops;
	struct hd_err err = { 0 };
	struct hd_trend t;

	make(db, (struct made){ .commit = A, .when = 1000, .share = 300 });
	EXPECT_INT(
		hd_db_do(db, &err,
			"UPDATE symbol SET object = NULL, linkage = NULL, name = '[rest]', normal = '[rest]' WHERE "
			"normal = 'parse_row'",
			""),
		0);
	EXPECT_INT(hd_stored_function_find(&f, db, "[rest]", NULL, &err), HD_EFORMAT);
	t = must_trend(db, (struct hd_trend_scope){ .like = 1 });
	EXPECT_INT(hd_trend_tops(&tops, &t, db, 5, &err), 0);
	EXPECT_INT(tops.of[0].n, 1);
	EXPECT_STR(tops.of[0].rows[0].name, "decode");
	hd_trend_tops_release(&tops);
	hd_trend_release(&t);
	hd_db_close(db);
	place_remove(&place);
}

TEST_MAIN(RUN(a_share_that_moved_because_another_function_did_is_no_change_and_no_rise),
	RUN(a_rise_of_the_cost_is_found_if_the_share_fell),
	RUN(the_costliest_of_each_commit_have_a_change_of_cost),
	RUN(the_sum_of_what_is_too_small_for_a_row_is_no_function),
	RUN(runs_of_one_commit_are_one_point_with_the_mean_of_their_shares),
	RUN(only_runs_that_compare_stand_beside_each_other),
	RUN(other_arguments_and_another_frequency_are_another_history),
	RUN(entries_that_differ_in_compiler_suffixes_are_one_function),
	RUN(a_name_that_means_nothing_or_several_says_which_there_are), RUN(points_stand_by_the_time_of_their_commit),
	RUN(a_figure_of_a_series_has_a_history_and_a_run_without_it_no_value),
	RUN(a_change_is_marked_and_limits_look_back_no_further_than_it),
	RUN(the_costliest_of_each_commit_say_how_their_places_moved))
