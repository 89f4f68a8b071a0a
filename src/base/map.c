/*
 * map.c - see map.h
 */
#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const char hd_hash_seed[1] = "";	/* declared in hash.h */

void hd_map_release(struct hd_map *m)
{
	free(m->keys);
	free(m->vals);
	*m = (struct hd_map){ 0 };
}

void hd_map_clear(struct hd_map *m)
{
	if (m->vals)
		memset(m->vals, 0xff, m->cap * sizeof(*m->vals));
	m->n = 0;
}

static size_t slot(const struct hd_map *m, uint64_t key)
{
	size_t i = hd_mix(key, 0) & (m->cap - 1);

	while (m->vals[i] != HD_MAP_NONE && m->keys[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

uint32_t hd_map_get(const struct hd_map *m, uint64_t key)
{
	return m->cap ? m->vals[slot(m, key)] : HD_MAP_NONE;
}

bool hd_map_has(const struct hd_map *m, uint64_t key)
{
	return hd_map_get(m, key) != HD_MAP_NONE;
}

static void rehash(struct hd_map *m, size_t cap)
{
	struct hd_map old = *m;

	m->keys = hd_realloc(NULL, cap, sizeof(*m->keys));
	m->vals = hd_realloc(NULL, cap, sizeof(*m->vals));
	m->cap = cap;
	memset(m->vals, 0xff, cap * sizeof(*m->vals));
	for (size_t i = 0; i < old.cap; i++) {
		if (old.vals[i] != HD_MAP_NONE) {
			size_t at = slot(m, old.keys[i]);

			m->keys[at] = old.keys[i];
			m->vals[at] = old.vals[i];
		}
	}
	free(old.keys);
	free(old.vals);
}

void hd_map_put(struct hd_map *m, uint64_t key, uint32_t val)
{
	size_t i;

	if (4 * (m->n + 1) > 3 * m->cap)
		rehash(m, m->cap ? 2 * m->cap : 16);
	i = slot(m, key);
	if (m->vals[i] == HD_MAP_NONE)
		m->n++;
	m->keys[i] = key;
	m->vals[i] = val;
}
