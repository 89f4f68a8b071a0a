/* twosample.c - compare tests of two groups with published numbers */
#include "test.h"

#include "stats/outliers.h"
#include "stats/twosample.h"

#include <math.h>
#include <stdbool.h>

static bool close_to(double got, double want, double error)
{
	return fabs(got - want) <= error;
}

/*
 * SciPy's documentation has U = 17 and the exact p = 0.1111.  golang/perf has p = 0.1 for three values against three.
 */
TEST(rank_sums_are_exact)
{
	const double males[] = { 19, 22, 16, 29, 24 }, females[] = { 20, 11, 17, 12 };
	const double low[] = { -1, -1, -1 }, high[] = { 1, 1, 1 };
	struct hd_ranksum r;

	EXPECT_INT(hd_ranksum(&r, males, 5, females, 4), 0);
	EXPECT(r.u == 17 && close_to(r.p_two, 1.0 / 9, 1e-12) && close_to(r.p_greater, 1.0 / 18, 1e-12));
	EXPECT_INT(hd_ranksum(&r, low, 3, high, 3), 0);
	EXPECT(r.u == 0 && close_to(r.p_two, 0.1, 1e-12) && close_to(r.p_less, 0.05, 1e-12) && r.p_greater == 1);
	EXPECT_INT(hd_ranksum(&r, high, 3, high, 3), 0);
	EXPECT(r.p_two == 1);
	EXPECT_INT(hd_ranksum(&r, high, 0, high, 3), HD_STATS_NONE);
}

/* The smallest p for n against n runs is 2 / binomial(2n, n). */
TEST(few_runs_have_a_smallest_p)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 11, 12, 13, 14, 15 };
	struct hd_ranksum r;

	hd_ranksum(&r, low, 3, high, 3);
	EXPECT(close_to(r.p_two, 0.1, 1e-12));
	hd_ranksum(&r, low, 4, high, 4);
	EXPECT(close_to(r.p_two, 2.0 / 70, 1e-12));
	hd_ranksum(&r, low, 5, high, 5);
	EXPECT(close_to(r.p_two, 2.0 / 252, 1e-12));
}

/* In 276 of the 961 pairs, x is the larger value: z = (480.5 - 276 - 0.5) / sqrt(961 * 63 / 12). */
TEST(many_values_take_the_normal_limit_with_its_corrections)
{
	double x[31], y[31];
	struct hd_ranksum r;

	for (int i = 0; i < 31; i++) {
		x[i] = i;
		y[i] = i + 7.5;
	}
	EXPECT_INT(hd_ranksum(&r, x, 31, y, 31), 0);
	EXPECT(r.u == 276 && close_to(r.p_two, erfc(204 / sqrt(961 * 63 / 12.0) / sqrt(2)), 1e-12));
}

/* According to golang/perf, an interval of 95 % needs at least six values. */
TEST(an_interval_of_the_median_takes_six_values)
{
	const double v[] = { -10, 2, 3, 4, 5, 6 };
	double miss;
	struct hd_interval ci = hd_quantile_ci(v, 6, 0.5, 0.95, &miss);

	EXPECT(ci.lo == -10 && ci.hi == 6 && close_to(miss, 0.03125, 1e-12));
	ci = hd_quantile_ci(v, 5, 0.5, 0.95, &miss);
	EXPECT(isinf(ci.lo) && isinf(ci.hi) && miss == 0);
	ci = hd_quantile_ci(v, 6, 0.5, 0.99, &miss);
	EXPECT(isinf(ci.lo) && isinf(ci.hi));
}

/* 0.99^367 is 0.02501, 0.99^368 is 0.02476. */
TEST(an_upper_bound_of_p99_takes_368_requests)
{
	double v[368], miss;

	for (int i = 0; i < 368; i++)
		v[i] = i;
	EXPECT(isinf(hd_quantile_ci(v, 367, 0.99, 0.95, &miss).hi));
	EXPECT(hd_quantile_ci(v, 368, 0.99, 0.95, &miss).hi == 367);
}

