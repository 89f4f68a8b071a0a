/*
 * bisect.h - binary search in an array that is sorted by a member of type uint64_t
 *
 *     struct slot { uint64_t addr; ... } *v;
 *     size_t i = HD_FIRST_FROM(v, n, addr, key);	the first element with v[i].addr >= key, or n
 *     size_t i = HD_FIRST_ABOVE(v, n, addr, key);	the first element with v[i].addr > key, or n
 */
#ifndef HD_BASE_BISECT_H
#define HD_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HD_FIRST_FROM(v, n, member, key)	hd_bisect((v), (n), sizeof(*(v)), HD_BISECT_OFFSET(v, member), (key), 0)
#define HD_FIRST_ABOVE(v, n, member, key)	hd_bisect((v), (n), sizeof(*(v)), HD_BISECT_OFFSET(v, member), (key), 1)
#define HD_BISECT_OFFSET(v, member)		_Generic((v)->member, uint64_t: offsetof(__typeof__(*(v)), member))

/* Return the index of the first of n elements whose member is at least `key` (above: greater than `key`), or n. */
static inline size_t hd_bisect(const void *v, size_t n, size_t size, size_t offset, uint64_t key, int above)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t at;

		memcpy(&at, (const char *)v + mid * size + offset, sizeof(at));
		if (above ? at <= key : at < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
