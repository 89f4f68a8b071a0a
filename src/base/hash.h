/*
 * hash.h - hash functions for in-memory tables
 *
 * The values differ between runs and are never written to a file; use sha256.h for fingerprints.  Ids are assigned in
 * order of first occurrence, so no output depends on hash values.
 *
 * Addresses and names are untrusted.  If two of them were multiplied with each other, one chosen address could make
 * every product 0 and put all nodes of a call chain into one slot; a file of 2 MB would then take minutes.  Therefore
 * inputs are multiplied with constants only.  The load address of the program (ASLR) is mixed in, so that collisions
 * cannot be computed in advance.
 */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern const char hd_hash_seed[1];	/* only its address is used */

/* Multiply to 128 bits and combine the halves. */
static inline uint64_t hd_hash_fold(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Hash two 64-bit words.  Inputs are multiplied with non-zero constants only. */
static inline uint64_t hd_mix(uint64_t a, uint64_t b)
{
	uint64_t place = (uint64_t)(uintptr_t)hd_hash_seed;

	return hd_hash_fold(hd_hash_fold(a ^ place, 0x9e3779b97f4a7c15u) ^ b, 0xd1b54a32d192ed03u);
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
