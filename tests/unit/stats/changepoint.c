/* changepoint.c - find the change points of a history */
#include "test.h"

#include "stats/changepoint.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static double noise(struct hd_random *r)
{
	return sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));
}

TEST(a_step_is_found_where_it_is)
{
	struct hd_changepoint found[60];
	struct hd_random r = hd_random_from(1);
	double v[60];

	for (int i = 0; i < 60; i++)
		v[i] = (i < 25 ? 100 : 110) + noise(&r);
	EXPECT_INT(hd_changepoints(found, v, 60, &hd_changepoint_defaults), 1);
	EXPECT(found[0].index == 25 && found[0].p < 1e-6 && fabs(found[0].before - 100) < 1 &&
		fabs(found[0].magnitude - 0.1) < 0.02);
}

TEST(a_step_below_the_requested_magnitude_is_dropped)
{
	struct hd_changepoint_opts o = hd_changepoint_defaults;
	struct hd_changepoint found[60];
	struct hd_random r = hd_random_from(2);
	double v[60];

	for (int i = 0; i < 60; i++)
		v[i] = (i < 20 ? 100 : i < 40 ? 101 : 120) + 0.1 * noise(&r);
	EXPECT_INT(hd_changepoints(found, v, 60, &o), 2);
	o.min_magnitude = 0.05;
	EXPECT_INT(hd_changepoints(found, v, 60, &o), 1);
	EXPECT_INT(found[0].index, 40);
}

TEST(a_constant_history_has_no_change)
{
	struct hd_changepoint found[60];
	double v[60];

	for (int i = 0; i < 60; i++)
		v[i] = 5;
	EXPECT_INT(hd_changepoints(found, v, 60, &hd_changepoint_defaults), 0);
	EXPECT_INT(hd_changepoints(found, v, 1, &hd_changepoint_defaults), 0);
	EXPECT_INT(hd_changepoints(found, v, 0, &hd_changepoint_defaults), 0);
}

/*
 * As in a test of mongodb/signal-processing-algorithms: for three levels of 20 values, the change points are 40 and
 * 20.
 */
TEST(permutations_find_the_ends_of_three_levels)
{
	struct hd_edivisive_opts o = { .max_p = 0.01, .permutations = 100, .seed = 1, .k_end = true };
	struct hd_changepoint found[60];
	struct hd_random r = hd_random_from(3);
	double v[60];

	for (int i = 0; i < 60; i++)
		v[i] = (i < 20 ? 10 : i < 40 ? 13 : 30) + noise(&r);
	EXPECT_INT(hd_edivisive(found, v, 60, &o), 2);
	EXPECT(found[0].index == 40 && found[1].index == 20 && found[0].q > found[1].q);
}

TEST(a_permutation_test_is_never_sure)
{
	struct hd_edivisive_opts o = { .max_p = 1, .permutations = 19, .seed = 1, .k_end = true };
	struct hd_changepoint found[20];
	double v[20];

	for (int i = 0; i < 20; i++)
		v[i] = i < 10 ? 0 : 1e6;
	EXPECT(hd_edivisive(found, v, 20, &o) > 0);
	EXPECT(found[0].index == 10 && found[0].p == 1.0 / 20);
}

/*
 * Fill v with v[t] = 100 exp(0.02 e[t]), where e is an AR(1) process with the coefficient rho and variance 1.  With
 * `outliers`, one value in twenty is 10 % higher.
 */
static void ar1(double *v, size_t n, double rho, bool outliers, struct hd_random *r)
{
	double e = noise(r);

	for (size_t t = 0; t < n; t++, e = rho * e + sqrt(1 - rho * rho) * noise(r))
		v[t] = 100 * exp(0.02 * e) * (outliers && hd_random_unit(r) < 0.05 ? 1.1 : 1);
}

/* Return how many of `series` series of n values have a change point although nothing changed. */
static int false_points(size_t n, double rho, bool outliers, int series, uint64_t seed)
{
	static struct hd_changepoint found[300];
	struct hd_random r = hd_random_from(seed);
	double v[300];
	int with = 0;

	for (int i = 0; i < series; i++) {
		ar1(v, n, rho, outliers, &r);
		with += hd_changepoints(found, v, n, &hd_changepoint_defaults) > 0;
	}
	return with;
}

/*
 * The nominal rate of series with points is 1 %.  A t-test that assumes independent values finds points in 13 % (rho
 * 0.3) to 87 % (rho 0.6, 300 values) of the series.
 */
TEST(autocorrelated_noise_has_few_points)
{
	static const double rho[] = { 0, 0.3, 0.6 };

	for (int i = 0; i < 3; i++) {
		EXPECT(false_points(60, rho[i], false, 400, 4) <= 14);
		EXPECT(false_points(300, rho[i], false, 150, 5) <= 6);
	}
}

TEST(single_outliers_are_no_levels)
{
	EXPECT(false_points(60, 0, true, 400, 6) <= 20);
}

TEST(a_slow_trend_beside_a_step_is_no_further_step)
{
	struct hd_random r = hd_random_from(7);
	struct hd_changepoint found[200];
	double v[200];

	for (int i = 0; i < 200; i++)
		v[i] = 100 + 0.02 * i + (i < 120 ? 0 : 8) + noise(&r);
	EXPECT_INT(hd_changepoints(found, v, 200, &hd_changepoint_defaults), 1);
	EXPECT(labs((long)found[0].index - 120) <= 1);
}

TEST(a_steady_rise_is_not_passed_over)
{
	struct hd_random r = hd_random_from(9);
	struct hd_changepoint found[60];
	double v[60];
	long n;

	for (int i = 0; i < 60; i++)
		v[i] = 100 + 0.5 * i + 2 * noise(&r);
	n = hd_changepoints(found, v, 60, &hd_changepoint_defaults);
	EXPECT(n >= 1);
	for (long i = 0; i < n; i++)
		EXPECT(found[i].after > found[i].before && found[i].p < 0.01);
}

TEST(a_step_in_autocorrelated_noise_is_found)
{
	struct hd_changepoint found[60];
	struct hd_random r = hd_random_from(8);
	double v[60];
	int hits = 0;

	for (int i = 0; i < 200; i++) {
		ar1(v, 60, 0.3, false, &r);
		for (int t = 40; t < 60; t++)
			v[t] *= 1.1;
		hits += hd_changepoints(found, v, 60, &hd_changepoint_defaults) > 0 &&
			labs((long)found[0].index - 40) <= 3;
	}
	EXPECT(hits >= 190);
}

TEST_MAIN(
	RUN(a_step_is_found_where_it_is),
	RUN(a_step_below_the_requested_magnitude_is_dropped),
	RUN(a_constant_history_has_no_change),
	RUN(permutations_find_the_ends_of_three_levels),
	RUN(a_permutation_test_is_never_sure),
	RUN(autocorrelated_noise_has_few_points),
	RUN(single_outliers_are_no_levels),
	RUN(a_slow_trend_beside_a_step_is_no_further_step),
	RUN(a_steady_rise_is_not_passed_over),
	RUN(a_step_in_autocorrelated_noise_is_found),
)
