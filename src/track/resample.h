/*
 * resample.h - the bootstrap intervals of a summary
 *
 * See summary.h for what is drawn and what is not.
 */
#ifndef HD_TRACK_RESAMPLE_H
#define HD_TRACK_RESAMPLE_H

#include "track/summary.h"

/* The indexes of the interval of the value with index k among n sorted ones. */
void hd_resample_ranks(size_t n, size_t k, size_t *lo, size_t *hi);

/*
 * out->ci_mean and ci_std.  Of more than HD_SUMMARY_PLAIN values the
 * HD_SUMMARY_EXTREMES smallest stand first in v and the largest last.
 */
int hd_resample_moments(struct hd_summary *out, const double *v, size_t n);

#endif
