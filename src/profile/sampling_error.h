/*
 * sampling_error.h - the standard error of the figures of a sampled heap recording
 *
 * A block of s bytes is sampled with probability q = 1 - exp(-(s + 1) / interval) and counts for 1 / q blocks.  The
 * sum over the samples of (1 - q) / q^2, times s^2 for bytes, is an unbiased estimate of the variance of such a sum,
 * for any sizes and intervals.  Recordings contain it since version 3 of their format.
 *
 * For older recordings only the number of samples of a row and its weight are known.  They determine q if all blocks
 * have one size: sd = sqrt((1 - q) / samples).
 */
#ifndef HD_PROFILE_SAMPLING_ERROR_H
#define HD_PROFILE_SAMPLING_ERROR_H

#include "profile/profile.h"

#include <stdbool.h>

/* Return true if p is a sampled heap recording and the event is an estimate. */
bool hd_sampling_error_applies(const struct hd_profile *p, uint32_t event);
/*
 * Return the relative standard deviation, in per cent, of `weight`, which was estimated from `samples` blocks and has
 * the variance `var`.  0 without samples.
 */
double hd_sampling_error_sd_pct(const struct hd_profile *p, uint32_t event, uint64_t weight, uint64_t samples,
	double var);

#endif
