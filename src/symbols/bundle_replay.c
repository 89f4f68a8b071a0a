/*
 * bundle_replay.c - see bundle_replay.h
 */
#include "symbols/bundle_replay.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/map.h"
#include "base/mem.h"
#include "elf/code_excerpt.h"
#include "elf/elf_file.h"
#include "symbols/key.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* A table: n rows of `width` bytes. */
struct rows {
	const uint8_t *p;
	uint32_t n, width;
};

struct hd_bundle_replay_object {
	const struct hd_bundle_replay *g;
	struct hd_bundle_replay_object *next;	/* of the same hash */
	struct hd_symbols_key key;
	uint8_t id[HD_ELF_BUILD_ID];
	uint8_t quality;
	uint32_t source, problem, build_id, code, machine;
	struct rows warnings, symbols, addresses, places, lists, hits;
};

struct hd_bundle_replay {
	struct hd_buf bytes;
	const char *strings;
	uint32_t nstrings;
	struct hd_bundle_replay_object *objects;
	size_t n;
	struct hd_map by_hash;		/* of a key -> the newest object */
	struct hd_bundle_replay_code code;
};

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return le32toh(v);
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return le64toh(v);
}

static const char *string(const struct hd_bundle_replay *g, uint32_t off)
{
	return off && off < g->nstrings ? g->strings + off : NULL;
}

/* ---- reading ---- */

/* From all first bytes of the rows, then all second ones, ..., to rows. */
static void join_planes(uint8_t *p, size_t n, size_t width)
{
	uint8_t *planes = hd_alloc(n * width);

	memcpy(planes, p, n * width);
	for (size_t k = 0; k < width; k++)
		for (size_t i = 0; i < n; i++)
			p[i * width + k] = planes[k * n + i];
	free(planes);
}

/* b is over bytes of ours. */
static bool take_rows(struct hd_bytes *b, struct rows *r, uint32_t n, uint32_t width)
{
	*r = (struct rows){ hd_bytes_skip(b, (size_t)n * width), n, width };
	if (!b->bad && n)
		join_planes((uint8_t *)r->p, n, width);
	return !b->bad;
}

/* Hexadecimal text to bytes; false when it is none. */
static bool unhex(const char *text, uint8_t *id, uint8_t *n)
{
	size_t len = text ? strlen(text) : 0;

	*n = 0;
	if (len % 2 || len > 2 * HD_ELF_BUILD_ID)
		return false;
	for (size_t i = 0; i < len; i++) {
		const char *digits = "0123456789abcdef", *at = strchr(digits, text[i]);

		if (!at)
			return false;
		id[i / 2] = (uint8_t)(i % 2 ? id[i / 2] << 4 | (at - digits) : at - digits);
	}
	*n = (uint8_t)(len / 2);
	return true;
}

static bool read_object(const struct hd_bundle_replay *g, struct hd_bundle_replay_object *o, struct hd_bytes b)
{
	uint32_t path, id, flags, n[6];

	o->g = g;
	o->key.kind = hd_bytes_u8(&b);
	o->quality = hd_bytes_u8(&b);
	flags = hd_bytes_u16(&b);
	o->key.guest = flags & HD_REPLAY_GUEST;
	o->key.foreign_pid = flags & HD_REPLAY_FOREIGN_PID;
	*(o->key.kind == HD_SYM_FILE ? &o->key.ino : &o->key.kernel_start) = hd_bytes_u64(&b);
	*(o->key.kind == HD_SYM_FILE ? &o->key.generation : &o->key.kernel_pgoff) = hd_bytes_u64(&b);
	o->key.pid = (int32_t)hd_bytes_u32(&b);
	path = hd_bytes_u32(&b);
	id = hd_bytes_u32(&b);
	o->source = hd_bytes_u32(&b);
	o->problem = hd_bytes_u32(&b);
	o->build_id = hd_bytes_u32(&b);
	o->code = hd_bytes_u32(&b);
	for (size_t i = 0; i < HD_COUNT(n); i++)
		n[i] = hd_bytes_u32(&b);
	o->machine = hd_bytes_u32(&b);
	o->key.mnt_ns = hd_bytes_u64(&b);
	o->key.path = string(g, path);
	o->key.build_id = o->id;
	return !b.bad && o->key.kind <= HD_SYM_JIT && o->quality <= HD_SYMQ_DEBUGINFO && o->key.path &&
		unhex(string(g, id), o->id, &o->key.build_id_len) &&
		take_rows(&b, &o->warnings, n[0], HD_REPLAY_WARNING_BYTES) &&
		take_rows(&b, &o->symbols, n[1], HD_REPLAY_SYMBOL_BYTES) &&
		take_rows(&b, &o->addresses, n[2], HD_REPLAY_ADDRESS_BYTES) &&
		take_rows(&b, &o->places, n[3], HD_REPLAY_PLACE_BYTES) &&
		take_rows(&b, &o->lists, n[4], HD_REPLAY_LIST_BYTES) &&
		take_rows(&b, &o->hits, n[5], HD_REPLAY_HIT_BYTES);
}

