/*
 * ratio.h - compute the confidence interval of the ratio of a statistic in two samples, by the bootstrap
 *
 * Percentile bootstrap: both samples are resampled with replacement, and the statistic of y is divided by that of x for
 * each draw.  The ends of the interval are the quantiles (1 - confidence)/2 and (1 + confidence)/2 of the
 * ratios (type 7, order.h); a confidence of 0.95 means 95 %.  Efron and Tibshirani, "An Introduction to the Bootstrap",
 * 1993, chapter 13.  Values are assumed to be independent.
 *
 * There is no interval for a maximum or minimum, because the bootstrap is not consistent for them.
 */
#ifndef HD_STATS_RATIO_H
#define HD_STATS_RATIO_H

#include "stats/bootstrap.h"

#include <stdint.h>

enum hd_ratio_statistic { HD_RATIO_MEAN, HD_RATIO_P95 };	/* P95: nearest rank (order.h) */

/*
 * The number of values that hd_ratio_interval() draws in all is limited to about this.  So large samples are resampled
 * less often than HD_SUMMARY_DRAWS times, but at least 200 times, even if that exceeds the limit.
 */
enum { HD_RATIO_WORK = 50000000 };

/*
 * Compute the bootstrap interval of statistic(y) / statistic(x).  Returns HD_STATS_OK, HD_STATS_NOMEM, or
 * HD_STATS_NONE: a sample has fewer than HD_SUMMARY_LEAST values, or a resample of x has the statistic 0.  The same
 * input gives the same interval.
 */
int hd_ratio_interval(struct hd_interval *out, enum hd_ratio_statistic statistic, const double *x, size_t nx,
	const double *y, size_t ny, double confidence);

#endif
