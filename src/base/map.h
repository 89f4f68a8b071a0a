/*
 * map.h - a hash table from a 64-bit key to a 32-bit value
 *
 * The table uses open addressing with linear probing.  Its capacity is a power of two, and at most 3/4 of the slots are
 * used.  Values are ids of elements in arrays elsewhere.  Keys cannot be removed.  Zero-initialise.
 */
#ifndef HD_BASE_MAP_H
#define HD_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_MAP_NONE UINT32_MAX

struct hd_map {
	uint64_t *keys;
	uint32_t *vals;		/* HD_MAP_NONE marks an empty slot */
	size_t n, cap;
};

void hd_map_release(struct hd_map *m);
void hd_map_clear(struct hd_map *m);				/* remove all keys, keep the memory */
uint32_t hd_map_get(const struct hd_map *m, uint64_t key);	/* HD_MAP_NONE if absent */
bool hd_map_has(const struct hd_map *m, uint64_t key);
void hd_map_put(struct hd_map *m, uint64_t key, uint32_t val);	/* add or replace; val != HD_MAP_NONE */

#endif
