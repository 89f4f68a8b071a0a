/* difference.c - compare two profiles, function by function and stack by stack */
#include "test.h"

#include "gate/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make a profile of folded lines: like one of folded text, or, with `recording`, like a recording in which each line
 * is one sample.
 */
static struct hd_profile *profile(const char *const *lines, bool recording)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t event = hd_profile_add_event(p, "cycles", "cycles"),
		 object = hd_profile_add_object(p, "app", "", false);

	p->recording.format = recording ? "perf.data" : "folded";
	for (; *lines; lines++) {
		char text[200], *space, *save = NULL;
		struct hd_sample_row row = { .event = event, .count = 1 };

		snprintf(text, sizeof(text), "%s", *lines);
		space = strrchr(text, ' ');
		*space = '\0';
		row.weight = strtoull(space + 1, NULL, 10);
		for (char *name = strtok_r(text, ";", &save); name; name = strtok_r(NULL, ";", &save)) {
			struct hd_frame f = { .symbol = hd_profile_add_named_symbol(p, object, name, false) };

			row.self = hd_profile_add_frame(p, &f);
			row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
		}
		hd_profile_add_sample(p, &row);
	}
	return p;
}

#define LINES(...) (const char *const[]){ __VA_ARGS__, NULL }

static struct hd_difference differ(struct hd_profile *a, struct hd_profile *b)
{
	struct hd_difference_side base = { .p = a }, head = { .p = b };
	struct hd_difference_opts o = { 0 };
	struct hd_difference d;

	hd_difference_build(&d, &base, &head, &o);
	return d;
}

static const struct hd_difference_row *row_of(const struct hd_difference *d, const char *name)
{
	for (size_t i = 0; i < d->nsymbols; i++)
		if (!strcmp(d->names[d->symbols[i].name].key, name))
			return &d->symbols[i];
	return NULL;
}

