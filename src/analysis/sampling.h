/*
 * sampling.h - how far a figure of a sampled heap recording may be off
 *
 * A block of s bytes is seen with probability q = 1 - exp(-(s + 1) / interval) and
 * counts for 1 / q blocks.  Of n blocks of one size the estimate has the relative
 * standard deviation sqrt((1 - q) / (q n)).  What is known of a row is how many
 * blocks were seen and what they count for: that tells q, as if they were of one
 * size, and q n is nearly what was seen.
 */
#ifndef HD_ANALYSIS_SAMPLING_H
#define HD_ANALYSIS_SAMPLING_H

#include "profile/profile.h"

#include <stdbool.h>

/* Is it a sampled one, and this event one of its estimates? */
bool hd_sampling_estimates(const struct hd_profile *p, uint32_t event);
/* The relative standard deviation, in per cent, of `weight` estimated from `samples` blocks; 0: there are no samples. */
double hd_sampling_sd_pct(const struct hd_profile *p, uint32_t event, uint64_t weight, uint64_t samples);

#endif
