/*
 * opportunities.c - rank functions over targets and modes
 */
#include "history_test.h"

#include "history/opportunities.h"

#include <math.h>

static struct hd_mode_weights weights;
static struct hd_skip_rules skip;

/*
 * Add a run of `target` with a weight of 100: f, in an object that is named like the target, has 60, malloc 20, the
 * kernel 15, and an address without a symbol 5.
 */
static void add(struct hd_db *db, const char *target, const char *linkage, int day)
{
	const struct hd_run_hotspot hotspots[] = {
		{ .object = target, .linkage = linkage, .name = "f", .self = 60, .total = 60, .samples = 6,
			.has_vaddr = true, .vaddr = 0x1000, .build_id = "a1b2" },
		{ .object = "libc.so.6", .linkage = "malloc", .name = "malloc", .self = 20, .total = 20, .samples = 2 },
		{ .object = "[kernel.kallsyms]", .linkage = "schedule", .name = "schedule", .kernel = true, .self = 15,
			.total = 15, .samples = 1 },
		{ .object = target, .has_vaddr = true, .vaddr = 0x2000, .self = 5, .total = 5, .samples = 1 },
	};
	const struct hd_run_event event = { .name = "cycles:u", .unit = "cycles", .samples = 10, .weight = 100,
		.hotspots = hotspots, .nhotspots = 4 };
	struct hd_run run = sample_run();

	run.events = &event;
	run.target = target;
	run.recorded += day * 86400;
	run.read = run.kept = 10;
	must_add(db, &run);
}

static int load(struct hd_opportunities *o, struct hd_db *db, struct hd_opportunities_scope scope, struct hd_err *err)
{
	EXPECT_INT(hd_mode_weights_parse(&weights, HD_MODE_WEIGHTS_DEFAULT, "test", err), 0);
	hd_skip_rules_init(&skip, NULL, NULL, true);
	scope.weights = &weights;
	scope.skip = &skip;
	scope.hot_pct = 1;
	scope.commits = 9;
	return hd_opportunities_load(o, db, &scope, err);
}

static void unload(struct hd_opportunities *o)
{
	hd_opportunities_release(o);
	hd_skip_rules_release(&skip);
}

TEST(plumbing_the_kernel_and_addresses_are_excluded_and_all_impacts_add_up)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_opportunities o;
	struct hd_err err = { 0 };

	add(db, "serve", "f", 0);
	EXPECT_INT(load(&o, db, (struct hd_opportunities_scope){ 0 }, &err), 0);
	EXPECT_INT(o.n, 1);
	EXPECT_STR(o.rows[0].name, "f");
	EXPECT(fabs(o.rows[0].impact - 60) < 1e-9 && isnan(o.rows[0].impact_ci.lo));
	EXPECT_STR(o.rows[0].path, "serve");
	EXPECT_STR(o.rows[0].vaddr, "0x0000000000001000");
	EXPECT_INT(o.excluded[HD_OPPORTUNITIES_PLUMBING].n, 2);
	EXPECT(fabs(o.excluded[HD_OPPORTUNITIES_PLUMBING].impact - 35) < 1e-9);
	EXPECT_STR(o.excluded[HD_OPPORTUNITIES_PLUMBING].examples[0].name, "malloc");
	EXPECT_STR(o.excluded[HD_OPPORTUNITIES_UNKNOWN].examples[0].name, "[unknown] in serve");
	EXPECT(fabs(o.excluded[HD_OPPORTUNITIES_UNKNOWN].impact - 5) < 1e-9);
	unload(&o);
	hd_db_close(db);
	place_remove(&p);
}

