/*
 * sampling_error.h - how far a figure of a sampled heap recording may be off
 *
 * A block of s bytes is seen with probability q = 1 - exp(-(s + 1) / interval) and
 * counts for 1 / q blocks.  The sum over the samples of (1 - q) / q^2, times s^2 for
 * bytes, estimates the variance of such a sum without bias, whatever the sizes and
 * intervals were.  Recordings have it since version 3 of their format.
 *
 * Of an older one only the number of samples of a row is known, and what they count for.
 * That determines q if all blocks are of one size: sd = sqrt((1 - q) / seen).
 */
#ifndef HD_PROFILE_SAMPLING_ERROR_H
#define HD_PROFILE_SAMPLING_ERROR_H

#include "profile/profile.h"

#include <stdbool.h>

/* Is it a sampled one, and this event one of its estimates? */
bool hd_sampling_error_applies(const struct hd_profile *p, uint32_t event);
/* The relative standard deviation, in per cent, of `weight` estimated from `samples` blocks, whose variance is `var`; 0: there are no samples. */
double hd_sampling_error_sd_pct(const struct hd_profile *p, uint32_t event, uint64_t weight, uint64_t samples,
	double var);

#endif
