/* history_overview.c - load many runs as lanes of comparable runs, and find the changes of their shares and series */
#include "unit/history/history_test.h"

#include "history/history_overview.h"

#include <math.h>

/* Add a run with three symbols, which have these self costs; one with cost 0 is left out. */
static struct hd_run_ticket add_run(struct hd_db *db, int64_t when, const char *target, const uint64_t self[3],
	const char *status)
{
	static const char *const names[] = { "parse", "lex", "a\nb" };
	struct hd_run_hotspot spots[3] = { { 0 } };
	struct hd_run_event event = { .name = "cycles", .unit = "cycles", .hotspots = spots };
	struct hd_run run = { .recorded = when, .target = target, .mode = "cpu", .status = status, .exit_status = -1,
			      .inline_mode = "no-inline", .events = &event, .nevents = 1 };
	bool used[3] = { false };

	for (size_t rank = 0; rank < 3; rank++) {
		size_t most = 3;

		for (size_t i = 0; i < 3; i++)
			if (!used[i] && (most == 3 || self[i] > self[most]))
				most = i;
		used[most] = true;
		if (!self[most])
			continue;
		spots[event.nhotspots++] = (struct hd_run_hotspot){ .object = "/bin/app",
			.linkage = names[most],
			.name = names[most],
			.self = self[most],
			.total = self[most],
			.samples = self[most] };
		event.weight += self[most];
	}
	event.samples = event.weight;
	run.read = run.kept = event.samples;
	return must_add(db, &run);
}

