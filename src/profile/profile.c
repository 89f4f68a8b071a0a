/*
 * profile.c - see profile.h
 */
#include "profile/profile.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/mem.h"
#include "profile/gpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct hd_profile *hd_profile_new(void)
{
	struct hd_profile *p = hd_new(struct hd_profile);

	p->names = hd_strtab_new();
	p->stacks = hd_stacks_new();

	/* Id 0 of each table is "unknown". */
	HD_GROW(p->objects, 1, p->objects_cap);
	p->objects[p->nobjects++] = (struct hd_object){ .name = hd_strtab_add(p->names, HD_UNKNOWN), .unknown = true };
	HD_GROW(p->symbols, 1, p->symbols_cap);
	p->symbols[p->nsymbols++] = (struct hd_profile_symbol){ .unresolved = true };
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
	hd_index_release(&p->object_ix);
	hd_index_release(&p->symbol_ix);
	hd_index_release(&p->frame_ix);
	hd_map_release(&p->event_ix);
	free(p->objects);
	free(p->symbols);
	free(p->frames);
	free(p->events);
	hd_sample_rows_release(&p->rows);
	hd_tuples_release(&p->tuples);
	for (size_t i = 0; i < p->nfields; i++)
		free(p->fields[i]);
	free(p->fields);
	free(p->moves);
	hd_timed_samples_free(p->timed);
	hd_gpu_free(p->gpu);
	free(p->dropped);
	hd_recording_release(&p->recording);
	hd_log_release(&p->log);
	free(p);
}

/*
 * Estimates of the memory of n items.  Arrays grow by half, so up to half of the items is reserved in addition.  An
 * index has 1.5 to 3 slots per item; 2 are assumed.
 */
#define RESERVED(n, item)	((uint64_t)(n) * (sizeof(item) + sizeof(item) / 2))
#define INDEXED(n, item)	(RESERVED(n, item) + (uint64_t)(n) * 2 * sizeof(struct hd_index_slot))

uint64_t hd_profile_bytes(const struct hd_profile *p)
{
	return hd_strtab_bytes(p->names) + INDEXED(p->nobjects, *p->objects) + INDEXED(p->nsymbols, *p->symbols) +
	       INDEXED(p->nframes, *p->frames) + INDEXED(p->rows.n, *p->rows.items) +
	       hd_stacks_count(p->stacks) * HD_STACK_BYTES + RESERVED(p->nmoves, *p->moves) +
	       (p->timed ? RESERVED(p->timed->n, *p->timed->items) : 0);
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
	uint32_t h = (uint32_t)hd_mix((uint64_t)n << 32 | b, kernel), id;
	size_t at;

	for (id = hd_index_first(&p->object_ix, h, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&p->object_ix, h, &at)) {
		const struct hd_object *o = &p->objects[id];

		if (o->name == n && o->build_id == b && o->kernel == kernel)
			return id;
	}
	HD_GROW(p->objects, p->nobjects + 1, p->objects_cap);
	p->objects[p->nobjects] = (struct hd_object){ .name = n, .build_id = b, .kernel = kernel };
	hd_index_add(&p->object_ix, h, (uint32_t)p->nobjects);
	return (uint32_t)p->nobjects++;
}

/* Return true if only the name of a symbol is known.  Without an address, the name is the key. */
static bool is_named_only(const struct hd_profile_symbol *s)
{
	return !s->unresolved && !s->start && !s->size;
}

uint32_t hd_profile_add_symbol(struct hd_profile *p, const struct hd_profile_symbol *s)
{
	bool by_name = is_named_only(s);
	uint32_t h = (uint32_t)hd_mix(hd_mix(s->object, s->start), by_name ? (uint64_t)s->linkage << 1 : s->unresolved),
		 id;
	size_t at;

	for (id = hd_index_first(&p->symbol_ix, h, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&p->symbol_ix, h, &at)) {
		const struct hd_profile_symbol *o = &p->symbols[id];

		if (o->object == s->object && o->start == s->start && o->unresolved == s->unresolved &&
			is_named_only(o) == by_name &&
			(!by_name || (o->linkage == s->linkage && o->kernel == s->kernel)))
			return id;
	}
	HD_GROW(p->symbols, p->nsymbols + 1, p->symbols_cap);
	p->symbols[p->nsymbols] = *s;
	hd_index_add(&p->symbol_ix, h, (uint32_t)p->nsymbols);
	return (uint32_t)p->nsymbols++;
}

