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
 * Intervals are percentile bootstraps of 95 %: what 19 of 20 samples of n values,
 * drawn with replacement from these, would give.  No interval is given for min and
 * max: the bootstrap of an extreme says nothing.
 *
 *   p50, p95, p99   exactly, without drawing.  The k-th of n drawn values is at most the j-th of ours when at
 *                   least k of n draws are among our first j: a binomial tail.  The limits are the first j whose
 *                   tail reaches 2.5 and 97.5 %.
 *   mean, std       HD_SUMMARY_DRAWS resamples with a fixed seed.  Up to HD_SUMMARY_PLAIN values are drawn one
 *                   by one.  Of more, only the HD_SUMMARY_EXTREMES smallest and largest are, as many as fall to
 *                   them; the sums over the others, of which none stands out any more, are drawn from their
 *                   normal limit with the exact means and covariance of x and x^2.
 */
#ifndef HD_TRACK_SUMMARY_H
#define HD_TRACK_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

enum { HD_SUMMARY_DRAWS = 4000, HD_SUMMARY_PLAIN = 2048, HD_SUMMARY_EXTREMES = 64 };

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