/* Of two objects with one key the first counts. */
static void enter(struct hd_bundle_replay *g, size_t i)
{
	struct hd_bundle_replay_object *o = &g->objects[i];
	uint64_t h = hd_symbols_key_hash(&o->key);
	uint32_t first = hd_map_get(&g->by_hash, h);

	if (first == HD_MAP_NONE) {
		hd_map_put(&g->by_hash, h, (uint32_t)i);
		return;
	}
	for (o = &g->objects[first]; !hd_symbols_key_equal(&o->key, &g->objects[i].key); o = o->next) {
		if (!o->next) {
			o->next = &g->objects[i];
			return;
		}
	}
}

struct hd_bundle_replay *hd_bundle_replay_new(struct hd_buf *bytes, const struct hd_bundle_replay_code *code,
	uint64_t *lost)
{
	struct hd_bundle_replay *g = hd_new(struct hd_bundle_replay);
	struct hd_bytes b;
	uint64_t told;

	g->bytes = *bytes;
	*bytes = (struct hd_buf){ 0 };
	g->code = *code;
	b = hd_bytes_over(hd_buf_str(&g->bytes), g->bytes.len, BYTE_ORDER != LITTLE_ENDIAN);
	told = hd_bytes_u32(&b);
	g->nstrings = hd_bytes_u32(&b);
	g->strings = hd_bytes_skip(&b, g->nstrings);
	/* The last string has an end. */
	if (!g->strings || (g->nstrings && g->strings[g->nstrings - 1]))
		g->nstrings = 0;
	g->objects = hd_new_array(struct hd_bundle_replay_object,
		told < hd_bytes_left(&b) / HD_REPLAY_HEAD_BYTES ? told : hd_bytes_left(&b) / HD_REPLAY_HEAD_BYTES);
	while (g->n < told) {
		uint32_t n = hd_bytes_u32(&b);
		const void *p = n >= HD_REPLAY_HEAD_BYTES ? hd_bytes_skip(&b, n - 4) : NULL;

		if (!p || !read_object(g, &g->objects[g->n], hd_bytes_over(p, n - 4, b.swap)))
			break;
		enter(g, g->n++);
	}
	*lost = told - g->n;
	return g;
}

void hd_bundle_replay_free(struct hd_bundle_replay *g)
{
	if (!g)
		return;
	hd_map_release(&g->by_hash);
	free(g->objects);
	hd_buf_release(&g->bytes);
	free(g);
}

size_t hd_bundle_replay_count(const struct hd_bundle_replay *g)
{
	return g->n;
}

/* ---- answers ---- */

const struct hd_bundle_replay_object *hd_bundle_replay_find(const struct hd_bundle_replay *g,
	const struct hd_symbols_key *key)
{
	uint32_t first = hd_map_get(&g->by_hash, hd_symbols_key_hash(key));
	const struct hd_bundle_replay_object *o = first == HD_MAP_NONE ? NULL : &g->objects[first];

	while (o && !hd_symbols_key_equal(&o->key, key))
		o = o->next;
	return o;
}

enum hd_symbols_quality hd_bundle_replay_quality(const struct hd_bundle_replay_object *o)
{
	return (enum hd_symbols_quality)o->quality;
}

const char *hd_bundle_replay_source(const struct hd_bundle_replay_object *o)
{
	return string(o->g, o->source);
}

const char *hd_bundle_replay_problem(const struct hd_bundle_replay_object *o)
{
	return string(o->g, o->problem);
}

