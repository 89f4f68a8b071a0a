/*
 * ar1_levels.h - which candidate change points stand when neighbouring values are alike
 *
 * The model is a history of levels with AR(1) noise:
 *
 *     v[t] = level(t) + e[t],   e[t] = rho e[t-1] + innovation,   0 <= rho <= 0.98
 *
 * rho and the levels are fitted together, for each set of points again.  This is what keeps wandering noise from
 * looking like steps: without points rho explains the wandering, and a point has to do better than that.
 *
 * A slow trend that all levels share may be fitted, too, at the price of one point: beside a step, a trend
 * is no further step.  A trend without any step is drawn as a staircase of levels, so that it is not passed over; its
 * points have the p of the trend at most.
 *
 * hd_ar1_levels() removes candidates one by one, each time the one whose removal raises the sum of squared innovations
 * least, until none is left.  From all sets on this path, with and without a trend, it takes the one with the least
 *
 *     n ln(sum of squares)  +  (points + trend) * n ln(1 + t*t/df)
 *
 * t is the quantile of Student's t at max_p, two-sided and adjusted for the number of divisions of n values.
 * Source: the comparison by n ln(sum of squares) is that of Davis, Lee and Rodriguez-Yam 2006 (breaks in autoregressive series).
 */
#ifndef HD_STATS_AR1_LEVELS_H
#define HD_STATS_AR1_LEVELS_H

#include "stats/changepoint.h"

/*
 * Keep the points that stand, of `count` ascending ones (count may be 0).  Returns how many, or HD_TRACK_NOMEM.  Only index
 * and p are set.  p is the chance that a history of n values without a change has a division that is as good.
 */
long hd_ar1_levels(struct hd_changepoint *points, size_t count, const double *v, size_t n, double max_p);

#endif
