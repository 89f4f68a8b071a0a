/*
 * record.c - see record.h; record_write.c writes the results
 */
#include "bundle/record.h"

#include "base/hash.h"
#include "base/mem.h"
#include "bundle/record_rows.h"
#include "elf/code_excerpt.h"

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
	free(o->id.path);
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
		if (r->objects[i]->looked_up)
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

/* Find the object or add it.  The caller holds the lock. */
static struct hd_bundle_record_object *find_object(struct hd_bundle_record *r, const struct hd_symbols_key *key)
{
	uint64_t h = hd_symbols_key_hash(key);
	uint32_t newest = hd_map_get(&r->by_hash, h);
	struct hd_bundle_record_object *o = newest == HD_MAP_NONE ? NULL : r->objects[newest];

	while (o && !hd_symbols_key_equal(&o->id.key, key))
		o = o->next;
	if (o)
		return o;
	o = hd_new(struct hd_bundle_record_object);
	o->r = r;
	o->next = newest == HD_MAP_NONE ? NULL : r->objects[newest];
	hd_symbols_key_copy(&o->id, key);
	HD_GROW(r->objects, r->n + 1, r->cap);
	r->objects[r->n] = o;
	hd_map_put(&r->by_hash, h, (uint32_t)r->n++);
	return o;
}

static struct hd_bundle_record_object *add_object(struct hd_bundle_record *r, const struct hd_symbols_key *key)
{
	struct hd_bundle_record_object *o;

	pthread_mutex_lock(&r->lock);
	o = find_object(r, key);
	pthread_mutex_unlock(&r->lock);
	return o;
}

/* Return the id of an optional string in the string table; 0 for NULL and "". */
static uint32_t text(const struct hd_bundle_record_object *o, const char *s)
{
	return s && *s ? hd_strtab_add(o->r->strings, s) : 0;
}

static void set_info(struct hd_bundle_record_object *o, const struct hd_symbol_info *info)
{
	o->looked_up = true;
	o->quality = info->quality;
	o->origin = text(o, info->origin);
	o->problem = text(o, info->problem);
	o->build_id = text(o, info->build_id);
	o->machine = info->machine;
	/* if the recording is read again, all warnings are logged again, so discard those of the first reading */
	o->nwarnings = 0;
}

static void add_warnings(struct hd_bundle_record_object *o, enum hd_lookup_stage stage, const struct hd_log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		const struct hd_warning *w = &log->items[i];
		/*
		 * A lookup of inlined functions reads the line table only to find the source files of their calls.  So
		 * a replay logs a warning about the line table only when these source files are looked up
		 * (HD_LOOKUP_CALLS).
		 */
		enum hd_lookup_stage at = stage == HD_LOOKUP_INLINES && !strcmp(w->code, "symbols.lines-damaged")
			? HD_LOOKUP_CALLS
			: stage;

		HD_GROW(o->warnings, o->nwarnings + 1, o->warnings_cap);
		o->warnings[o->nwarnings++] = (struct hd_replay_warning){ w->count, at, text(o, w->code),
			text(o, w->text), text(o, w->fix) };
	}
}

/* Store the code of the open file `fd`, which remains open, unless it is stored already or cannot be read. */
static void add_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, int fd)
{
	struct hd_bundle_record_object *o;
	struct hd_buf bytes = { 0 };

	if (hd_code_excerpt_read(fd, &bytes, NULL) < 0) {
		hd_buf_release(&bytes);
		return;
	}
	pthread_mutex_lock(&r->lock);
	o = find_object(r, key);
	if (!o->code) {
		HD_GROW(r->codes, r->ncodes + 1, r->codes_cap);
		r->codes[r->ncodes++] = bytes;
		o->code = (uint32_t)r->ncodes;
	} else {
		hd_buf_release(&bytes);
	}
	pthread_mutex_unlock(&r->lock);
}

void hd_bundle_record_limit_code(struct hd_bundle_record *r, const struct hd_symbols_key *key, const uint32_t *used,
	size_t n)
{
	struct hd_bundle_record_object *o = add_object(r, key);

	o->all_functions |= !n;
	HD_GROW(o->functions, o->nfunctions + n, o->functions_cap);
	if (n)
		memcpy(o->functions + o->nfunctions, used, n * sizeof(*used));
	o->nfunctions += n;
}

/* ---- results ---- */

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

/* Make room for one more row.  Duplicates are removed before the array grows. */
#define ROOM(rows, n, cap) do {							\
	if ((n) == (cap)) {							\
		(n) = hd_bundle_record_sort((rows), (n), sizeof(*(rows)));		\
		if (2 * (n) >= (cap))						\
			HD_GROW((rows), (cap) + 1, (cap));			\
	}									\
} while (0)

static void add_lookup(struct hd_bundle_record_object *o, uint64_t foff, const struct hd_symbol_hit *hit)
{
	ROOM(o->addresses, o->naddresses, o->addresses_cap);
	o->addresses[o->naddresses++] = (struct hd_record_address){
		.foff = foff, .vaddr = hit->vaddr, .start = hit->start, .size = hit->size,
		.name = hit->linkage ? hd_strtab_add(o->r->strings, hit->linkage) : 0, .named = hit->linkage != NULL,
	};
}

static void add_line(struct hd_bundle_record_object *o, uint64_t vaddr, const struct hd_line_hit *hit)
{
	if (!hit->file)
		return;
	ROOM(o->lines, o->nlines, o->lines_cap);
	o->lines[o->nlines++] = (struct hd_record_line){ vaddr, text(o, hit->file), hit->line };
}

