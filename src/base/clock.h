/*
 * clock.h - the monotonic clock
 */
#ifndef HD_BASE_CLOCK_H
#define HD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the time of CLOCK_MONOTONIC in ns. */
static inline uint64_t hd_monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
