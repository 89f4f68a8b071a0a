/*
 * changepoint.c - where a history moved
 */
#include "test.h"

#include "drift/changepoint.h"
#include "track/random.h"

#include <math.h>
#include <stdbool.h>

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
	EXPECT(found[0].index == 25 && found[0].p < 1e-6 && fabs(found[0].before - 100) < 1 && fabs(found[0].magnitude - 0.1) < 0.02);
}

TEST(a_small_step_is_dropped_when_a_magnitude_is_asked_for)
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

/* mongodb/signal-processing-algorithms: three levels of 20 values are found at 40 and 20. */
TEST(permutations_find_the_ends_of_three_levels)
{
	struct hd_divide_opts o = { .max_p = 0.01, .permutations = 100, .seed = 1, .k_end = true };
	struct hd_changepoint found[60];
	struct hd_random r = hd_random_from(3);
	double v[60];

	for (int i = 0; i < 60; i++)
		v[i] = (i < 20 ? 10 : i < 40 ? 13 : 30) + noise(&r);
	EXPECT_INT(hd_divide(found, v, 60, &o), 2);
	EXPECT(found[0].index == 40 && found[1].index == 20 && found[0].q > found[1].q);
}

TEST(a_permutation_test_is_never_sure)
{
	struct hd_divide_opts o = { .max_p = 1, .permutations = 19, .seed = 1, .k_end = true };
	struct hd_changepoint found[20];
	double v[20];

	for (int i = 0; i < 20; i++)
		v[i] = i < 10 ? 0 : 1e6;
	EXPECT(hd_divide(found, v, 20, &o) > 0);
	EXPECT(found[0].index == 10 && found[0].p == 1.0 / 20);
}

/* Of pure noise, 3 of 100 histories of 60 values have a point at the nominal 0.001, because the best of many divisions is tested. */
TEST(noise_is_mostly_left_alone)
{
	struct hd_random r = hd_random_from(4);
	struct hd_changepoint found[60];
	int with = 0;

	for (int t = 0; t < 300; t++) {
		double v[60];

		for (int i = 0; i < 60; i++)
			v[i] = 100 + noise(&r);
		with += hd_changepoints(found, v, 60, &hd_changepoint_defaults) > 0;
	}
	EXPECT(with <= 24);
}

TEST_MAIN(
	RUN(a_step_is_found_where_it_is),
	RUN(a_small_step_is_dropped_when_a_magnitude_is_asked_for),
	RUN(a_constant_history_has_no_change),
	RUN(permutations_find_the_ends_of_three_levels),
	RUN(a_permutation_test_is_never_sure),
	RUN(noise_is_mostly_left_alone),
)
