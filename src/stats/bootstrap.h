/*
 * bootstrap.h - compute the confidence intervals of a summary; summary.h describes the methods
 */
#ifndef HD_STATS_BOOTSTRAP_H
#define HD_STATS_BOOTSTRAP_H

#include "stats/status.h"

#include <stddef.h>
#include <stdint.h>

struct hd_interval {
	double lo, hi;
};

enum { HD_SUMMARY_DRAWS = 4000, HD_SUMMARY_PLAIN = 2048, HD_SUMMARY_LEAST = 4, HD_SUMMARY_EXTREMES = 64 };

#define HD_BOOTSTRAP_NONE SIZE_MAX

/*
 * Find the two of n sorted values that enclose the percentile in at least 95 % of samples: it is beyond each of them in
 * at most 2.5 %.  *lo and *hi become their indexes, or HD_BOOTSTRAP_NONE if no value is such a bound.
 */
void hd_bootstrap_ranks(size_t n, unsigned percent, size_t *lo, size_t *hi);

/*
 * Compute the 95 % intervals of the mean and of the standard deviation.  An end for which there is no bound is
 * infinite, or 0 if it is the lower end of the standard deviation.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 *
 * If n > HD_SUMMARY_PLAIN, the HD_SUMMARY_EXTREMES smallest values must be first in v and the largest ones last.
 */
int hd_bootstrap_moments(struct hd_interval *mean, struct hd_interval *std, const double *v, size_t n);

#endif
