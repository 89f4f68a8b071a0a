/*
 * fit.c - fit a straight line to points
 */
#include "test.h"

#include "stats/fit.h"

#include <math.h>
#include <stdbool.h>

TEST(points_on_a_line_give_the_line)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 5, 7, 9, 11 };
	struct hd_fit f;

	EXPECT_INT(hd_fit_line(&f, x, y, 4), 0);
	EXPECT(f.slope == 2 && f.intercept == 3 && f.r2 == 1 && f.n == 4);
}

/* Anscombe 1973 has four sets of points with the same fitted line.  This is the first set. */
TEST(anscombes_first_set_has_his_line)
{
	const double x[] = { 10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5 };
	const double y[] = { 8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68 };
	struct hd_fit f;

	EXPECT_INT(hd_fit_line(&f, x, y, 11), 0);
	EXPECT(fabs(f.slope - 0.50009) < 1e-5 && fabs(f.intercept - 3.00009) < 1e-5 && fabs(f.r2 - 0.66654) < 1e-5);
}

TEST(a_large_offset_changes_nothing)
{
	const double x[] = { 1e12 + 1, 1e12 + 2, 1e12 + 3 }, y[] = { 1e9, 1e9 + 1, 1e9 + 2 };
	struct hd_fit f;

	EXPECT_INT(hd_fit_line(&f, x, y, 3), 0);
	EXPECT(f.slope == 1 && f.r2 == 1);
}

TEST(a_line_needs_two_different_x)
{
	const double same[] = { 3, 3, 3 }, other[] = { 1, 2, 3 };
	struct hd_fit f;

	EXPECT_INT(hd_fit_line(&f, same, other, 3), HD_STATS_NONE);
	EXPECT_INT(hd_fit_line(&f, other, same, 1), HD_STATS_NONE);
	EXPECT_INT(hd_fit_line(&f, other, same, 3), 0);
	EXPECT(f.slope == 0 && f.intercept == 3 && isnan(f.r2));
}

TEST_MAIN(
	RUN(points_on_a_line_give_the_line),
	RUN(anscombes_first_set_has_his_line),
	RUN(a_large_offset_changes_nothing),
	RUN(a_line_needs_two_different_x),
)
