/*
 * sampling_error.h - estimate the standard error of the figures of a sampled heap recording
 *
 * A block of s bytes is sampled with probability q = 1 - exp(-(s + 1) / interval).  Each sampled block counts for 1 / q
 * blocks and s / q bytes, so the weight of a row is the sum of these over its samples.  The variance of the weight is
 * estimated without bias, for any sizes and intervals, by another sum over the same samples: of (1 - q) / q^2 for
 * blocks, of s^2 (1 - q) / q^2 for bytes.  A recording stores this variance since version 3 of the format.
 *
 * For older recordings only the number of samples of a row and its weight are known.  If all blocks of the row have the
 * same size, these two determine q, and the relative standard deviation is sqrt((1 - q) / samples).
 */
#ifndef HD_PROFILE_SAMPLING_ERROR_H
#define HD_PROFILE_SAMPLING_ERROR_H

#include "profile/profile.h"

#include <stdbool.h>

/* Return true if p is a sampled heap recording, and the weights of the event are estimates. */
bool hd_sampling_error_applies(const struct hd_profile *p, uint32_t event);
/*
 * Return the relative standard deviation, in per cent, of `weight`, which was estimated from `samples` blocks and has
 * the variance `var`.  Returns 0 if `samples` or `weight` is 0.
 */
double hd_sampling_error_sd_pct(const struct hd_profile *p, uint32_t event, uint64_t weight, uint64_t samples,
	double var);

#endif
