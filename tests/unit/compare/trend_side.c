/*
 * trend_side.c - which side of a move a commit is on
 */
#include "test.h"

#include "compare/trend_side.h"

#include <math.h>

#define N(...) (const double[]){ __VA_ARGS__ }, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)

static struct hd_trend_side_spread spread_of(double sd)
{
	struct hd_trend_side_spread s = { 0 };

	hd_trend_side_add(&s, N(10 - sd, 10, 10 + sd));
	hd_trend_side_add(&s, N(20 - sd, 20, 20 + sd));
	return s;
}

TEST(without_noise_the_middle_divides)
{
	struct hd_trend_side_ends e = hd_trend_side_between(N(10), N(20), 0);
	struct hd_trend_side_spread none = { 0 };

	EXPECT(e.threshold == 15);
	EXPECT_INT(hd_trend_side_of(&e, &none, N(14)), HD_TREND_SIDE_GOOD);
	EXPECT_INT(hd_trend_side_of(&e, &none, N(16)), HD_TREND_SIDE_BAD);
	EXPECT(hd_trend_side_moved(&e, &none));
}

TEST(what_got_faster_is_searched_for_as_well)
{
	struct hd_trend_side_ends e = hd_trend_side_between(N(20), N(10), 0);
	struct hd_trend_side_spread none = { 0 };

	EXPECT_INT(hd_trend_side_of(&e, &none, N(14)), HD_TREND_SIDE_BAD);
	EXPECT_INT(hd_trend_side_of(&e, &none, N(16)), HD_TREND_SIDE_GOOD);
}

TEST(a_limit_is_per_cent_of_the_good_end)
{
	struct hd_trend_side_ends up = hd_trend_side_between(N(10), N(20), 10), down = hd_trend_side_between(N(20), N(10), 10), small = hd_trend_side_between(N(10), N(10.5), 10);
	struct hd_trend_side_spread none = { 0 };

	EXPECT(up.threshold == 11 && down.threshold == 18);
	EXPECT_INT(hd_trend_side_of(&up, &none, N(12)), HD_TREND_SIDE_BAD);
	EXPECT(!hd_trend_side_moved(&small, &none));		/* its end is not beyond the limit */
}

TEST(noise_makes_a_commit_unsure_and_more_runs_make_it_sure)
{
	struct hd_trend_side_ends e = hd_trend_side_between(N(9, 10, 11), N(19, 20, 21), 0);
	struct hd_trend_side_spread s = spread_of(1);

	EXPECT_INT(hd_trend_side_of(&e, &s, N(17.5)), HD_TREND_SIDE_UNSURE);
	EXPECT_INT(hd_trend_side_of(&e, &s, N(17.5, 17.4, 17.6, 17.5, 17.5, 17.4, 17.6, 17.5, 17.5)), HD_TREND_SIDE_BAD);
	EXPECT_INT(hd_trend_side_of(&e, &s, N(20, 19, 21)), HD_TREND_SIDE_BAD);
	EXPECT_INT(hd_trend_side_of(&e, &s, N(10, 9, 11)), HD_TREND_SIDE_GOOD);
	EXPECT(hd_trend_side_moved(&e, &s));
	s = spread_of(8);
	EXPECT(!hd_trend_side_moved(&e, &s));
	EXPECT_INT(hd_trend_side_of(&e, &s, N(20, 19, 21)), HD_TREND_SIDE_UNSURE);
}

TEST(counting_is_the_least_noise_there_is)
{
	struct hd_trend_side_ends e = hd_trend_side_between(N(10, 10, 10), N(12, 12, 12), 0);
	struct hd_trend_side_spread s = spread_of(0);

	EXPECT(hd_trend_side_moved(&e, &s));
	s.counting = 3;			/* a share of few samples: three equal runs are luck */
	EXPECT(!hd_trend_side_moved(&e, &s));
}

TEST(a_change_that_noise_hides_is_not_excluded)
{
	struct hd_trend_side_ends e = hd_trend_side_between(N(20, 24), N(25, 30), 0);
	struct hd_trend_side_spread s = { 0 }, none = { 0 };
	struct hd_interval ci;

	hd_trend_side_add(&s, N(20, 24));
	hd_trend_side_add(&s, N(25, 30));
	ci = hd_trend_side_change(&e, &s);
	EXPECT(!hd_trend_side_moved(&e, &s) && !hd_trend_side_unmoved(&e, &s, 0));
	EXPECT(ci.lo < 0 && ci.hi > 25);
	EXPECT(isnan(hd_trend_side_change(&e, &none).lo) && !hd_trend_side_unmoved(&e, &none, 0));
	e = hd_trend_side_between(N(20, 20.2), N(20.1, 20.3), 0);
	s = (struct hd_trend_side_spread){ 0 };
	hd_trend_side_add(&s, N(20, 20.2));
	hd_trend_side_add(&s, N(20.1, 20.3));
	EXPECT(hd_trend_side_unmoved(&e, &s, 0) && !hd_trend_side_unmoved(&e, &s, 1));
}

/* t = 5 with 4 degrees of freedom: 0.00375 in one tail. */
TEST(the_chance_of_the_wrong_side_is_one_tail)
{
	struct hd_trend_side_ends e = hd_trend_side_between(N(9, 10, 11), N(19, 20, 21), 0);
	struct hd_trend_side_spread s = spread_of(1), none = { 0 };
	double at = 15 + 5 * sqrt(1 + 0.25 / 3 + 0.25 / 3);

	EXPECT(fabs(hd_trend_side_p(&e, &s, N(at)) - 0.003745) < 1e-5);
	EXPECT(isnan(hd_trend_side_p(&e, &none, N(at))));
}

TEST_MAIN(RUN(without_noise_the_middle_divides), RUN(what_got_faster_is_searched_for_as_well), RUN(a_limit_is_per_cent_of_the_good_end),
	  RUN(noise_makes_a_commit_unsure_and_more_runs_make_it_sure), RUN(counting_is_the_least_noise_there_is),
	  RUN(a_change_that_noise_hides_is_not_excluded), RUN(the_chance_of_the_wrong_side_is_one_tail))
