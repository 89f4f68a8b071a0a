/*
 * ar1_levels.h - select change points in the presence of autocorrelated noise and of a slow trend
 *
 * The model is a sequence of levels with AR(1) noise:
 *
 *     v[t] = level(t) + e[t],   e[t] = rho e[t-1] + innovation,   0 <= rho <= 0.98
 *
 * For each set of points, the levels are the means of the values between the points, and rho is fitted to the
 * deviations from them.  Slow fluctuations of autocorrelated noise are then explained by rho and do not look like
 * steps: a point is kept only if it explains more than rho does.
 *
 * A linear trend common to all levels may be fitted, too.  In the criterion below it costs as much as one change point.
 * So a step on top of a trend is reported as one step.  A trend without any step is reported as a staircase of levels,
 * so that it is not missed; the p of its points is at most that of the trend.
 *
 * Selection: starting with all candidates, remove the one whose removal raises the sum of squared innovations least,
 * until none is left.  Evaluate each set on this path with and without a trend, and take the one with the smallest
 *
 *     n ln(sum of squares)  +  (points + trend) * n ln(1 + t*t/df)
 *
 * The squares are those of the innovations.  `trend` is 1 for a fit with a trend, otherwise 0.  t is the two-sided
 * quantile of Student's t with df = max(1, n - 4) degrees of freedom, at max_p divided by the effective number of
 * tests, 31 + 0.2 n.
 * Source: the criterion follows Davis, Lee and Rodriguez-Yam 2006 (breaks in autoregressive series).
 */
#ifndef HD_STATS_AR1_LEVELS_H
#define HD_STATS_AR1_LEVELS_H

#include "stats/edivisive.h"

/*
 * Select the significant change points of the series v[0..n).  `points` holds `count` candidates in ascending order of
 * their index (count may be 0), and on return the selected ones, of which only index and p are set.  p is the
 * probability that, in a series without a change, some division improves the fit as much.  Returns the number of
 * selected points or HD_STATS_NOMEM.
 */
long hd_ar1_levels(struct hd_changepoint *points, size_t count, const double *v, size_t n, double max_p);

#endif
