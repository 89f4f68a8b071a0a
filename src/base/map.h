/*
 * map.h - a hash table from a 64-bit key to a 32-bit value
 *
 * Open addressing, linear probing, at most 3/4 full, powers of two.  There is
 * no removal; values are ids of arrays elsewhere.  Zero-initialise.
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
void hd_map_clear(struct hd_map *m);				/* empty, memory kept */
uint32_t hd_map_get(const struct hd_map *m, uint64_t key);	/* HD_MAP_NONE when absent */
bool hd_map_has(const struct hd_map *m, uint64_t key);
void hd_map_put(struct hd_map *m, uint64_t key, uint32_t val);	/* val != HD_MAP_NONE; replaces */

#endif