const char *hd_bundle_replay_build_id(const struct hd_bundle_replay_object *o)
{
	return string(o->g, o->build_id);
}

unsigned hd_bundle_replay_machine(const struct hd_bundle_replay_object *o)
{
	return o->machine;
}

void hd_bundle_replay_warn(const struct hd_bundle_replay_object *o, enum hd_lookup_stage when, struct hd_log *log)
{
	for (uint32_t i = 0; i < o->warnings.n; i++) {
		const uint8_t *p = o->warnings.p + (size_t)i * HD_REPLAY_WARNING_BYTES;
		const char *code = string(o->g, get32(p + 12)), *text = string(o->g, get32(p + 16)),
			   *fix = string(o->g, get32(p + 20));

		/* A bundle cannot speak for the reader. */
		if (get32(p + 8) == when && code && text && !strncmp(code, "symbols.", 8))
			hd_warn_n(log, code, get64(p), fix ? fix : "", "%s", text);
	}
}

/* The row of a table by its first word, or NULL. */
static const uint8_t *row_of(const struct rows *r, uint64_t key)
{
	uint32_t lo = 0, hi = r->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t at = get64(r->p + (size_t)mid * r->width);

		if (at == key)
			return r->p + (size_t)mid * r->width;
		if (at < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Row n - 1, or NULL. */
static const uint8_t *row_at(const struct rows *r, uint32_t n)
{
	return n && n <= r->n ? r->p + (size_t)(n - 1) * r->width : NULL;
}

void hd_bundle_replay_lookup(const struct hd_bundle_replay_object *o, uint64_t asked, struct hd_symbol_hit *hit)
{
	const uint8_t *row = row_of(&o->addresses, asked), *symbol;

	if (!row)
		return;
	hit->vaddr = get64(row + 8);
	symbol = row_at(&o->symbols, get32(row + 16));
	if (!symbol)
		return;
	hit->start = get64(symbol);
	hit->size = get64(symbol + 8);
	hit->linkage = string(o->g, get32(symbol + 16));
}

void hd_bundle_replay_line(const struct hd_bundle_replay_object *o, uint64_t vaddr, struct hd_line_hit *hit)
{
	const uint8_t *row = row_of(&o->places, vaddr);

	if (!row)
		return;
	hit->file = string(o->g, get32(row + 8));
	hit->line = get32(row + 12);
}

uint32_t hd_bundle_replay_inline_instance(const struct hd_bundle_replay_object *o, uint64_t vaddr)
{
	const uint8_t *row = row_of(&o->places, vaddr);

	return row ? get32(row + 16) : 0;
}

size_t hd_bundle_replay_inlines(const struct hd_bundle_replay_object *o, uint64_t vaddr, struct hd_inline_hit *hits,
	size_t max)
{
	const uint8_t *list = row_at(&o->lists, hd_bundle_replay_inline_instance(o, vaddr));
	uint32_t first = list ? get32(list) : 0, told = list ? get32(list + 4) : 0;
	size_t n = 0;

	for (uint32_t i = 0; i < told && n < max && i < HD_INLINE_MAX; i++) {
		const uint8_t *p = first + (uint64_t)i < o->hits.n ? row_at(&o->hits, first + i + 1) : NULL;
		const char *name = p ? string(o->g, get32(p + 8)) : NULL;

		if (!name)
			break;
		hits[n++] = (struct hd_inline_hit){
			.low = get64(p), .linkage = name, .call_file = string(o->g, get32(p + 12)),
			.call_line = get32(p + 16), .mangled = get32(p + 20) & 1,
		};
	}
	return n;
}

int hd_bundle_replay_open_code(const struct hd_bundle_replay *g, const struct hd_symbols_key *key, struct hd_err *err)
{
	const struct hd_bundle_replay_object *o = hd_bundle_replay_find(g, key);
	struct hd_buf bytes = { 0 };
	int rc;

	if (!o || !o->code || !g->code.load)
		return hd_fail(err, HD_EFORMAT, "%s: the bundle has no code of it", key->path);
	rc = g->code.load(g->code.ctx, o->code - 1, &bytes, err);
	if (rc >= 0)
		rc = hd_code_excerpt_open(hd_buf_str(&bytes), bytes.len, err);
	hd_buf_release(&bytes);
	return rc;
}
