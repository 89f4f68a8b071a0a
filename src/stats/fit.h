/*
 * fit.h - fit a straight line by least squares
 *
 * y = intercept + slope x.  r2 is the share of y's variance that the line explains; NaN if all y are equal or there is
 * no line.  Sums are computed in two passes in long double.
 */
#ifndef HD_STATS_FIT_H
#define HD_STATS_FIT_H

#include "stats/status.h"

#include <stddef.h>

struct hd_fit {
	size_t n;
	double slope, intercept, r2;
};

/* Fit a line to n points.  Returns HD_STATS_OK, or HD_STATS_NONE if all x are equal or n < 2. */
int hd_fit_line(struct hd_fit *out, const double *x, const double *y, size_t n);

#endif
