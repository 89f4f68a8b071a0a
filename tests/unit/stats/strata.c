/*
 * strata.c - compute weighted sums of the means of groups, and their intervals
 */
#include "test.h"

#include "stats/strata.h"

#include <math.h>

TEST(a_sum_is_that_of_the_weighted_means)
{
	const double v[] = { 1, 3, 10, 20, 30 };
	const struct hd_stratum s[] = { { 0, 2, 0.25 }, { 2, 3, 0.75 } };

	EXPECT(fabs(hd_strata_sum(v, s, 2) - (0.25 * 2 + 0.75 * 20)) < 1e-12);
}

/* One value is drawn from each group of two, so there are four sums, and each has a probability of a quarter. */
TEST(two_values_per_group_give_the_interval_of_all_four_sums)
{
	const double v[] = { 1, 3, 10, 20 };
	const struct hd_stratum s[] = { { 0, 2, 0.5 }, { 2, 2, 0.5 } };
	struct hd_interval ci;

	EXPECT_INT(hd_strata_interval(&ci, v, s, 2), HD_STATS_OK);
	EXPECT(ci.lo == 0.5 * 1 + 0.5 * 10 && ci.hi == 0.5 * 3 + 0.5 * 20);
}

/* For groups that are not tiny, the sum is nearly normal with the variance of a stratified sample. */
TEST(the_interval_has_the_width_of_the_normal_limit)
{
	double v[70], variance = 0;
	const struct hd_stratum s[] = { { 0, 30, 0.7 }, { 30, 40, 0.3 } };
	struct hd_interval ci;

	for (size_t i = 0; i < 70; i++)
		v[i] = (double)(i * i * 37 % 101);
	for (size_t k = 0; k < 2; k++) {
		double mean = 0, squares = 0, n = (double)s[k].n;

		for (size_t i = 0; i < s[k].n; i++)
			mean += v[s[k].first + i] / n;
		for (size_t i = 0; i < s[k].n; i++)
			squares += (v[s[k].first + i] - mean) * (v[s[k].first + i] - mean);
		variance += s[k].weight * s[k].weight * squares / (n - 1) / n;
	}
	EXPECT_INT(hd_strata_interval(&ci, v, s, 2), HD_STATS_OK);
	EXPECT(fabs((ci.hi - ci.lo) / (2 * 1.96 * sqrt(variance)) - 1) < 0.08);
	EXPECT(fabs((ci.hi + ci.lo) / 2 - hd_strata_sum(v, s, 2)) < 0.1 * (ci.hi - ci.lo));
}

TEST(a_single_value_has_no_known_variance_unless_it_is_zero)
{
	const double some[] = { 5, 1, 3 }, none[] = { 0, 1, 3 };
	const struct hd_stratum s[] = { { 0, 1, 0.5 }, { 1, 2, 0.5 } };
	struct hd_interval ci;

	EXPECT_INT(hd_strata_interval(&ci, some, s, 2), HD_STATS_NONE);
	EXPECT(isnan(ci.lo) && isnan(ci.hi));
	EXPECT_INT(hd_strata_interval(&ci, none, s, 2), HD_STATS_OK);
	EXPECT(ci.lo == 0.5 && ci.hi == 1.5);
}

TEST(equal_values_have_an_interval_of_no_width)
{
	const double v[] = { 0.1, 0.1, 0.1 };
	const struct hd_stratum s = { 0, 3, 1 };
	struct hd_interval ci;

	EXPECT_INT(hd_strata_interval(&ci, v, &s, 1), HD_STATS_OK);
	EXPECT(ci.lo == ci.hi && ci.lo == 0.1);
}

TEST_MAIN(
	RUN(a_sum_is_that_of_the_weighted_means),
	RUN(two_values_per_group_give_the_interval_of_all_four_sums),
	RUN(the_interval_has_the_width_of_the_normal_limit),
	RUN(a_single_value_has_no_known_variance_unless_it_is_zero),
	RUN(equal_values_have_an_interval_of_no_width),
)