static void load(struct hd_overview *c, struct hd_db *db, const struct hd_overview_opts *o)
{
	struct hd_err err = { 0 };
	int rc = hd_overview_load(c, db, o, &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
}

static const struct hd_overview_opts all = { .symbols = 20 };

TEST(runs_that_can_be_compared_make_a_lane_the_one_with_the_newest_run_first)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_overview c;

	add_run(db, 1000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	add_run(db, 3000, "batch", (uint64_t[]){ 1, 9, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 7, 3, 0 }, "failed");
	load(&c, db, &all);
	EXPECT_INT(c.nruns, 3);
	EXPECT_INT(c.nlanes, 2);
	EXPECT_STR(c.runs[c.lanes[0].first].target, "batch");
	EXPECT_INT(c.lanes[0].nslots, 1);
	EXPECT_INT(c.lanes[1].nslots, 2);
	EXPECT_STR(c.runs[c.lanes[1].slots[0].run].recorded, "1970-01-01T00:16:40Z");
	EXPECT_STR(c.runs[c.lanes[1].slots[1].run].status, "failed");
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_column_has_the_share_of_each_run_and_0_where_the_symbol_is_not)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	const struct hd_overview_lane *l;
	struct hd_overview c;

	add_run(db, 1000, "serve", (uint64_t[]){ 60, 40, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 20, 30, 50 }, "ok");
	load(&c, db, &all);
	l = &c.lanes[0];
	EXPECT_INT(l->nshares, 3);
	EXPECT_STR(c.symbols[l->columns[0].symbol].name, "parse");
	EXPECT_STR(c.symbols[l->columns[0].symbol].object, "app");
	EXPECT(fabs(l->columns[0].v[0] - 60) < 1e-9 && fabs(l->columns[0].v[1] - 20) < 1e-9);
	EXPECT_STR(c.symbols[l->columns[1].symbol].name, "lex");
	EXPECT_STR(c.symbols[l->columns[2].symbol].name, "a\nb");
	EXPECT(l->columns[2].v[0] == 0 && fabs(l->columns[2].v[1] - 50) < 1e-9);
	EXPECT_STR(c.symbols[l->slots[1].top[0].symbol].name, "a\nb");
	EXPECT(fabs(l->slots[1].top[0].pct - 50) < 1e-9);
	EXPECT(l->slots[0].top[2].symbol == UINT32_MAX);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(there_are_at_most_the_requested_columns_and_those_of_the_newest_run_come_first)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_overview c;

	for (int i = 0; i < 4; i++)
		add_run(db, 1000 + i, "serve", (uint64_t[]){ 90, 10, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 0, 0, 7 }, "ok");
	load(&c, db, &(struct hd_overview_opts){ .symbols = 1 });
	EXPECT_INT(c.lanes[0].nshares, 1);
	EXPECT_STR(c.symbols[c.lanes[0].columns[0].symbol].name, "a\nb");
	EXPECT_INT(c.symbols_left_out, 2);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(target_branch_time_and_number_choose_runs_and_what_is_left_out_is_counted)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_overview c;

	for (int i = 0; i < 5; i++)
		add_run(db, 86400 * i + 10, i == 4 ? "other" : "serve", (uint64_t[]){ 1, 2, 0 }, "ok");
	load(&c, db, &(struct hd_overview_opts){ .symbols = 5, .target = "serve" });
	EXPECT_INT(c.nruns, 4);
	hd_overview_release(&c);
	load(&c, db, &(struct hd_overview_opts){ .symbols = 5, .since = "1970-01-02", .until = "1970-01-03" });
	EXPECT_INT(c.nruns, 2);
	EXPECT_STR(c.runs[1].recorded, "1970-01-03T00:00:10Z");
	hd_overview_release(&c);
	load(&c, db, &(struct hd_overview_opts){ .symbols = 5, .until = "1970-01-03T00:00:10Z" });
	EXPECT_INT(c.nruns, 3);
	hd_overview_release(&c);
	load(&c, db, &(struct hd_overview_opts){ .symbols = 5, .runs = 2 });
	EXPECT_INT(c.nruns, 2);
	EXPECT_INT(c.runs_left_out, 3);
	EXPECT_STR(c.runs[1].target, "other");
	hd_overview_release(&c);
	load(&c, db, &(struct hd_overview_opts){ .symbols = 5, .branch = "main" });
	EXPECT_INT(c.nruns, 0);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(runs_whose_stacks_were_recorded_in_two_ways_are_two_lanes)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_err err = { 0 };
	struct hd_overview c;

	for (int i = 0; i < 6; i++)
		add_run(db, 1000 + i, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	EXPECT_INT(hd_db_do(db, &err, "UPDATE event SET call_graph = 'fp' WHERE run_id IN (2, 3)", ""), 0);
	EXPECT_INT(hd_db_do(db, &err, "UPDATE event SET call_graph = 'dwarf' WHERE run_id IN (4, 6)", ""), 0);
	load(&c, db, &all);
	EXPECT_INT(c.nlanes, 2);
	EXPECT_STR(c.lanes[0].call_graph, "dwarf");
	EXPECT_STR(c.lanes[1].call_graph, "fp");
	/* Runs 1 and 5 were added before the field was stored. */
	EXPECT_INT(c.lanes[0].nslots + c.lanes[1].nslots, 6);
	EXPECT_INT(c.lanes[1].nslots, 2);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

/* parse doubles: the shares of the other two symbols fall by as much as a step, but their costs do not. */
TEST(a_share_that_fell_because_another_grew_is_no_change)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	const struct hd_overview_lane *l;
	struct hd_overview c;

	for (int i = 0; i < 40; i++) {
		uint64_t a_little = (uint64_t)(i * 37 % 11) * 20;

		add_run(db, 1000 + i, "serve",
			(uint64_t[]){ (i < 20 ? 4000 : 8000) + a_little, 5000 + (uint64_t)(i * 53 % 7) * 20,
				3000 + a_little / 2 },
			"ok");
	}
	load(&c, db, &all);
	l = &c.lanes[0];
	EXPECT_INT(l->nshares, 3);
	for (size_t k = 0; k < l->nshares; k++) {
		const struct hd_overview_column *col = &l->columns[k];
		bool parse = !strcmp(c.symbols[col->symbol].name, "parse");

		EXPECT(fabs(col->v[39] - col->v[0]) > 4);
		EXPECT_INT(col->nchanges, parse);
		if (parse)
			EXPECT(fabs(col->costs[0].pct - 98) < 5 && col->costs[0].lo > 90 && col->costs[0].hi < 106);
	}
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_step_is_found_where_it_is_and_failed_runs_do_not_make_one)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	const struct hd_overview_column *col;
	struct hd_overview c;

	for (int i = 0; i < 40; i++) {
		uint64_t parse = (i < 24 ? 2000 : 3000) + (uint64_t)(i * 37 % 11) * 10;
		bool failed = i % 7 == 3;

		add_run(db, 1000 + i, "serve", (uint64_t[]){ failed ? 9000 : parse, failed ? 1000 : 10000 - parse, 0 },
			failed ? "failed" : "ok");
	}
	load(&c, db, &all);
	EXPECT_INT(c.lanes[0].nshares, 2);
	for (size_t k = 0; k < 2; k++) {
		col = &c.lanes[0].columns[k];
		EXPECT_INT(col->nchanges, 1);
		/* The run at index 24 failed, so the step may be found at the next run. */
		EXPECT(col->changes[0].index == 24 || col->changes[0].index == 25);
		EXPECT(fabs(fabs(col->changes[0].after - col->changes[0].before) - 10) < 0.5);
		/* The limit for the next run is computed from the runs since the step, of which 13 are ok. */
		EXPECT(col->next.n == 13 || col->next.n == 14);
		EXPECT_INT(col->next_from, col->changes[0].index);
		EXPECT(fabs(col->next.mean - col->changes[0].after) < 0.5 && col->next.hi - col->next.lo < 3 &&
			col->next.lo < col->next.mean);
	}
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(measurements_are_columns_of_every_lane_of_their_run_and_nan_where_there_is_none)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	const struct hd_overview_lane *l;
	struct hd_overview c;

	add_run(db, 1000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	must_exec(db,
		"INSERT INTO series (run_id, series, kind, name, unit, samples) VALUES (2, 0, 'latency', "
		"'wall_time_us', 'us', 9), (2, 1, 'power', 'watts', 'W', 9), (2, 2, 'other', 'x.y', '1', "
		"9);INSERT INTO series_summary (run_id, series, ordinal, stat, value) VALUES (2, 0, 0, 'mean', "
		"5), (2, 0, 1, 'p95', 41), (2, 0, 2, 'p50', 21), (2, 1, 0, 'joules', 7), (2, 1, 1, 'p50', 1), "
		"(2, 2, 0, 'mean', 3), (2, 2, 1, 'p95', 3)");
	load(&c, db, &all);
	l = &c.lanes[0];
	EXPECT_INT(l->ncolumns - l->nshares, 4);
	EXPECT_STR(l->columns[2].kind, "latency");
	EXPECT_STR(l->columns[2].stat, "p50");
	EXPECT_STR(l->columns[3].stat, "p95");
	EXPECT(isnan(l->columns[3].v[0]) && l->columns[3].v[1] == 41);
	EXPECT_STR(l->columns[4].name, "x.y");
	EXPECT_STR(l->columns[5].stat, "joules");
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(percentiles_of_one_sample_a_run_are_one_column)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	const struct hd_overview_lane *l;
	struct hd_overview c;

	add_run(db, 1000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	must_exec(db,
		"INSERT INTO series (run_id, series, kind, name, unit, samples) VALUES (1, 0, 'latency', "
		"'wall_time_us', 'us', 1), (2, 0, 'latency', 'wall_time_us', 'us', 1), (2, 1, 'latency', "
		"'kernel_time_us', 'us', 1);INSERT INTO series_summary (run_id, series, ordinal, stat, value) "
		"VALUES (1, 0, 0, 'p50', 40), (1, 0, 1, 'p95', 40), (1, 0, 2, 'p99', 40), (2, 0, 0, 'p50', "
		"41), (2, 0, 1, 'p95', 41), (2, 0, 2, 'p99', 41), (2, 1, 0, 'p50', 5), (2, 1, 1, 'p95', 6), "
		"(2, 1, 2, 'p99', 6)");
	load(&c, db, &all);
	l = &c.lanes[0];
	EXPECT_INT(l->ncolumns - l->nshares, 3);	/* p95 and p99 of the kernel time are equal */
	EXPECT_STR(l->columns[l->nshares + 0].name, "kernel_time_us");
	EXPECT_STR(l->columns[l->nshares + 2].name, "wall_time_us");
	EXPECT_STR(l->columns[l->nshares + 2].stat, "p50");
	EXPECT(l->columns[l->nshares + 2].v[1] == 41);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(findings_of_several_gates_of_one_comparison_are_listed_once)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_overview c;

	add_run(db, 1000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 8, 2, 0 }, "ok");
	must_exec(db,
		"INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, "
		"head_pct, found_utc) VALUES (1, 1, 2, 0, 1, 'cost', 'FAIL', 60, 80, 't'), (2, 1, 2, 0, 2, "
		"'cost', 'FAIL', 40, 50, 't'), (3, 1, 2, 0, 1, 'cost', 'FAIL', 60, 81, 't'), (4, 2, 1, 0, 1, "
		"'cost', 'FAIL', 80, 90, 't')");
	load(&c, db, &all);
	EXPECT_INT(c.nverdicts, 3);
	EXPECT(c.verdicts[0].base_pct == 80 && c.verdicts[1].head_pct == 81 && c.verdicts[2].head_pct == 50);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_finding_belongs_to_its_run)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_overview c;

	add_run(db, 1000, "serve", (uint64_t[]){ 6, 4, 0 }, "ok");
	add_run(db, 2000, "serve", (uint64_t[]){ 8, 2, 0 }, "ok");
	must_exec(db,
		"INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, "
		"head_pct, found_utc) VALUES (1, 1, 2, 0, 1, 'cost', 'FAIL', 60, 80, 't'), (2, 1, 2, 0, NULL, "
		"'score', 'FAIL', NULL, NULL, 't')");
	load(&c, db, &all);
	EXPECT_INT(c.nverdicts, 2);
	EXPECT_INT(c.verdicts[0].symbol, UINT32_MAX);
	EXPECT(isnan(c.verdicts[0].base_pct));
	EXPECT_STR(c.symbols[c.verdicts[1].symbol].name, "parse");
	EXPECT_INT(c.verdicts[1].head, 1);
	EXPECT_INT(c.verdicts[1].base, 0);
	hd_overview_release(&c);
	load(&c, db, &(struct hd_overview_opts){ .symbols = 5, .runs = 1 });
	EXPECT_INT(c.verdicts[0].base, UINT32_MAX);
	hd_overview_release(&c);
	hd_db_close(db);
	place_remove(&place);
}

