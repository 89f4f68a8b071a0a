/*
 * random.h - generate reproducible pseudo-random numbers
 *
 * The generator is xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64.  It is for resampling, never for
 * secrets.
 */
#ifndef HD_STATS_RANDOM_H
#define HD_STATS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct hd_random {
	uint64_t s[4];
};

static inline struct hd_random hd_random_from(uint64_t seed)
{
	struct hd_random r;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		r.s[i] = z ^ (z >> 31);
	}
	return r;
}

static inline uint64_t hd_random_rotate(uint64_t x, unsigned by)
{
	return (x << by) | (x >> (64 - by));
}

static inline uint64_t hd_random_u64(struct hd_random *r)
{
	uint64_t *s = r->s, out = hd_random_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = hd_random_rotate(s[3], 45);
	return out;
}

/* Return a random number in 0..n-1, for n > 0.  The bias is at most n / 2^64. */
static inline size_t hd_random_below(struct hd_random *r, size_t n)
{
	return (size_t)(((unsigned __int128)hd_random_u64(r) * n) >> 64);
}

/* Return a random number in (0, 1].  0 is excluded, so that its logarithm is finite; 1 can result from rounding. */
static inline double hd_random_unit(struct hd_random *r)
{
	return ((double)(hd_random_u64(r) >> 11) + 0.5) * 0x1p-53;
}

#endif
