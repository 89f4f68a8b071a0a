/*
 * proportion.c - see proportion.h
 */
#include "stats/proportion.h"

#include "stats/special_functions.h"

#include <math.h>

struct hd_interval hd_proportion_interval(size_t k, size_t n)
{
	const double z = hd_normal_quantile(0.975), trials = (double)n, hits = (double)k;
	double middle, half;

	if (!n)
		return (struct hd_interval){ NAN, NAN };
	middle = (hits + z * z / 2) / (trials + z * z);
	half = z * sqrt(hits * (trials - hits) / trials + z * z / 4) / (trials + z * z);
	/* Rounding must not move the ends out of the range. */
	return (struct hd_interval){ k ? middle - half : 0, k < n ? middle + half : 1 };
}
