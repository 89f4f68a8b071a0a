/* growth.c - find how synthetic times grow with the size of the input */
#include "stats/growth.h"
#include "test.h"

#include "stats/random.h"
#include "stats/special_functions.h"

#include <math.h>

enum { SIZES = 6, RUNS = 10 };

static double shape(enum hd_growth_order order, double n)
{
	const double f[] = { 0, log2(n), n, n * log2(n), n * n, n * n * n };

	return f[order];
}

/*
 * Make times of base + factor f(n) with the relative noise cv, for the sizes 100, 200, ..., 3200.  f is the function
 * of `order`.
 */
static void make(double *x, double *y, enum hd_growth_order order, double base, double factor, double cv,
	uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);

	for (int i = 0; i < SIZES * RUNS; i++) {
		x[i] = 100 * exp2(i % SIZES);
		y[i] = (base + factor * shape(order, x[i])) *
			(1 + cv * hd_normal_quantile(hd_random_unit(&r)));
	}
}

TEST(each_candidate_with_a_start_up_time_is_found_again_from_exact_times)
{
	double x[SIZES * RUNS], y[SIZES * RUNS];
	struct hd_growth g;

	for (int o = HD_GROWTH_LOG; o < HD_GROWTH_ORDERS; o++) {
		make(x, y, o, 50, 3, 0, 1);
		EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.02) == 0);
		EXPECT(g.known && g.sizes == SIZES);
		EXPECT_INT(g.order, o);
		EXPECT(fabs(g.line[o].base / 50 - 1) < 1e-6 && fabs(g.line[o].factor / 3 - 1) < 1e-6);
		EXPECT(g.line[o].r2 > 1 - 1e-9);
		EXPECT(fabs(hd_growth_at(&g, o, 1000) / (50 + 3 * shape(o, 1000)) - 1) < 1e-6);
	}
}

TEST(noise_of_two_percent_leaves_the_order_in_most_sessions)
{
	double x[SIZES * RUNS], y[SIZES * RUNS];
	struct hd_growth g;

	for (int o = HD_GROWTH_LOG; o < HD_GROWTH_ORDERS; o++) {
		int right = 0;

		for (uint64_t seed = 1; seed <= 50; seed++) {
			make(x, y, o, 50, 3, 0.02, seed);
			EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.02) == 0);
			right += (int)g.order == o || g.also[o];
		}
		EXPECT(right >= 45);
	}
}

TEST(times_that_do_not_depend_on_the_size_are_constant)
{
	double x[SIZES * RUNS], y[SIZES * RUNS];
	struct hd_growth g;
	int constant = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		make(x, y, HD_GROWTH_CONSTANT, 1000, 0, 0.05, seed);
		EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.02) == 0);
		constant += g.order == HD_GROWTH_CONSTANT;
	}
	EXPECT(constant >= 97);
	make(x, y, HD_GROWTH_CONSTANT, 1000, 0, 0, 1);
	EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.02) == 0 && g.order == HD_GROWTH_CONSTANT);
}

TEST(a_rise_inside_the_noise_threshold_is_constant_however_certain_it_is)
{
	double x[SIZES * RUNS], y[SIZES * RUNS];
	struct hd_growth g;

	make(x, y, HD_GROWTH_LINEAR, 1000, 0.005, 0, 1);	/* the times grow by 1.6 % up to the size 3200 */
	EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.02) == 0 && g.order == HD_GROWTH_CONSTANT);
	EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.01) == 0 && g.order == HD_GROWTH_LINEAR);
}

TEST(outliers_do_not_change_the_order)
{
	double x[SIZES * RUNS], y[SIZES * RUNS];
	struct hd_growth g;

	for (int o = HD_GROWTH_LOG; o < HD_GROWTH_ORDERS; o++) {
		make(x, y, o, 50, 3, 0.01, 1);
		for (int i = 0; i < SIZES * RUNS; i += 7)
			y[i] *= 4;
		EXPECT(hd_growth_make(&g, x, y, SIZES * RUNS, 0.02) == 0);
		EXPECT((int)g.order == o || g.also[o]);
	}
}

TEST(times_that_fall_with_the_size_are_not_growth)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 40, 30, 20, 10 };
	struct hd_growth g;

	EXPECT(hd_growth_make(&g, x, y, 4, 0.02) == 0);
	EXPECT(g.known && g.order == HD_GROWTH_CONSTANT && isnan(g.p));
}

TEST(fewer_than_three_sizes_have_no_growth)
{
	const double x[] = { 1, 1, 2, 2 }, y[] = { 1, 1, 2, 2 };
	struct hd_growth g;

	EXPECT(hd_growth_make(&g, x, y, 4, 0.02) == 0);
	EXPECT(!g.known && g.sizes == 2);
	EXPECT(hd_growth_make(&g, x, y, 0, 0.02) == 0 && !g.known);
}

TEST(one_run_of_each_size_is_enough_for_a_clear_line)
{
	const double x[] = { 1, 2, 4, 8, 16 }, y[] = { 11, 12.1, 13.9, 18, 26 };
	struct hd_growth g;

	EXPECT(hd_growth_make(&g, x, y, 5, 0.02) == 0);
	EXPECT_INT(g.order, HD_GROWTH_LINEAR);
	EXPECT(fabs(g.line[HD_GROWTH_LINEAR].base - 10) < 0.1);
}

TEST_MAIN(RUN(each_candidate_with_a_start_up_time_is_found_again_from_exact_times),
	  RUN(noise_of_two_percent_leaves_the_order_in_most_sessions),
	  RUN(times_that_do_not_depend_on_the_size_are_constant),
	  RUN(a_rise_inside_the_noise_threshold_is_constant_however_certain_it_is),
	  RUN(outliers_do_not_change_the_order),
	  RUN(times_that_fall_with_the_size_are_not_growth), RUN(fewer_than_three_sizes_have_no_growth),
	  RUN(one_run_of_each_size_is_enough_for_a_clear_line))
