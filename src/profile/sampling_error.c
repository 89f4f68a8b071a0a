/*
 * sampling_error.c - see sampling_error.h
 */
#include "profile/sampling_error.h"

#include "profile/mode.h"

#include <math.h>
#include <string.h>

static const char *unit_of(const struct hd_profile *p, uint32_t event)
{
	return hd_profile_str(p, p->events[event].unit);
}

bool hd_sampling_error_applies(const struct hd_profile *p, uint32_t event)
{
	return p->recording.heap_interval > 1 && hd_profile_mode_counts_memory(unit_of(p, event));
}

static double chance(double size, double interval)
{
	return -expm1(-(size + 1) / interval);
}

/*
 * Return the probability q(s) that a block is sampled, where the size s is unknown and each sampled block counts for
 * `each` bytes.  Solve s / q(s) = each for s by bisection.
 */
static double chance_by_bytes(double each, double interval)
{
	double lo = 0, hi = each;

	for (int i = 0; i < 60; i++) {
		double s = (lo + hi) / 2;

		if (s / chance(s, interval) < each)
			lo = s;
		else
			hi = s;
	}
	return chance(lo, interval);
}

double hd_sampling_error_sd_pct(const struct hd_profile *p, uint32_t event, uint64_t weight, uint64_t samples,
	double var)
{
	double interval = (double)p->recording.heap_interval, q;

	if (!samples || !weight)
		return 0;
	if (p->recording.heap_var)
		return fmin(100, 100 * sqrt(var) / (double)weight);
	/*
	 * The interval varied, so q is unknown and this is an upper bound.  For a block of s bytes that is sampled
	 * with probability q at interval i, (1 - q) s / q < i.  So the variance is below the largest interval times
	 * the sum, for any intervals and sizes.  The same bound holds for numbers of blocks.  The result is at most
	 * 100 %, because the sum of squares of positive numbers is at most the square of their sum.
	 */
	if (p->recording.heap_adaptive)
		return fmin(100, 100 * sqrt(interval / (double)weight));
	if (!strcmp(unit_of(p, event), "bytes"))
		q = chance_by_bytes((double)weight / (double)samples, interval);
	else
		q = (double)samples / (double)weight;
	return q >= 1 ? 0 : 100 * sqrt((1 - q) / (double)samples);
}
