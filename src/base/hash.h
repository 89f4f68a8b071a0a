/*
 * hash.h - mixing functions for in-memory tables
 *
 * Not for fingerprints (sha256.h is), never written to a file: the values
 * differ from run to run.  Ids are given in order of first sight, so that no
 * output depends on them.
 *
 * Addresses and names come from inputs.  Were they multiplied with each other,
 * one well-chosen address in a call chain would make every product 0, send
 * every node to the same slot, and a file of 2 MB would take minutes.  So that
 * collisions cannot be computed either, the place where the program was loaded
 * is mixed in, which nobody knows beforehand.
 */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern const char hd_hash_seed[1];	/* only its address counts */

/* Multiply wide, fold the halves. */
static inline uint64_t hd_hash_fold(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Two 64-bit words to one.  What comes from inputs is only ever multiplied by constants, which have no zero. */
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
