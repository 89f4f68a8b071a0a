/*
 * profile.c - see profile.h
 */
#include "profile/profile.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * The indexes map a 64-bit hash to the newest element with that hash; elements
 * of one hash are chained through `next` arrays kept beside the tables, so
 * that a collision costs a comparison and never an identity.
 */
struct hd_profile_index {
	struct hd_map map;
	uint32_t *next;
	size_t n, cap;
};

static uint32_t first(const struct hd_profile_index *ix, uint64_t h)
{
	return hd_map_get(&ix->map, h);
}

static void put(struct hd_profile_index *ix, uint64_t h, uint32_t id)
{
	HD_GROW(ix->next, (size_t)id + 1, ix->cap);
	ix->next[id] = hd_map_get(&ix->map, h);
	ix->n = (size_t)id + 1;
	hd_map_put(&ix->map, h, id);
}

static void index_free(struct hd_profile_index *ix)
{
	if (!ix)
		return;
	hd_map_release(&ix->map);
	free(ix->next);
	free(ix);
}

struct hd_profile *hd_profile_new(void)
{
	struct hd_profile *p = hd_new(struct hd_profile);

	p->names = hd_strtab_new();
	p->stacks = hd_stacks_new();
	p->object_ix = hd_new(struct hd_profile_index);
	p->symbol_ix = hd_new(struct hd_profile_index);
	p->frame_ix = hd_new(struct hd_profile_index);

	/* Id 0 of each table is "unknown". */
	HD_GROW(p->objects, 1, p->objects_cap);
	p->objects[p->nobjects++] = (struct hd_object){ .name = hd_strtab_add(p->names, HD_UNKNOWN), .unknown = true };
	HD_GROW(p->symbols, 1, p->symbols_cap);
	p->symbols[p->nsymbols++] = (struct hd_symbol){ .unresolved = true };
	HD_GROW(p->frames, 1, p->frames_cap);
	p->frames[p->nframes++] = (struct hd_frame){ 0 };
	return p;
}

void hd_profile_free(struct hd_profile *p)
{
	if (!p)
		return;
	hd_strtab_free(p->names);
	hd_stacks_free(p->stacks);
	index_free(p->object_ix);
	index_free(p->symbol_ix);
	index_free(p->frame_ix);
	hd_map_release(&p->event_ix);
	free(p->objects);
	free(p->symbols);
	free(p->frames);
	free(p->events);
	hd_rows_release(&p->rows);
	free(p->dropped);
	hd_recording_release(&p->recording);
	hd_log_release(&p->log);
	free(p);
}

const char *hd_profile_str(const struct hd_profile *p, uint32_t id)
{
	return hd_strtab_get(p->names, id);
}

uint32_t hd_profile_name(struct hd_profile *p, const char *s)
{
	return hd_strtab_add(p->names, s);
}

uint32_t hd_profile_add_object(struct hd_profile *p, const char *name, const char *build_id, bool kernel)
{
	uint32_t n = hd_profile_name(p, name), b = hd_profile_name(p, build_id);
	uint64_t h = hd_mix((uint64_t)n << 32 | b, kernel);

	for (uint32_t id = first(p->object_ix, h); id != HD_MAP_NONE; id = p->object_ix->next[id]) {
		const struct hd_object *o = &p->objects[id];

		if (o->name == n && o->build_id == b && o->kernel == kernel)
			return id;
	}
	HD_GROW(p->objects, p->nobjects + 1, p->objects_cap);
	p->objects[p->nobjects] = (struct hd_object){ .name = n, .build_id = b, .kernel = kernel };
	put(p->object_ix, h, (uint32_t)p->nobjects);
	return (uint32_t)p->nobjects++;
}