TEST(a_mean_has_students_interval_and_a_new_run_a_wider_one)
{
	const double v[] = { -8, 2, 3, 4, 5, 6 };
	struct hd_interval ci = hd_mean_ci(v, 6, 0.95);

	EXPECT(close_to(ci.lo, -3.351092806089359, 1e-12) && close_to(ci.hi, 7.351092806089359, 1e-12));
	EXPECT(hd_prediction_limit(v, 6, 0.025) > ci.hi);
}

/* With equal sizes and variances, Welch's test (1938) equals Student's t-test. */
TEST(welch_is_student_where_variances_are_equal)
{
	const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 3, 4, 5, 6, 7 };
	struct hd_welch w = hd_welch(x, 5, y, 5);

	EXPECT(close_to(w.t, 2, 1e-12) && close_to(w.df, 8, 1e-12) && close_to(w.p, 0.080516, 1e-6));
}

/* NIST/SEMATECH e-handbook 1.3.5.17.3, Rosner's data: three outliers. */
TEST(rosners_series_has_three_outliers)
{
	const double v[] = { -0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56, 1.58,
		1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15, 2.23, 2.24,
		2.26, 2.35, 2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92, 2.92, 2.93, 3.21, 3.26, 3.30, 3.59, 3.68,
		4.30, 4.64, 5.34, 5.42, 6.01 };
	struct hd_gesd_step steps[10];
	double room[108];

	EXPECT_INT(hd_gesd(steps, v, 54, 10, 0.05, room), 3);
	EXPECT(close_to(steps[0].r, 3.118, 1e-3) && close_to(steps[2].r, 3.179, 1e-3) &&
		close_to(steps[0].lambda, 3.158, 1e-3));
	EXPECT(steps[0].index == 53 && steps[1].index == 52 && steps[4].index == 0);
}

TEST(a_median_deviation_of_zero_leaves_only_the_equal_ones)
{
	const double v[] = { 10, 10, 10, 10, 10, 10, 10, 100, 100 }, w[] = { -0.2, 0, 0.2 };
	unsigned char out[9];
	double room[9];

	EXPECT_INT(hd_modified_z(v, 9, room, out), 2);
	EXPECT(!out[0] && out[7] && out[8]);
	EXPECT_INT(hd_modified_z(w, 3, room, NULL), 0);
	EXPECT(hd_mad(w, 3, room) == 0.2 && isnan(hd_median(w, 0, room)));
}

TEST(a_ratio_of_medians_has_an_interval_around_it)
{
	double x[25], y[25];
	struct hd_interval ci, again;

	for (int i = 0; i < 25; i++) {
		x[i] = 100 + i % 5;
		y[i] = 110 + i % 5;
	}
	EXPECT_INT(hd_ratio_ci(&ci, x, 25, y, 25, 0.95, 1000, 1), 0);
	EXPECT_INT(hd_ratio_ci(&again, x, 25, y, 25, 0.95, 1000, 1), 0);
	EXPECT(ci.lo > 1.05 && ci.lo <= 112.0 / 102 && ci.hi >= 112.0 / 102 && ci.hi < 1.15 && ci.lo == again.lo &&
		ci.hi == again.hi);
}

TEST_MAIN(
	RUN(rank_sums_are_exact),
	RUN(few_runs_have_a_smallest_p),
	RUN(many_values_take_the_normal_limit_with_its_corrections),
	RUN(an_interval_of_the_median_takes_six_values),
	RUN(an_upper_bound_of_p99_takes_368_requests),
	RUN(a_mean_has_students_interval_and_a_new_run_a_wider_one),
	RUN(welch_is_student_where_variances_are_equal),
	RUN(rosners_series_has_three_outliers),
	RUN(a_median_deviation_of_zero_leaves_only_the_equal_ones),
	RUN(a_ratio_of_medians_has_an_interval_around_it),
)