TEST(names_that_differ_in_what_a_compiler_appends_are_one)
{
	struct hd_profile *a = profile(LINES("main;parse 30", "main;decode 70"), false),
			  *b = profile(LINES("main;parse.isra.0 30", "main;decode 70"), false);
	struct hd_difference d = differ(a, b);
	const struct hd_difference_row *r = row_of(&d, "parse");

	EXPECT_INT(d.nstacks, 2);
	EXPECT(r && r->points == 0 && !r->significant);
	EXPECT_STR(d.names[r->name].name[HD_BASE], "parse");
	EXPECT_STR(d.names[r->name].name[HD_HEAD], "parse.isra.0");
	EXPECT_INT(hd_difference_find(&d, "parse.constprop.7"), r->name);
	EXPECT_INT(hd_difference_find(&d, "nothing"), UINT32_MAX);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST(a_function_that_calls_itself_counts_once_in_its_total)
{
	struct hd_profile *a = profile(LINES("main;f;f;f 30", "main;f 10", "main;g;f 60"), false),
			  *b = profile(LINES("main;f;f 100"), false);
	struct hd_difference d = differ(a, b);
	const struct hd_difference_row *r = row_of(&d, "f"), *m = row_of(&d, "main");

	EXPECT_INT(r->total[HD_BASE], 100);
	EXPECT_INT(r->total[HD_HEAD], 100);
	EXPECT_INT(m->total[HD_BASE], 100);
	EXPECT_INT(m->self[HD_BASE], 0);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST(twice_the_sampling_rate_is_no_change)
{
	struct hd_profile *a = profile(LINES("main;f 300", "main;g 700"), false),
			  *b = profile(LINES("main;f 600", "main;g 1400"), false);
	struct hd_difference d = differ(a, b);

	EXPECT(d.moved == 0);
	EXPECT(row_of(&d, "f")->points == 0);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST(one_sample_against_none_is_never_significant)
{
	struct hd_profile *a = profile(LINES("main;f 99999", "main;g 1"), false),
			  *b = profile(LINES("main;f 99999", "main;h 1"), false);
	struct hd_difference d = differ(a, b);

	EXPECT(isnan(row_of(&d, "h")->p) && !row_of(&d, "h")->significant);
	EXPECT(isinf(row_of(&d, "h")->relative));
	EXPECT(!row_of(&d, "g")->significant);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

/* parse costs twice as much, so all other functions have a smaller share at the same cost. */
TEST(an_unchanged_function_has_no_change_although_its_share_fell)
{
	struct hd_profile *a = profile(LINES("main;parse 2000", "main;emit 3000", "main;put 4000", "main;gc 1000"),
		false);
	struct hd_profile *b = profile(LINES("main;parse 4000", "main;emit 3000", "main;put 4000", "main;gc 1000"),
		false);
	struct hd_difference d = differ(a, b);
	const struct hd_difference_row *parse = row_of(&d, "parse"), *put = row_of(&d, "put");

	EXPECT(put->points < -6 && fabs(put->change) < 0.1 && fabs(put->cost_points) < 0.1 && !put->significant);
	EXPECT(fabs(parse->change - 100) < 0.1 && fabs(parse->cost_points - 20) < 0.1 && parse->significant);
	EXPECT(parse->cost[HD_BASE] == 2000 && parse->cost[HD_HEAD] == 4000 && isnan(parse->hi));
	EXPECT(fabs(d.size) < 0.001);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST(a_longer_run_is_no_change_and_runs_and_work_are_divided_by)
{
	struct hd_profile *a = profile(LINES("main;parse 2000", "main;emit 3000", "main;put 4000"), false);
	struct hd_profile *b = profile(LINES("main;parse 4000", "main;emit 6000", "main;put 8000"), false);
	struct hd_difference_opts o = { 0 };
	struct hd_difference d = differ(a, b);

	EXPECT(fabs(row_of(&d, "put")->change) < 0.1 && fabs(expm1(d.size) - 1) < 0.001);
	hd_difference_release(&d);
	/* The costs of the head are the sum of two runs. */
	hd_difference_build(&d, &(struct hd_difference_side){ .p = a },
		&(struct hd_difference_side){ .p = b, .runs = 2 }, &o);
	EXPECT(row_of(&d, "put")->cost[HD_HEAD] == 4000 && fabs(row_of(&d, "put")->change) < 0.1 &&
		fabs(d.size) < 0.001);
	hd_difference_release(&d);
	/* The head did half of the base's work. */
	hd_difference_build(&d, &(struct hd_difference_side){ .p = a, .work = 10 },
		&(struct hd_difference_side){ .p = b, .work = 5 }, &o);
	EXPECT(d.per_work && row_of(&d, "put")->cost[HD_BASE] == 400 && row_of(&d, "put")->cost[HD_HEAD] == 1600);
	EXPECT(fabs(row_of(&d, "put")->change - 300) < 0.1);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

/* If the work is known, the total varies, too: 1000 samples have a standard deviation of 31.6, also in one function. */
TEST(samples_of_known_work_are_poisson_counts)
{
	struct hd_profile *a = profile(LINES("main 1000"), false), *b = profile(LINES("main 1062"), false);
	struct hd_difference_opts o = { 0 };
	struct hd_difference d;
	double z;

	hd_difference_build(&d, &(struct hd_difference_side){ .p = a, .samples = 1000, .work = 1 },
		&(struct hd_difference_side){ .p = b, .samples = 1062, .work = 1 }, &o);
	z = 62 / sqrt(1000 + 1062);
	EXPECT(d.as_they_are && fabs(row_of(&d, "main")->p - erfc(z / sqrt(2))) < 1e-4);
	hd_difference_release(&d);
	/* Of two profiles that are not compared as they are, the only function has all of both. */
	hd_difference_build(&d, &(struct hd_difference_side){ .p = a, .samples = 1000 },
		&(struct hd_difference_side){ .p = b, .samples = 1062 }, &o);
	EXPECT(!d.as_they_are && row_of(&d, "main")->p > 0.99);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

/* The list has functions that no stack has, such as unnamed addresses of a stored run. */
TEST(the_self_costs_of_a_list_of_functions_replace_those_of_the_stacks)
{
	enum { EXTRA = 300 };
	struct hd_profile *p = profile(LINES("main;f;inlined 100", "main;g 200"), false);
	struct hd_top_row rows[EXTRA + 2];
	struct hd_top list = { .rows = rows, .n = EXTRA + 2 };
	struct hd_difference_side side = { .p = p, .functions = &list };
	struct hd_difference d;

	for (uint32_t i = 0; i < list.n; i++) {
		char name[24];

		snprintf(name, sizeof(name), i > 1 ? "extra%u" : i ? "g" : "f", i);
		rows[i] = (struct hd_top_row){ .symbol = hd_profile_add_named_symbol(p, 1, name, false),
			.self = i > 1 ? 1 : i ? 200 : 100 };
	}
	hd_difference_build(&d, &side, &side, &(struct hd_difference_opts){ .by_comm = false });
	EXPECT(row_of(&d, "f")->self[HD_BASE] == 100 && row_of(&d, "f")->total[HD_HEAD] == 100);
	EXPECT(row_of(&d, "inlined")->self[HD_BASE] == 0 && row_of(&d, "inlined")->total[HD_BASE] == 100);
	EXPECT(row_of(&d, "g")->self[HD_HEAD] == 200);
	EXPECT(row_of(&d, "extra301")->self[HD_HEAD] == 1 && row_of(&d, "extra301")->total[HD_HEAD] == 1);
	EXPECT_INT(d.nstacks, 2);
	hd_difference_release(&d);
	hd_profile_free(p);
}

TEST(the_change_of_a_comparison_is_taken_where_self_cost_means_the_same)
{
	struct hd_profile *a = profile(LINES("main;parse 2000", "main;emit 3000", "main;put 5000"), false);
	struct hd_profile *b = profile(LINES("main;parse 2600", "main;emit 3000", "main;put 5000"), false);
	struct hd_difference d = differ(a, b);
	const double same[2] = { 20.01, 24.53 }, other[2] = { 35, 37 };

	EXPECT(hd_difference_take(&d, "parse", same, 31, 28, 34));
	EXPECT(row_of(&d, "parse")->change == 31 && row_of(&d, "parse")->lo == 28 && row_of(&d, "parse")->hi == 34);
	EXPECT(!hd_difference_take(&d, "put", other, 5, 4, 6) && !hd_difference_take(&d, "nobody", same, 5, 4, 6));
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST(a_change_beyond_counting_is_significant_and_sorted_first)
{
	struct hd_profile *a = profile(LINES("main;f 3000", "main;g 7000"), false),
			  *b = profile(LINES("main;f 3600", "main;g 6400", "main;h 3"), false);
	struct hd_difference d = differ(a, b);

	EXPECT(d.symbols[0].significant && d.symbols[1].significant);
	EXPECT(fabs(d.symbols[0].points) >= fabs(d.symbols[1].points));
	EXPECT(d.samples[HD_BASE] == 10000);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST(weights_are_not_samples)
{
	/* The weights are multiples of 4,000,000, which is taken as the period, so there are 5 samples. */
	struct hd_profile *a = profile(LINES("main;f 12000000", "main;g 8000000"), false);
	/* One dominant weight and many tiny ones count as about one sample. */
	struct hd_profile *b = profile(LINES("main;f 1000000", "main;g 1", "main;h 1", "main;i 1"), true);
	/*
	 * The weights have no common divisor and are too large to be counts of samples, so the number of samples is
	 * unknown.
	 */
	struct hd_profile *c = profile(LINES("main;f 120000000001", "main;g 8000000000000"), false);

	/* 20,000,000 / 4,000,000 */
	EXPECT(hd_difference_samples(a, 0) == 5);
	EXPECT(hd_difference_samples(b, 0) < 1.01);
	EXPECT(hd_difference_samples(c, 0) == 0);
	hd_profile_free(a);
	hd_profile_free(b);
	hd_profile_free(c);
}

TEST(stacks_through_a_function_are_found_at_any_depth)
{
	struct hd_profile *a = profile(LINES("main;f;g 1", "main;g 1", "main;f 1"), false),
			  *b = profile(LINES("main;f;g;h 1"), false);
	struct hd_difference d = differ(a, b);
	unsigned char through[16];
	size_t n = 0;

	hd_difference_through(&d, hd_difference_find(&d, "f"), through);
	for (size_t i = 0; i < d.nstacks; i++)
		n += through[d.stacks[i].node];
	EXPECT_INT(d.nstacks, 4);
	EXPECT_INT(n, 3);
	hd_difference_release(&d);
	hd_profile_free(a);
	hd_profile_free(b);
}

TEST_MAIN(RUN(names_that_differ_in_what_a_compiler_appends_are_one),
	RUN(a_function_that_calls_itself_counts_once_in_its_total), RUN(twice_the_sampling_rate_is_no_change),
	RUN(one_sample_against_none_is_never_significant),
	RUN(an_unchanged_function_has_no_change_although_its_share_fell),
	RUN(a_longer_run_is_no_change_and_runs_and_work_are_divided_by),
	RUN(samples_of_known_work_are_poisson_counts),
	RUN(the_self_costs_of_a_list_of_functions_replace_those_of_the_stacks),
	RUN(the_change_of_a_comparison_is_taken_where_self_cost_means_the_same),
	RUN(a_change_beyond_counting_is_significant_and_sorted_first), RUN(weights_are_not_samples),
	RUN(stacks_through_a_function_are_found_at_any_depth))