uint32_t hd_profile_add_symbol(struct hd_profile *p, const struct hd_symbol *s)
{
	/* A symbol known by name only has no address: its name is its identity. */
	bool by_name = !s->unresolved && !s->start && !s->size;
	uint64_t h = hd_mix(hd_mix(s->object, s->start), by_name ? (uint64_t)s->linkage << 1 : s->unresolved);

	for (uint32_t id = first(p->symbol_ix, h); id != HD_MAP_NONE; id = p->symbol_ix->next[id]) {
		const struct hd_symbol *o = &p->symbols[id];

		if (o->object == s->object && o->start == s->start && o->unresolved == s->unresolved &&
		    (!by_name || (o->linkage == s->linkage && !o->size && o->kernel == s->kernel)))
			return id;
	}
	HD_GROW(p->symbols, p->nsymbols + 1, p->symbols_cap);
	p->symbols[p->nsymbols] = *s;
	put(p->symbol_ix, h, (uint32_t)p->nsymbols);
	return (uint32_t)p->nsymbols++;
}

uint32_t hd_profile_add_named_symbol(struct hd_profile *p, uint32_t object, const char *name, bool kernel)
{
	uint32_t n = hd_profile_name(p, name);
	struct hd_symbol s = { .object = object, .linkage = n, .name = n, .full = n, .kernel = kernel };

	return hd_profile_add_symbol(p, &s);
}

hd_frame_id hd_profile_add_frame(struct hd_profile *p, const struct hd_frame *f)
{
	uint64_t h = hd_mix(hd_mix((uint64_t)f->symbol << 1 | f->inlined, f->vaddr), (uint64_t)f->file << 32 | f->line);

	for (uint32_t id = first(p->frame_ix, h); id != HD_MAP_NONE; id = p->frame_ix->next[id]) {
		const struct hd_frame *o = &p->frames[id];

		if (o->symbol == f->symbol && o->vaddr == f->vaddr && o->inlined == f->inlined &&
		    o->file == f->file && o->line == f->line)
			return (hd_frame_id){ id };
	}
	HD_GROW(p->frames, p->nframes + 1, p->frames_cap);
	p->frames[p->nframes] = *f;
	put(p->frame_ix, h, (uint32_t)p->nframes);
	return (hd_frame_id){ (uint32_t)p->nframes++ };
}

uint32_t hd_profile_add_event(struct hd_profile *p, const char *name, const char *unit)
{
	uint32_t n = hd_profile_name(p, name), id = hd_map_get(&p->event_ix, n);

	if (id != HD_MAP_NONE)
		return id;
	HD_GROW(p->events, p->nevents + 1, p->events_cap);
	p->events[p->nevents] = (struct hd_event){ .name = n, .unit = hd_profile_name(p, unit) };
	hd_map_put(&p->event_ix, n, (uint32_t)p->nevents);
	return (uint32_t)p->nevents++;
}

void hd_profile_add_sample(struct hd_profile *p, const struct hd_sample_row *row)
{
	struct hd_event *e;
	size_t n = p->rows.n;

	assert(row->event < p->nevents);
	e = &p->events[row->event];
	e->samples += row->count;
	e->weight += row->weight;
	hd_rows_add(&p->rows, row);
	if (p->rows.n == n)
		return;
	p->rows.items[n].next = 0;
	if (e->last_row)
		p->rows.items[e->last_row - 1].next = (uint32_t)n + 1;
	else
		e->first_row = (uint32_t)n + 1;
	e->last_row = (uint32_t)n + 1;
	e->nrows++;
}

void hd_profile_drop(struct hd_profile *p, const char *reason, uint64_t count)
{
	for (size_t i = 0; i < p->ndropped; i++) {
		if (!strcmp(p->dropped[i].reason, reason)) {
			p->dropped[i].count += count;
			return;
		}
	}
	HD_GROW(p->dropped, p->ndropped + 1, p->dropped_cap);
	p->dropped[p->ndropped++] = (struct hd_dropped){ reason, count };
}

const char *hd_profile_frame_name(const struct hd_profile *p, hd_frame_id f, bool *unknown)
{
	const struct hd_symbol *s = &p->symbols[p->frames[f.v].symbol];

	*unknown = s->unresolved;
	return s->unresolved ? HD_UNKNOWN : hd_profile_str(p, s->name);
}
