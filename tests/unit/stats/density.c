/* density.c - densities have an area of 1, and their peaks are where the values are */
#include "stats/density.h"
#include "test.h"

#include <math.h>

enum { POINTS = 400 };

static double area(const double *d, double lo, double hi)
{
	double sum = 0;

	for (int i = 0; i < POINTS; i++)
		sum += d[i] * (hi - lo) / (POINTS - 1);
	return sum;
}

TEST(the_area_is_one_and_two_groups_have_two_peaks)
{
	double v[] = { 10, 10.2, 9.8, 10.1, 20, 20.1, 19.9, 20.2 }, d[POINTS];
	double h = hd_density_bandwidth(v, 8);

	hd_density_make(d, POINTS, -10, 40, v, 8, h);
	EXPECT(fabs(area(d, -10, 40) - 1) < 0.01);
	hd_density_make(d, POINTS, -10, 40, v, 8, 0.5);
	/* The values 10, 15 and 20 are at the points 160, 200 and 240. */
	EXPECT(d[160] > 10 * d[200] && d[240] > 10 * d[200]);
}

TEST(the_bandwidth_is_silvermans)
{
	double v[] = { 1, 2, 3, 4, 5 };

	/* sd 1.5811, quartiles 2 and 4: 0.9 min(1.5811, 2 / 1.34) 5^-0.2 */
	EXPECT(fabs(hd_density_bandwidth(v, 5) - 0.9 * (2 / 1.34) * pow(5, -0.2)) < 1e-12);
}

TEST(values_that_do_not_vary_and_a_single_one_have_a_finite_density)
{
	double same[] = { 3, 3, 3 }, d[POINTS];

	EXPECT(hd_density_bandwidth(same, 3) == 0 && hd_density_bandwidth(same, 1) == 0);
	hd_density_make(d, POINTS, 2, 4, same, 3, 0);
	EXPECT(fabs(area(d, 2, 4) - 1) < 0.01);
	/*
	 * Most of the values are equal, so the quartiles are equal, too, and the standard deviation gives the
	 * bandwidth.
	 */
	double most[] = { 3, 3, 3, 3, 9 };
	EXPECT(hd_density_bandwidth(most, 5) > 0);
}

TEST_MAIN(RUN(the_area_is_one_and_two_groups_have_two_peaks), RUN(the_bandwidth_is_silvermans),
	  RUN(values_that_do_not_vary_and_a_single_one_have_a_finite_density))