TEST(a_time_is_a_day_or_a_second_and_nothing_else)
{
	struct hd_err err = { 0 };

	EXPECT_INT(hd_overview_time("2026-11-20", "--since", &err), 0);
	EXPECT_INT(hd_overview_time("2026-11-20T14:01:02Z", "--since", &err), 0);
	EXPECT_INT(hd_overview_time("yesterday", "--since", &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "--since takes a day like 2026-11-20 or a time like 2026-11-20T14:01:02Z, not 'yesterday'");
	EXPECT_INT(hd_overview_time("2026-13-20", "--since", &err), HD_EUSAGE);
	EXPECT_INT(hd_overview_time("", "--since", &err), HD_EUSAGE);
}

TEST_MAIN(RUN(runs_that_can_be_compared_make_a_lane_the_one_with_the_newest_run_first),
	  RUN(a_column_has_the_share_of_each_run_and_0_where_the_symbol_is_not),
	  RUN(there_are_at_most_the_requested_columns_and_those_of_the_newest_run_come_first),
	  RUN(target_branch_time_and_number_choose_runs_and_what_is_left_out_is_counted),
	  RUN(runs_whose_stacks_were_recorded_in_two_ways_are_two_lanes),
	  RUN(a_share_that_fell_because_another_grew_is_no_change),
	  RUN(a_step_is_found_where_it_is_and_failed_runs_do_not_make_one),
	  RUN(measurements_are_columns_of_every_lane_of_their_run_and_nan_where_there_is_none),
	  RUN(a_finding_belongs_to_its_run),
	  RUN(percentiles_of_one_sample_a_run_are_one_column),
	  RUN(findings_of_several_gates_of_one_comparison_are_listed_once),
	  RUN(a_time_is_a_day_or_a_second_and_nothing_else))