/*
 * The functions inlined at one address are o->hits[first] and those after it.  Store them as a list and return its
 * index in o->lists.  If an equal list exists already, remove these functions from o->hits and return the index of the
 * existing list.
 */
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
	o->lists[o->nlists] = (struct hd_replay_list){ first, n };
	hd_map_put(&o->lists_by_hash, h, (uint32_t)o->nlists);
	return (uint32_t)o->nlists++;
}

static void add_inlines(struct hd_bundle_record_object *o, uint64_t vaddr, const struct hd_inline_hit *hits, size_t n)
{
	uint32_t first = (uint32_t)o->nhits;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		HD_GROW(o->hits, o->nhits + 1, o->hits_cap);
		o->hits[o->nhits++] = (struct hd_replay_hit){
			.low = hits[i].low, .name = hd_strtab_add(o->r->strings, hits[i].linkage),
			.call_file = text(o, hits[i].call_file), .call_line = hits[i].call_line,
			.mangled = hits[i].mangled,
		};
	}
	ROOM(o->inlined, o->ninlined, o->inlined_cap);
	o->inlined[o->ninlined++] = (struct hd_record_inlined){ vaddr, list_of(o, first) };
}

/* ---- the symbol source ---- */

struct source {
	struct hd_bundle_record *r;
	struct hd_symbol_source inner;
	struct hd_log captured;		/* `inner` logs here; store_warnings() empties it */
	struct hd_log *log;
};

struct object {
	struct source *src;
	void *inner;
	struct hd_bundle_record_object *rec;
};

/* Forward the captured warnings to the log and store them in `rec`.  If `rec` is NULL, only forward them. */
static void store_warnings(struct source *src, struct hd_bundle_record_object *rec, enum hd_lookup_stage stage)
{
	if (rec)
		add_warnings(rec, stage, &src->captured);
	hd_log_add(src->log, &src->captured);
	hd_log_release(&src->captured);
}

static void *new_object(void *ctx, const struct hd_symbols_key *key, struct hd_symbol_info *info)
{
	struct source *src = ctx;
	struct object *o = hd_new(struct object);

	o->src = src;
	o->rec = add_object(src->r, key);
	o->inner = src->inner.ops->object(src->inner.ctx, key, info);
	set_info(o->rec, info);
	store_warnings(src, o->rec, HD_LOOKUP_LOAD);
	return o;
}

static void free_source_object(void *obj)
{
	struct object *o = obj;

	o->src->inner.ops->free_object(o->inner);
	free(o);
}

static void lookup(void *obj, uint64_t foff, struct hd_symbol_hit *hit)
{
	struct object *o = obj;

	o->src->inner.ops->lookup(o->inner, foff, hit);
	add_lookup(o->rec, foff, hit);
}

static void open_debug(void *obj)
{
	struct object *o = obj;

	o->src->inner.ops->open_debug(o->inner);
	store_warnings(o->src, o->rec, HD_LOOKUP_DWARF);
}

static void line(void *obj, uint64_t vaddr, struct hd_line_hit *hit)
{
	struct object *o = obj;

	open_debug(o);
	o->src->inner.ops->line(o->inner, vaddr, hit);
	store_warnings(o->src, o->rec, HD_LOOKUP_LINES);
	add_line(o->rec, vaddr, hit);
}

/* The result is not stored: a replay returns the index of the stored list of inlined functions instead. */
static uint32_t inline_instance(void *obj, uint64_t vaddr)
{
	struct object *o = obj;
	uint32_t instance;

	open_debug(o);
	instance = o->src->inner.ops->inline_instance(o->inner, vaddr);
	store_warnings(o->src, NULL, HD_LOOKUP_INLINES);
	return instance;
}

static size_t inlines(void *obj, uint64_t vaddr, struct hd_inline_hit *hits, size_t max)
{
	struct object *o = obj;
	size_t n;

	open_debug(o);
	n = o->src->inner.ops->inlines(o->inner, vaddr, hits, max);
	store_warnings(o->src, o->rec, HD_LOOKUP_INLINES);
	add_inlines(o->rec, vaddr, hits, n);
	return n;
}

static int open_code(void *ctx, const struct hd_symbols_key *key, struct hd_err *err)
{
	struct source *src = ctx;
	int fd = src->inner.ops->open_code(src->inner.ctx, key, err);

	if (fd >= 0)
		add_code(src->r, key, fd);
	return fd;
}

static bool was_replaced(void *ctx, const struct hd_symbols_key *key)
{
	const struct source *src = ctx;

	return src->inner.ops->was_replaced(src->inner.ctx, key);
}

static void free_source(void *ctx)
{
	struct source *src = ctx;

	src->inner.ops->free(src->inner.ctx);
	store_warnings(src, NULL, HD_LOOKUP_LOAD);
	free(src);
}

struct hd_symbol_source hd_bundle_record_source(struct hd_bundle_record *r, const struct hd_symbols_opts *opts,
	struct hd_log *log)
{
	static const struct hd_symbol_source_ops ops = {
		.object = new_object, .free_object = free_source_object, .lookup = lookup, .open_debug = open_debug,
		.line = line, .inline_instance = inline_instance, .inlines = inlines,
		.open_code = open_code, .was_replaced = was_replaced, .free = free_source,
	};
	struct source *src = hd_new(struct source);

	src->r = r;
	src->log = log;
	src->inner = hd_local_source_new(opts, &src->captured);
	return (struct hd_symbol_source){ &ops, src };
}
