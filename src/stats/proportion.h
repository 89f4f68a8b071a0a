/*
 * proportion.h - compute the confidence interval of a proportion, k successes in n trials
 *
 * Wilson's score interval (Wilson 1927; recommended for small n by Brown, Cai and DasGupta 2001), 95 %:
 *
 *     (k + z*z/2 -+ z sqrt(k (n-k) / n + z*z/4)) / (n + z*z),   z = 1.959964
 *
 * Unlike the normal interval it stays within 0 .. 1 and has a width if all trials or none succeeded.
 */
#ifndef HD_STATS_PROPORTION_H
#define HD_STATS_PROPORTION_H

#include "stats/bootstrap.h"

#include <stddef.h>

/* Return the 95 % interval of k / n, where k <= n; NaN if n is 0. */
struct hd_interval hd_proportion_interval(size_t k, size_t n);

#endif