/* A lambda that was inlined into the function that runs it is the user's code, and so is a template like std::sort. */
TEST(functions_that_the_compiler_made_of_the_user_s_code_are_no_plumbing)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	const struct hd_run_hotspot hotspots[] = {
		{ .object = "app", .linkage = "_ZNSt6thread11_State_implE",
			.name = "std::thread::_State_impl<main::{lambda()#1}>::_M_run", .self = 60, .total = 60,
			.samples = 6 },
		{ .object = "app", .linkage = "_ZSt16__introsort_loop", .name = "std::__introsort_loop<int*>",
			.self = 30, .total = 30, .samples = 3 },
		{ .object = "libstdc++.so.6", .linkage = "_ZNSo5writeE", .name = "std::ostream::write", .self = 10,
			.total = 10, .samples = 1 },
	};
	const struct hd_run_event event = { .name = "cycles:u", .unit = "cycles", .samples = 10, .weight = 100,
		.hotspots = hotspots, .nhotspots = 3 };
	struct hd_run run = sample_run();
	struct hd_opportunities o;
	struct hd_err err = { 0 };

	run.events = &event;
	run.read = run.kept = 10;
	must_add(db, &run);
	EXPECT_INT(load(&o, db, (struct hd_opportunities_scope){ 0 }, &err), 0);
	EXPECT_INT(o.n, 2);
	EXPECT_STR(o.rows[0].name, hotspots[0].name);
	EXPECT_STR(o.rows[1].name, hotspots[1].name);
	EXPECT_STR(o.excluded[HD_OPPORTUNITIES_PLUMBING].examples[0].name, "std::ostream::write");
	unload(&o);
	hd_db_close(db);
	place_remove(&p);
}

TEST(a_name_in_two_objects_is_two_functions_unless_the_object_does_not_matter)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_opportunities o;
	struct hd_err err = { 0 };

	add(db, "serve", "f", 0);
	add(db, "load", "f", 1);
	EXPECT_INT(load(&o, db, (struct hd_opportunities_scope){ 0 }, &err), 0);
	EXPECT_INT(o.n, 2);
	EXPECT(fabs(o.rows[0].impact - 30) < 1e-9 && o.rows[0].hot_targets == 1 && o.rows[0].targets == 2);
	EXPECT_STR(o.rows[0].object, "load");		/* the scores and names are equal, so the objects decide */
	unload(&o);
	EXPECT_INT(load(&o, db, (struct hd_opportunities_scope){ .any_object = true }, &err), 0);
	EXPECT_INT(o.n, 1);
	EXPECT(fabs(o.rows[0].impact - 60) < 1e-9 && o.rows[0].hot_targets == 2 && !o.rows[0].object);
	unload(&o);
	hd_db_close(db);
	place_remove(&p);
}

TEST(suffixes_of_compilers_do_not_make_another_function)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_opportunities o;
	struct hd_err err = { 0 };

	add(db, "serve", "f", 0);
	add(db, "serve", "f.isra.0", 1);
	EXPECT_INT(load(&o, db, (struct hd_opportunities_scope){ 0 }, &err), 0);
	EXPECT_INT(o.n, 1);
	EXPECT_INT(o.rows[0].runs, 2);
	EXPECT(o.rows[0].hot_runs == 2 && o.rows[0].impact_ci.lo == o.rows[0].impact_ci.hi);
	unload(&o);
	hd_db_close(db);
	place_remove(&p);
}

TEST(an_empty_database_has_no_usable_run)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_opportunities o;
	struct hd_err err = { 0 };

	EXPECT_INT(load(&o, db, (struct hd_opportunities_scope){ 0 }, &err), HD_ENOBASE);
	EXPECT(strstr(err.msg, "no usable run") != NULL);
	hd_skip_rules_release(&skip);
	hd_db_close(db);
	place_remove(&p);
}

TEST_MAIN(
	RUN(plumbing_the_kernel_and_addresses_are_excluded_and_all_impacts_add_up),
	RUN(functions_that_the_compiler_made_of_the_user_s_code_are_no_plumbing),
	RUN(a_name_in_two_objects_is_two_functions_unless_the_object_does_not_matter),
	RUN(suffixes_of_compilers_do_not_make_another_function),
	RUN(an_empty_database_has_no_usable_run),
)
