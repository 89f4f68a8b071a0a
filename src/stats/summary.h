/*
 * summary.h - what a series of measurements comes to, and how sure that is
 *
 *     mean     sum / n; std the population's: sqrt(sum (x - mean)^2 / n)
 *     p50..    nearest rank (order.h)
 *     outliers values beyond Tukey's fences: quartiles (type 7) -+ 1.5 times their distance
 *
 * Two passes in long double with compensation: neither 1e9 + noise nor 1e308 goes
 * wrong.
 *
 * Intervals are of 95 %: an interval should enclose what it is named for, of the source that the values come from, in 19
 * of 20 samples.  An end is infinite when no bound exists.  min and max have no interval.
 *
 *   p50, p95, p99   Two order statistics, whatever the distribution: the number of values below the percentile is
 *                   binomial.  No value is an upper bound of p95 below 72 values, of p99 below 368; p50 has no interval
 *                   below 6.
 *   mean            The wider, at each end, of Student's t and the bootstrap-t of HD_SUMMARY_DRAWS resamples with a
 *                   fixed seed; below HD_SUMMARY_LEAST values Student's t alone, of one value none.
 *   std             The bootstrap-t of ln s^2, for the standard deviation of the source; below HD_SUMMARY_LEAST values
 *                   there is no bound but 0.
 *
 * Of more than HD_SUMMARY_PLAIN values, mean and std have percentile bootstraps.  Only the HD_SUMMARY_EXTREMES smallest and
 * largest values are drawn one by one; the sums over the others are drawn from their normal limit with the exact means and
 * covariance of x and x^2.  A constant series has intervals of no width.
 */
#ifndef HD_STATS_SUMMARY_H
#define HD_STATS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

enum { HD_SUMMARY_DRAWS = 4000, HD_SUMMARY_PLAIN = 2048, HD_SUMMARY_LEAST = 4, HD_SUMMARY_EXTREMES = 64 };

/* What functions of track/ answer: 0 or more, or one of these. */
enum hd_track_code {
	HD_TRACK_OK = 0,
	HD_TRACK_NOMEM = -1,
	HD_TRACK_NONE = -2,	/* too few values for an answer */
	HD_TRACK_FULL = -3,	/* the room that was given is too small */
};

struct hd_interval {
	double lo, hi;
};

struct hd_summary {
	size_t n;
	double sum, mean, std, p50, p95, p99, min, max;
	double q1, q3, fence_lo, fence_hi;
	size_t outliers;
	struct hd_interval ci_mean, ci_std, ci_p50, ci_p95, ci_p99;
};

/* v: n finite values, which are moved about.  0, HD_TRACK_NONE when n is 0, HD_TRACK_NOMEM. */
int hd_summarize(struct hd_summary *out, double *v, size_t n);

/* The mean and the sum, compensated. */
long double hd_sum(const double *v, size_t n);

#endif
