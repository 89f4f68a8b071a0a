/*
 * summary.h - compute summary statistics of a series of measurements, with confidence intervals
 *
 *     mean, std      std is the population's: sqrt(sum (x - mean)^2 / n)
 *     p50, p95, p99  nearest rank (order.h)
 *     outliers       values beyond Tukey's fences: quartiles (type 7) -+ 1.5 times their distance
 *
 * Sums are computed in two passes in long double with compensation, so 1e9 + noise and values near 1e308 are handled.
 *
 * Intervals are 95 % confidence intervals of the distribution that the values come from.  An end is infinite if no
 * bound exists.  min and max have no interval.
 *
 *   p50, p95, p99   Two order statistics, for any distribution: the number of values below the percentile is binomial.
 *                   p95 has no upper bound below 72 values, p99 below 368; p50 has no interval below 6.
 *   mean            At each end the wider one of Student's t and the bootstrap-t of HD_SUMMARY_DRAWS resamples with a
 *                   fixed seed.  With fewer than HD_SUMMARY_LEAST values Student's t alone; with one value both ends
 *                   are infinite.
 *   std             At each end the wider one of the bootstrap-t of ln s^2 and the chi-squared interval for normal
 *                   values.  With fewer than HD_SUMMARY_LEAST values the only bound is 0.
 *
 * With more than HD_SUMMARY_PLAIN values, mean and std have percentile bootstraps.  Only the HD_SUMMARY_EXTREMES
 * smallest and largest values are drawn individually; the sums over the others are drawn from their normal limit with
 * the exact means and covariance of x and x^2.  If all of two or more values are equal, the intervals of mean and std
 * have width 0.
 */
#ifndef HD_STATS_SUMMARY_H
#define HD_STATS_SUMMARY_H

#include "stats/bootstrap.h"
#include "stats/status.h"

struct hd_summary {
	size_t n;
	double sum, mean, std, p50, p95, p99, min, max;
	double q1, q3, fence_lo, fence_hi;
	size_t outliers;
	struct hd_interval ci_mean, ci_std, ci_p50, ci_p95, ci_p99;
};

/* Summarize n finite values; v is reordered.  Returns HD_STATS_OK, HD_STATS_NOMEM, or HD_STATS_NONE if n is 0. */
int hd_summarize(struct hd_summary *out, double *v, size_t n);

#endif
