/*
 * hash.h - mixing functions for in-memory tables
 *
 * Not for fingerprints (sha256.h is), never written to a file: the values
 * differ from run to run.  Ids are given in order of first sight, so that no
 * output depends on them.
 *
 * Addresses and names come from inputs, and a multiplication has a zero: with
 * fixed constants one well-chosen address in a call chain would send every
 * node to the same slot, and a file of 2 MB would take minutes.  The place
 * where the program was loaded is mixed in, which nobody knows beforehand.
 */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern const char hd_hash_place[1];	/* only its address counts */

/* Two 64-bit words to one: multiply wide, fold the halves. */
static inline uint64_t hd_mix(uint64_t a, uint64_t b)
{
	uint64_t place = (uint64_t)(uintptr_t)hd_hash_place * 0x9fb21c651e98df25u;	/* unknown in all 64 bits */
	__uint128_t m = (__uint128_t)(a ^ place) * (b ^ place ^ 0xd1b54a32d192ed03u);

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
