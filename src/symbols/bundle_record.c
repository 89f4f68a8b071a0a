/*
 * bundle_record.c - see bundle_record.h; what was answered.  bundle_record_write.c writes it
 */
#include "symbols/bundle_record_rows.h"

#include "base/hash.h"
#include "base/mem.h"
#include "elf/code_excerpt.h"
#include "symbols/key.h"
#include "symbols/object.h"

#include <stdlib.h>
#include <string.h>

struct hd_bundle_record *hd_bundle_record_new(void)
{
	struct hd_bundle_record *r = hd_new(struct hd_bundle_record);

	r->strings = hd_strtab_new();
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static void free_object(struct hd_bundle_record_object *o)
{
	hd_map_release(&o->lists_by_hash);
	free(o->path);
	free(o->functions);
	free(o->warnings);
	free(o->addresses);
	free(o->lines);
	free(o->inlined);
	free(o->lists);
	free(o->hits);
	free(o);
}

void hd_bundle_record_free(struct hd_bundle_record *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		free_object(r->objects[i]);
	for (size_t i = 0; i < r->ncodes; i++)
		hd_buf_release(&r->codes[i]);
	hd_map_release(&r->by_hash);
	hd_strtab_free(r->strings);
	pthread_mutex_destroy(&r->lock);
	free(r->objects);
	free(r->codes);
	free(r);
}

void hd_bundle_record_count(const struct hd_bundle_record *r, size_t *with, size_t *without)
{
	*with = *without = 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->objects[i]->asked)
			++*(r->objects[i]->quality == HD_SYMQ_NONE ? without : with);
}

bool hd_bundle_record_code(const struct hd_bundle_record *r, size_t i, const struct hd_buf **bytes)
{
	if (i >= r->ncodes)
		return false;
	*bytes = &r->codes[i];
	return true;
}

/* ---- objects ---- */

static struct hd_bundle_record_object *object_of(struct hd_bundle_record *r, const struct hd_symbols_key *key)
{
	uint64_t h = hd_symbols_key_hash(key);
	uint32_t newest = hd_map_get(&r->by_hash, h);
	struct hd_bundle_record_object *o = newest == HD_MAP_NONE ? NULL : r->objects[newest];

	while (o && !hd_symbols_key_equal(&o->key, key))
		o = o->next;
	if (o)
		return o;
	o = hd_new(struct hd_bundle_record_object);
	o->r = r;
	o->next = newest == HD_MAP_NONE ? NULL : r->objects[newest];
	o->key = *key;
	o->key.path = o->path = hd_strdup(key->path);
	memcpy(o->id, key->build_id, key->build_id_len);
	o->key.build_id = o->id;
	HD_GROW(r->objects, r->n + 1, r->cap);
	r->objects[r->n] = o;
	hd_map_put(&r->by_hash, h, (uint32_t)r->n++);
	return o;
}

struct hd_bundle_record_object *hd_bundle_record_add_object(struct hd_bundle_record *r,
	const struct hd_symbols_key *key)
{
	struct hd_bundle_record_object *o;

	pthread_mutex_lock(&r->lock);
	o = object_of(r, key);
	pthread_mutex_unlock(&r->lock);
	return o;
}

/* An optional text: 0 for NULL. */
static uint32_t text(const struct hd_bundle_record_object *o, const char *s)
{
	return s && *s ? hd_strtab_add(o->r->strings, s) : 0;
}

void hd_bundle_record_set_quality(struct hd_bundle_record_object *o, const struct hd_symobj *so)
{
	o->asked = true;
	o->quality = hd_object_quality(so);
	o->source = text(o, hd_object_source(so));
	o->problem = text(o, hd_object_problem(so));
	o->build_id = text(o, hd_object_build_id(so));
	o->machine = so->machine;
	o->nwarnings = 0;	/* of an earlier run */
}

void hd_bundle_record_add_warnings(struct hd_bundle_record_object *o, enum hd_lookup_stage when,
	const struct hd_log *said)
{
	for (size_t i = 0; i < said->n; i++) {
		const struct hd_warning *w = &said->items[i];
		enum hd_lookup_stage at = when == HD_LOOKUP_INLINES && !strcmp(w->code, "symbols.lines-damaged")
			? HD_LOOKUP_CALLS
			: when;

		HD_GROW(o->warnings, o->nwarnings + 1, o->warnings_cap);
		o->warnings[o->nwarnings++] = (struct hd_bundle_warning_row){ w->count, at, text(o, w->code),
			text(o, w->text), text(o, w->fix) };
	}
}

