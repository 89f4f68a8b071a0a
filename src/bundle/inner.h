/*
 * inner.h - what the writer and the reader of bundles share
 *
 * Private to bundle/.
 */
#ifndef HD_BUNDLE_INNER_H
#define HD_BUNDLE_INNER_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t hd_bundle_magic[8];
extern const uint8_t hd_bundle_mark[4];		/* of a section */

/* FNV-1a, 32 bits; begin with HD_BUNDLE_SUM. */
#define HD_BUNDLE_SUM 0x811c9dc5u

static inline uint32_t hd_bundle_sum(uint32_t sum, const void *p, size_t n)
{
	const uint8_t *s = p;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ s[i]) * 0x01000193u;
	return sum;
}

#endif