uint32_t hd_profile_add_named_symbol(struct hd_profile *p, uint32_t object, const char *name, bool kernel)
{
	uint32_t n = hd_profile_name(p, name);
	struct hd_profile_symbol s = { .object = object, .linkage = n, .name = n, .full = n, .kernel = kernel };

	return hd_profile_add_symbol(p, &s);
}

hd_frame_id hd_profile_add_frame(struct hd_profile *p, const struct hd_frame *f)
{
	uint32_t h = (uint32_t)hd_mix(hd_mix((uint64_t)f->symbol << 1 | f->inlined, f->vaddr),
			 (uint64_t)f->file << 32 | f->line),
		 id;
	size_t at;

	for (id = hd_index_first(&p->frame_ix, h, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&p->frame_ix, h, &at)) {
		const struct hd_frame *o = &p->frames[id];

		if (o->symbol == f->symbol && o->vaddr == f->vaddr && o->inlined == f->inlined &&
		    o->file == f->file && o->line == f->line)
			return (hd_frame_id){ id };
	}
	HD_GROW(p->frames, p->nframes + 1, p->frames_cap);
	p->frames[p->nframes] = *f;
	hd_index_add(&p->frame_ix, h, (uint32_t)p->nframes);
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

uint32_t hd_profile_add_sample(struct hd_profile *p, const struct hd_sample_row *row)
{
	struct hd_event *e;
	size_t n = p->rows.n;
	uint32_t id;

	assert(row->event < p->nevents);
	e = &p->events[row->event];
	e->samples += row->count;
	e->weight += row->weight;
	e->var += row->var;
	id = hd_sample_rows_add(&p->rows, row);
	if (p->rows.n == n)
		return id;
	p->rows.items[n].next = 0;
	if (e->last_row)
		p->rows.items[e->last_row - 1].next = (uint32_t)n + 1;
	else
		e->first_row = (uint32_t)n + 1;
	e->last_row = (uint32_t)n + 1;
	e->nrows++;
	return id;
}

bool hd_profile_add_bounded(struct hd_profile *p, const struct hd_sample_row *row, const char *path)
{
	uint64_t sum;

	if (__builtin_add_overflow(p->events[row->event].weight, row->weight, &sum)) {
		hd_profile_drop(p, "lost.weight", 1);
		hd_warn(&p->log, "lost.weight", "",
			"%s: the sum of the weights exceeds 64 bits; one of %llu was dropped", path,
			(unsigned long long)row->weight);
		return false;
	}
	hd_profile_add_sample(p, row);
	return true;
}

void hd_profile_keep_fields(struct hd_profile *p, const char *const *names, size_t n)
{
	assert(!p->nfields);
	p->fields = hd_new_array(char *, n);
	for (; p->nfields < n; p->nfields++)
		p->fields[p->nfields] = hd_strdup(names[p->nfields]);
	p->tuples.width = n;
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

uint64_t hd_profile_dropped(const struct hd_profile *p, const char *reason)
{
	for (size_t i = 0; i < p->ndropped; i++)
		if (!strcmp(p->dropped[i].reason, reason))
			return p->dropped[i].count;
	return 0;
}

const char *hd_profile_frame_name(const struct hd_profile *p, hd_frame_id f, bool *unknown)
{
	const struct hd_profile_symbol *s = &p->symbols[p->frames[f.v].symbol];

	*unknown = s->unresolved;
	return s->unresolved ? HD_UNKNOWN : hd_profile_str(p, s->name);
}
