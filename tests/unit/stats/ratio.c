/* ratio.c - compute the interval of a ratio of two samples */
#include "stats/ratio.h"
#include "stats/random.h"
#include "test.h"

#include <math.h>

static struct hd_interval interval(enum hd_ratio_statistic what, const double *x, size_t nx, const double *y, size_t ny)
{
	struct hd_interval ci = { NAN, NAN };

	EXPECT_INT(hd_ratio_interval(&ci, what, x, nx, y, ny, 0.95), HD_STATS_OK);
	return ci;
}

TEST(constant_samples_have_an_interval_without_width)
{
	static const double x[] = { 4, 4, 4, 4 }, y[] = { 1, 1, 1, 1, 1 };
	struct hd_interval mean = interval(HD_RATIO_MEAN, x, 4, y, 5), p95 = interval(HD_RATIO_P95, x, 4, y, 5);

	EXPECT(mean.lo == 0.25 && mean.hi == 0.25);
	EXPECT(p95.lo == 0.25 && p95.hi == 0.25);
}

TEST(the_same_input_gives_the_same_interval)
{
	static const double x[] = { 3, 5, 4, 6, 8 }, y[] = { 1, 2, 4, 3 };
	struct hd_interval a = interval(HD_RATIO_MEAN, x, 5, y, 4), b = interval(HD_RATIO_MEAN, x, 5, y, 4);

	EXPECT(a.lo == b.lo && a.hi == b.hi);
	EXPECT(a.lo < a.hi && a.lo > 0 && a.hi < 2);
}

TEST(few_values_or_a_base_of_zero_have_no_interval)
{
	static const double few[] = { 1, 2, 3 }, some[] = { 1, 2, 3, 4 }, zero[] = { 0, 0, 0, 0 };
	struct hd_interval ci;

	EXPECT_INT(hd_ratio_interval(&ci, HD_RATIO_MEAN, few, 3, some, 4, 0.95), HD_STATS_NONE);
	EXPECT_INT(hd_ratio_interval(&ci, HD_RATIO_MEAN, some, 4, few, 3, 0.95), HD_STATS_NONE);
	EXPECT_INT(hd_ratio_interval(&ci, HD_RATIO_MEAN, zero, 4, some, 4, 0.95), HD_STATS_NONE);
}

/*
 * The test draws 200 pairs of samples whose true ratio of means is 0.5.  About 95 % of the intervals must contain it.
 */
TEST(the_interval_contains_the_true_ratio_of_means_as_often_as_it_should)
{
	enum { TRIES = 200, N = 60 };
	struct hd_random r = hd_random_from(7);
	unsigned covered = 0;

	for (unsigned t = 0; t < TRIES; t++) {
		double x[N], y[N];
		struct hd_interval ci;

		for (unsigned i = 0; i < N; i++) {
			x[i] = 2 + hd_random_unit(&r);
			y[i] = 1 + hd_random_unit(&r) / 2;
		}
		ci = interval(HD_RATIO_MEAN, x, N, y, N);
		covered += ci.lo <= 0.5 && 0.5 <= ci.hi;
	}
	EXPECT(covered >= 180 && covered <= 199);
}

TEST_MAIN(RUN(constant_samples_have_an_interval_without_width), RUN(the_same_input_gives_the_same_interval),
	RUN(few_values_or_a_base_of_zero_have_no_interval),
	RUN(the_interval_contains_the_true_ratio_of_means_as_often_as_it_should))
