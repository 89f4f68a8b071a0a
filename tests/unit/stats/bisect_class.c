/* bisect_class.c - decide on which side of a change a commit is */
#include "test.h"

#include "stats/bisect_class.h"

#include <math.h>

#define N(...) (const double[]){ __VA_ARGS__ }, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)

static struct hd_bisect_class_spread spread_of(double sd)
{
	struct hd_bisect_class_spread s = { 0 };

	hd_bisect_class_add(&s, N(10 - sd, 10, 10 + sd));
	hd_bisect_class_add(&s, N(20 - sd, 20, 20 + sd));
	return s;
}

TEST(without_noise_the_middle_divides)
{
	struct hd_bisect_class_ends e = hd_bisect_class_between(N(10), N(20), 0);
	struct hd_bisect_class_spread none = { 0 };

	EXPECT(e.threshold == 15);
	EXPECT_INT(hd_bisect_class_of(&e, &none, N(14)), HD_BISECT_CLASS_GOOD);
	EXPECT_INT(hd_bisect_class_of(&e, &none, N(16)), HD_BISECT_CLASS_BAD);
	EXPECT(hd_bisect_class_moved(&e, &none));
}

TEST(a_commit_that_made_it_faster_is_found_as_well)
{
	struct hd_bisect_class_ends e = hd_bisect_class_between(N(20), N(10), 0);
	struct hd_bisect_class_spread none = { 0 };

	EXPECT_INT(hd_bisect_class_of(&e, &none, N(14)), HD_BISECT_CLASS_BAD);
	EXPECT_INT(hd_bisect_class_of(&e, &none, N(16)), HD_BISECT_CLASS_GOOD);
}

TEST(a_limit_is_per_cent_of_the_good_end)
{
	struct hd_bisect_class_ends up = hd_bisect_class_between(N(10), N(20), 10),
				    down = hd_bisect_class_between(N(20), N(10), 10),
				    small = hd_bisect_class_between(N(10), N(10.5), 10);
	struct hd_bisect_class_spread none = { 0 };

	EXPECT(up.threshold == 11 && down.threshold == 18);
	EXPECT_INT(hd_bisect_class_of(&up, &none, N(12)), HD_BISECT_CLASS_BAD);
	/* A change of 5 % is not beyond the limit of 10 %. */
	EXPECT(!hd_bisect_class_moved(&small, &none));
}

TEST(noise_makes_a_commit_unsure_and_more_runs_make_it_sure)
{
	struct hd_bisect_class_ends e = hd_bisect_class_between(N(9, 10, 11), N(19, 20, 21), 0);
	struct hd_bisect_class_spread s = spread_of(1);

	EXPECT_INT(hd_bisect_class_of(&e, &s, N(17.5)), HD_BISECT_CLASS_UNSURE);
	EXPECT_INT(hd_bisect_class_of(&e, &s, N(17.5, 17.4, 17.6, 17.5, 17.5, 17.4, 17.6, 17.5, 17.5)),
		HD_BISECT_CLASS_BAD);
	EXPECT_INT(hd_bisect_class_of(&e, &s, N(20, 19, 21)), HD_BISECT_CLASS_BAD);
	EXPECT_INT(hd_bisect_class_of(&e, &s, N(10, 9, 11)), HD_BISECT_CLASS_GOOD);
	EXPECT(hd_bisect_class_moved(&e, &s));
	s = spread_of(8);
	EXPECT(!hd_bisect_class_moved(&e, &s));
	EXPECT_INT(hd_bisect_class_of(&e, &s, N(20, 19, 21)), HD_BISECT_CLASS_UNSURE);
}

TEST(counting_is_the_least_noise_there_is)
{
	struct hd_bisect_class_ends e = hd_bisect_class_between(N(10, 10, 10), N(12, 12, 12), 0);
	struct hd_bisect_class_spread s = spread_of(0);

	EXPECT(hd_bisect_class_moved(&e, &s));
	s.counting = 3;			/* a share of few samples: three equal runs are a coincidence */
	EXPECT(!hd_bisect_class_moved(&e, &s));
}

TEST(a_change_that_noise_hides_is_not_excluded)
{
	struct hd_bisect_class_ends e = hd_bisect_class_between(N(20, 24), N(25, 30), 0);
	struct hd_bisect_class_spread s = { 0 }, none = { 0 };
	struct hd_interval ci;

	hd_bisect_class_add(&s, N(20, 24));
	hd_bisect_class_add(&s, N(25, 30));
	ci = hd_bisect_class_change(&e, &s);
	EXPECT(!hd_bisect_class_moved(&e, &s) && !hd_bisect_class_unmoved(&e, &s, 0));
	EXPECT(ci.lo < 0 && ci.hi > 25);
	EXPECT(isnan(hd_bisect_class_change(&e, &none).lo) && !hd_bisect_class_unmoved(&e, &none, 0));
	e = hd_bisect_class_between(N(20, 20.2), N(20.1, 20.3), 0);
	s = (struct hd_bisect_class_spread){ 0 };
	hd_bisect_class_add(&s, N(20, 20.2));
	hd_bisect_class_add(&s, N(20.1, 20.3));
	EXPECT(hd_bisect_class_unmoved(&e, &s, 0) && !hd_bisect_class_unmoved(&e, &s, 1));
}

/* The t distribution with 4 degrees of freedom has 0.00375 above t = 5. */
TEST(the_chance_of_the_wrong_side_is_one_tail)
{
	struct hd_bisect_class_ends e = hd_bisect_class_between(N(9, 10, 11), N(19, 20, 21), 0);
	struct hd_bisect_class_spread s = spread_of(1), none = { 0 };
	double at = 15 + 5 * sqrt(1 + 0.25 / 3 + 0.25 / 3);

	EXPECT(fabs(hd_bisect_class_p(&e, &s, N(at)) - 0.003745) < 1e-5);
	EXPECT(isnan(hd_bisect_class_p(&e, &none, N(at))));
}

TEST_MAIN(RUN(without_noise_the_middle_divides), RUN(a_commit_that_made_it_faster_is_found_as_well),
	RUN(a_limit_is_per_cent_of_the_good_end), RUN(noise_makes_a_commit_unsure_and_more_runs_make_it_sure),
	RUN(counting_is_the_least_noise_there_is), RUN(a_change_that_noise_hides_is_not_excluded),
	RUN(the_chance_of_the_wrong_side_is_one_tail))
