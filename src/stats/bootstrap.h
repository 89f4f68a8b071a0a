/*
 * bootstrap.h - the intervals of a summary
 *
 * See summary.h for the methods.
 */
#ifndef HD_STATS_BOOTSTRAP_H
#define HD_STATS_BOOTSTRAP_H

#include "stats/summary.h"

#define HD_BOOTSTRAP_NONE SIZE_MAX

/* The indexes of the two of n sorted values that enclose the percentile in 95 % of samples; HD_BOOTSTRAP_NONE: no such value. */
void hd_bootstrap_ranks(size_t n, unsigned percent, size_t *lo, size_t *hi);

/*
 * out->ci_mean and ci_std.  Of more than HD_SUMMARY_PLAIN values the
 * HD_SUMMARY_EXTREMES smallest stand first in v and the largest last.
 */
int hd_bootstrap_moments(struct hd_summary *out, const double *v, size_t n);

#endif