void hd_bundle_record_add_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, int fd)
{
	struct hd_bundle_record_object *o;
	struct hd_buf bytes = { 0 };

	if (hd_code_excerpt_read(fd, &bytes, NULL) < 0) {
		hd_buf_release(&bytes);
		return;
	}
	pthread_mutex_lock(&r->lock);
	o = object_of(r, key);
	if (!o->code) {
		HD_GROW(r->codes, r->ncodes + 1, r->codes_cap);
		r->codes[r->ncodes++] = bytes;
		o->code = (uint32_t)r->ncodes;
	} else {
		hd_buf_release(&bytes);
	}
	pthread_mutex_unlock(&r->lock);
}

void hd_bundle_record_limit_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, const uint32_t *asked,
	size_t n)
{
	struct hd_bundle_record_object *o = hd_bundle_record_add_object(r, key);

	o->all_functions |= !n;
	HD_GROW(o->functions, o->nfunctions + n, o->functions_cap);
	if (n)
		memcpy(o->functions + o->nfunctions, asked, n * sizeof(*asked));
	o->nfunctions += n;
}

/* ---- answers ---- */

/* Sort n rows of a type whose first member is the uint64_t that they answer for, and keep one of each. */
static int by_key(const void *va, const void *vb)
{
	uint64_t a, b;

	memcpy(&a, va, 8);
	memcpy(&b, vb, 8);
	return (a > b) - (a < b);
}

size_t hd_bundle_record_sort(void *rows, size_t n, size_t width)
{
	char *v = rows;
	size_t kept = 0;

	if (n)
		qsort(v, n, width, by_key);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_key(v + (kept - 1) * width, v + i * width))
			memmove(v + kept++ * width, v + i * width, width);
	return kept;
}

/* Room for one more; what was asked again and again is kept once. */
#define ROOM(rows, n, cap) do {							\
	if ((n) == (cap)) {							\
		(n) = hd_bundle_record_sort((rows), (n), sizeof(*(rows)));		\
		if (2 * (n) >= (cap))						\
			HD_GROW((rows), (cap) + 1, (cap));			\
	}									\
} while (0)

void hd_bundle_record_add_lookup(struct hd_bundle_record_object *o, uint64_t asked, const struct hd_symbol_hit *hit)
{
	ROOM(o->addresses, o->naddresses, o->addresses_cap);
	o->addresses[o->naddresses++] = (struct hd_bundle_address_row){
		.asked = asked, .vaddr = hit->vaddr, .start = hit->start, .size = hit->size,
		.name = hit->linkage ? hd_strtab_add(o->r->strings, hit->linkage) : 0, .named = hit->linkage != NULL,
	};
}

void hd_bundle_record_add_line(struct hd_bundle_record_object *o, uint64_t vaddr, const struct hd_line_hit *hit)
{
	if (!hit->file)
		return;
	ROOM(o->lines, o->nlines, o->lines_cap);
	o->lines[o->nlines++] = (struct hd_bundle_line_row){ vaddr, text(o, hit->file), hit->line };
}

/* The list of the hits that were added last, from `first` on. */
static uint32_t list_of(struct hd_bundle_record_object *o, uint32_t first)
{
	uint32_t n = (uint32_t)o->nhits - first, have;
	uint64_t h = hd_hash_bytes(o->hits + first, n * sizeof(*o->hits));

	have = hd_map_get(&o->lists_by_hash, h);
	if (have != HD_MAP_NONE && o->lists[have].n == n &&
	    !memcmp(o->hits + o->lists[have].first, o->hits + first, n * sizeof(*o->hits))) {
		o->nhits = first;
		return have;
	}
	HD_GROW(o->lists, o->nlists + 1, o->lists_cap);
	o->lists[o->nlists] = (struct hd_bundle_list_row){ first, n };
	hd_map_put(&o->lists_by_hash, h, (uint32_t)o->nlists);
	return (uint32_t)o->nlists++;
}

void hd_bundle_record_add_inlines(struct hd_bundle_record_object *o, uint64_t vaddr, const struct hd_inline_hit *hits,
	size_t n)
{
	uint32_t first = (uint32_t)o->nhits;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		HD_GROW(o->hits, o->nhits + 1, o->hits_cap);
		o->hits[o->nhits++] = (struct hd_bundle_hit_row){
			.low = hits[i].low, .name = hd_strtab_add(o->r->strings, hits[i].linkage),
			.file = text(o, hits[i].call_file),
			.line = hits[i].call_line, .mangled = hits[i].mangled,
		};
	}
	ROOM(o->inlined, o->ninlined, o->inlined_cap);
	o->inlined[o->ninlined++] = (struct hd_bundle_inlined_row){ vaddr, list_of(o, first) };
}
