/*
 * symbols.c - see symbols.h; one cached object per key, and a symbol source (source.h) that answers its lookups
 */
#include "symbols/symbols.h"

#include "base/map.h"
#include "base/mem.h"
#include "elf/machine.h"
#include "symbols/key.h"
#include "symbols/source.h"

#include <stdlib.h>

struct hd_symobj {
	const struct hd_symbol_source_ops *ops;
	void *obj;				/* the source's object; NULL: it has none */
	struct hd_symobj *next;			/* with the same hash */
	struct hd_symbols_owned_key id;
	struct hd_symbol_info info;
};

struct hd_symbols {
	struct hd_symbol_source source;
	struct hd_map by_hash;			/* hash of a key -> index of the last added object with this hash */
	struct hd_symobj **objects;
	size_t nobjects, objects_cap;
};

struct hd_symbols *hd_symbols_new(const struct hd_symbols_opts *opts, struct hd_log *log)
{
	return hd_symbols_over(hd_local_source_new(opts, log));
}

struct hd_symbols *hd_symbols_over(struct hd_symbol_source source)
{
	struct hd_symbols *sy = hd_new(struct hd_symbols);

	sy->source = source;
	return sy;
}

void hd_symbols_free(struct hd_symbols *sy)
{
	if (!sy)
		return;
	for (size_t i = 0; i < sy->nobjects; i++) {
		struct hd_symobj *o = sy->objects[i];

		if (o->obj)
			o->ops->free_object(o->obj);
		free(o->id.path);
		free(o);
	}
	free(sy->objects);
	hd_map_release(&sy->by_hash);
	sy->source.ops->free(sy->source.ctx);
	free(sy);
}

void hd_symbols_settle_key(const struct hd_symbols *sy, struct hd_symbols_key *key)
{
	if (!key->ino)
		return;
	if (sy->source.ops->was_replaced(sy->source.ctx, key))
		key->build_id_len = 0;
	else
		key->ino = key->generation = 0;
}

struct hd_symobj *hd_symbols_object(struct hd_symbols *sy, const struct hd_symbols_key *key)
{
	uint64_t h = hd_symbols_key_hash(key);
	uint32_t newest = hd_map_get(&sy->by_hash, h);
	struct hd_symobj *o = newest == HD_MAP_NONE ? NULL : sy->objects[newest];

	for (; o; o = o->next)
		if (hd_symbols_key_equal(&o->id.key, key))
			return o;
	o = hd_new(struct hd_symobj);
	o->ops = sy->source.ops;
	o->next = newest == HD_MAP_NONE ? NULL : sy->objects[newest];
	hd_symbols_key_copy(&o->id, key);
	HD_GROW(sy->objects, sy->nobjects + 1, sy->objects_cap);
	sy->objects[sy->nobjects] = o;
	hd_map_put(&sy->by_hash, h, (uint32_t)sy->nobjects++);
	o->obj = o->ops->object(sy->source.ctx, &o->id.key, &o->info);
	return o;
}

int hd_symbols_open_code(const struct hd_symbols *sy, const struct hd_symbols_key *key, struct hd_err *err)
{
	return sy->source.ops->open_code(sy->source.ctx, key, err);
}

/* ---- lookups ---- */

void hd_object_lookup(struct hd_symobj *o, uint64_t foff, struct hd_symbol_hit *hit)
{
	*hit = (struct hd_symbol_hit){ .vaddr = hd_symbols_key_vaddr(&o->id.key, foff) };
	if (o->obj)
		o->ops->lookup(o->obj, foff, hit);
}

void hd_object_line(struct hd_symobj *o, uint64_t vaddr, struct hd_line_hit *hit)
{
	*hit = (struct hd_line_hit){ 0 };
	if (o->obj)
		o->ops->line(o->obj, vaddr, hit);
}

uint32_t hd_object_inline_instance(struct hd_symobj *o, uint64_t vaddr)
{
	return o->obj ? o->ops->inline_instance(o->obj, vaddr) : 0;
}

size_t hd_object_inlines(struct hd_symobj *o, uint64_t vaddr, struct hd_inline_hit *hits, size_t max)
{
	return o->obj ? o->ops->inlines(o->obj, vaddr, hits, max) : 0;
}

/* ---- properties ---- */

enum hd_symbols_quality hd_object_quality(const struct hd_symobj *o)
{
	return o->info.quality;
}

const char *hd_object_source(const struct hd_symobj *o)
{
	return o->info.origin ? o->info.origin : "";
}

const char *hd_object_problem(const struct hd_symobj *o)
{
	return o->info.problem;
}

const char *hd_object_build_id(const struct hd_symobj *o)
{
	return o->info.build_id ? o->info.build_id : "";
}

const char *hd_object_machine(const struct hd_symobj *o)
{
	return hd_machine_name(o->info.machine);
}
