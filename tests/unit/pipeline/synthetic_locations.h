/*
 * synthetic_locations.h - make locations for tests of chains; each (space, tag, address) is a different location
 *
 * In texts such as "u10! k20", the letter is the mode, the number the address, and ! marks an exact program counter.
 */
#ifndef TESTS_UNIT_PIPELINE_PLACES_H
#define TESTS_UNIT_PIPELINE_PLACES_H

#include "test.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "pipeline/chains.h"
#include "pipeline/locator.h"

#include <stdlib.h>

struct place_of_test { uint64_t ip; uint32_t space; unsigned tag; };

struct places {
	struct place_of_test *items;
	size_t n, cap;
	struct hd_map index;
};

static inline uint32_t places_locate(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	struct places *p = ctx;
	uint64_t key = hd_mix(ip, (uint64_t)tag << 32 | at->space);
	uint32_t id = hd_map_get(&p->index, key);

	if (id == HD_MAP_NONE) {
		if (!p->n)
			p->n = 1;
		HD_GROW(p->items, p->n + 1, p->cap);
		p->items[p->n] = (struct place_of_test){ ip, at->space, tag };
		id = (uint32_t)p->n++;
		hd_map_put(&p->index, key, id);
	}
	return id;
}

static inline struct hd_chains *places_chains(struct places *p)
{
	return hd_chains_new(&(struct hd_chains_source){ .locate = places_locate, .ctx = p });
}

static inline void places_release(struct places *p)
{
	free(p->items);
	hd_map_release(&p->index);
	*p = (struct places){ 0 };
}

static inline void places_write(const struct places *p, struct hd_buf *b, uint32_t location)
{
	static const char modes[] = "?kuhGU??";
	const struct place_of_test *at = &p->items[location];

	hd_buf_addf(b, "%c%llx%s", modes[at->tag & HD_TAG_MODE], (unsigned long long)at->ip,
		at->tag & HD_TAG_PC ? "!" : "");
}

#endif
