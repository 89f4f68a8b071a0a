/* symbol_matrix.c - the rows of the matrix are the functions that have self cost in a run */
#include "unit/history/history_test.h"

#include "history/symbol_matrix.h"

enum { MANY = 40, INLINED = 3, SPOTS_MAX = MANY + INLINED };

/*
 * Add a run of `n` functions with self cost, the costliest first, and INLINED ones that occur only where they were
 * inlined into others.  Returns the run as a member of a set.
 */
static struct hd_run_set_member add_run(struct hd_db *db, size_t n)
{
	struct hd_run_hotspot spots[SPOTS_MAX] = { 0 };
	struct hd_run_event event = sample_event;
	struct hd_run run = sample_run();
	char names[SPOTS_MAX][8];

	event.hotspots = spots;
	event.nhotspots = n + INLINED;
	event.folded = NULL;
	event.weight = 0;
	for (size_t i = 0; i < n + INLINED; i++) {
		snprintf(names[i], sizeof(names[i]), i < n ? "f%02zu" : "i%02zu", i);
		spots[i] = (struct hd_run_hotspot){ .object = "/opt/bin/serve", .linkage = names[i], .name = names[i],
			.self = i < n ? 10 * (n - i) : 0, .total = 1000, .samples = i < n, .has_inline = true,
			.inline_self = 1, .inline_total = 1 };
		event.weight += spots[i].self;
	}
	run.events = &event;
	must_add(db, &run);
	return (struct hd_run_set_member){ .row = count(db, "SELECT MAX(id) FROM run"), .event = 0,
		.weight = (double)event.weight, .effective = (double)event.weight };
}

/* Expect that the matrix of two runs with n functions each has n rows. */
static void expect_rows(size_t n)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run_set_member base = add_run(db, n), head = add_run(db, n);
	const struct hd_run_set_member *runs[] = { &base, &head };
	struct hd_symbol_matrix m;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_symbol_matrix_load(&m, db, runs, 2, 1, &err), 0);
	EXPECT_INT(m.n, n);
	EXPECT_INT(m.rest, 0);
	for (size_t i = 0; i < n; i++) {
		EXPECT(m.y[2 * i] == 10.0 * (double)(n - i) && m.y[2 * i + 1] == m.y[2 * i]);
		EXPECT_STR(m.rows[i].name, m.rows[i].linkage);
		EXPECT_INT(strtol(m.rows[i].name + 1, NULL, 10), i);
	}
	hd_symbol_matrix_release(&m);
	hd_db_close(db);
	place_remove(&p);
}

TEST(functions_without_self_cost_have_no_rows_however_many_functions_a_run_has)
{
	expect_rows(5);
	expect_rows(MANY);
}

TEST_MAIN(RUN(functions_without_self_cost_have_no_rows_however_many_functions_a_run_has))
