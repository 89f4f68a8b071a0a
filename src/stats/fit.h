/*
 * fit.h - a straight line through points, by least squares
 *
 * y = intercept + slope x; r2 is the share of y's variance that the line explains.
 * Two passes in long double.  Points of one x have no line; of one y the line is
 * flat and explains nothing there is: r2 is NaN.
 */
#ifndef HD_STATS_FIT_H
#define HD_STATS_FIT_H

#include "stats/summary.h"

struct hd_fit {
	size_t n;
	double slope, intercept, r2;
};

/* 0, or HD_TRACK_NONE when all x are equal or n < 2. */
int hd_fit_line(struct hd_fit *out, const double *x, const double *y, size_t n);

#endif
