/* rise.c - find rises of a series that were never undone */
#include "test.h"

#include "stats/rise.h"

#include <math.h>

static struct hd_rise found[8];
static double best;

/* Find the rises in n levels of five values each, and store them in `found`.  Returns their number. */
static size_t of(const double *v, size_t n, double threshold)
{
	struct hd_level l[8];

	for (size_t i = 0; i < n; i++)
		l[i] = (struct hd_level){ 5 * i, 5 * i + 5, v[i] };
	return hd_rises(found, l, n, threshold, 2, &best);
}

TEST(a_rise_that_stays_stands)
{
	EXPECT_INT(of((double[]){ 1, 2 }, 2, 0.02), 1);
	EXPECT(found[0].last == 4 && found[0].first == 5 && found[0].before == 1 && found[0].after == 2 && best == 1);
}

TEST(a_rise_that_was_undone_does_not_stand)
{
	EXPECT_INT(of((double[]){ 1, 2, 1 }, 3, 0.02), 0);
	EXPECT_INT(of((double[]){ 1, 2, 0.5 }, 3, 0.02), 0);
	EXPECT(best == 0.5);
}

TEST(a_rise_that_was_undone_in_part_counts_with_its_remainder)
{
	EXPECT_INT(of((double[]){ 1, 2, 1.1 }, 3, 0.02), 1);
	EXPECT(found[0].first == 5 && found[0].before == 1 && found[0].after == 1.1);
}

TEST(rises_are_returned_oldest_first)
{
	EXPECT_INT(of((double[]){ 1, 1.1, 2 }, 3, 0.05), 2);
	EXPECT(found[0].before == 1 && found[0].after == 1.1 && found[1].before == 1.1 && found[1].after == 2 &&
		best == 1);
}

TEST(a_rise_below_the_threshold_does_not_stand_and_falls_never_do)
{
	EXPECT_INT(of((double[]){ 1, 1.01 }, 2, 0.02), 0);
	EXPECT_INT(of((double[]){ 3, 2, 1 }, 3, 0.02), 0);
	EXPECT(best == 1);
	EXPECT_INT(of(NULL, 0, 0.02), 0);
	EXPECT(isnan(best));
}

/* Each step is below the threshold, but their sum is above it. */
TEST(small_steps_that_together_pass_the_threshold_stand)
{
	EXPECT_INT(of((double[]){ 1, 1.015, 1.03 }, 3, 0.02), 1);
	EXPECT(found[0].before == 1 && found[0].after == 1.03);
}

TEST(a_dip_of_one_value_is_no_recovery_and_no_better_past)
{
	struct hd_level dip[] = { { 0, 5, 1 }, { 5, 10, 2 }, { 10, 11, 1 }, { 11, 16, 2 } };
	struct hd_level past[] = { { 0, 5, 2 }, { 5, 6, 1 }, { 6, 11, 2 } };
	struct hd_level newest[] = { { 0, 5, 1 }, { 5, 6, 2 } };

	EXPECT_INT(hd_rises(found, dip, 4, 0.02, 2, &best), 1);
	EXPECT_INT(found[0].first, 5);
	EXPECT_INT(hd_rises(found, past, 3, 0.02, 2, &best), 0);
	EXPECT(best == 2);
	EXPECT_INT(hd_rises(found, newest, 2, 0.02, 2, &best), 1);
}

TEST_MAIN(
	RUN(a_rise_that_stays_stands),
	RUN(a_rise_that_was_undone_does_not_stand),
	RUN(a_rise_that_was_undone_in_part_counts_with_its_remainder),
	RUN(rises_are_returned_oldest_first),
	RUN(a_rise_below_the_threshold_does_not_stand_and_falls_never_do),
	RUN(small_steps_that_together_pass_the_threshold_stand),
	RUN(a_dip_of_one_value_is_no_recovery_and_no_better_past),
)
