/*
 * hash.h - mixing functions for in-memory tables
 *
 * Not for fingerprints (sha256.h is), never written to a file: the values may
 * change between versions.  Ids are given in order of first sight, so that no
 * output depends on them.
 */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Two 64-bit words to one: multiply wide, fold the halves. */
static inline uint64_t hd_mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t hd_hash_bytes(const void *p, size_t n)
{
	const uint8_t *s = p;
	uint64_t h = n, w;

	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&w, s, 8);
		h = hd_mix(h, w);
	}
	w = 0;
	if (n)
		memcpy(&w, s, n);
	return hd_mix(h, w);
}

#endif
