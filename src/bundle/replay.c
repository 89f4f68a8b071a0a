/*
 * replay.c - see replay.h
 */
#include "bundle/replay.h"

#include "base/hex.h"
#include "base/map.h"
#include "base/mem.h"
#include "bundle/replay_format.h"
#include "elf/code_excerpt.h"
#include "symbols/key.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;		/* next object with the same hash of its key */
	struct hd_symbols_key key;
	uint8_t id[HD_ELF_BUILD_ID];
	struct hd_replay_head head;
	const uint8_t *rows[HD_REPLAY_TABLES];
};

struct hd_bundle_replay {
	struct hd_buf bytes;
	const char *strings;
	uint32_t nstrings;
	struct entry *objects;
	size_t n;
	struct hd_map by_hash;		/* hash of a key -> the first object */
	struct hd_bundle_replay_code code;
};

static const char *string(const struct hd_bundle_replay *r, uint32_t off)
{
	return off && off < r->nstrings ? r->strings + off : NULL;
}

/* ---- reading ---- */

/* Convert hexadecimal text to bytes.  Returns false if it is invalid. */
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

static bool read_object(const struct hd_bundle_replay *r, struct entry *o, struct hd_bytes b)
{
	struct hd_replay_head *h = &o->head;
	bool file;

	hd_replay_head_read(&b, h);
	file = h->kind == HD_OBJ_FILE;
	o->key = (struct hd_symbols_key){
		.kind = h->kind, .guest = h->flags & HD_REPLAY_GUEST,
		.foreign_pid = h->flags & HD_REPLAY_FOREIGN_PID, .ino = file ? h->start : 0,
		.generation = file ? h->pgoff : 0, .kernel_start = file ? 0 : h->start,
		.kernel_pgoff = file ? 0 : h->pgoff, .pid = (int32_t)h->pid, .mnt_ns = h->mnt_ns,
		.path = string(r, h->path), .build_id = o->id,
	};
	if (b.bad || h->kind > HD_OBJ_JIT || h->quality > HD_SYMQ_DEBUGINFO || !o->key.path ||
		!unhex(string(r, h->id), o->id, &o->key.build_id_len))
		return false;
	for (enum hd_replay_table t = 0; t < HD_REPLAY_TABLES; t++) {
		o->rows[t] = hd_bytes_skip(&b, h->rows[t] * hd_replay_row_bytes(t));
		if (b.bad)
			return false;
		/* convert in place: `r` owns these bytes */
		hd_replay_planes((uint8_t *)o->rows[t], t, h->rows[t], false);
	}
	return true;
}

/* Add object i to the index.  If two objects have the same key, the first one is used. */
static void enter(struct hd_bundle_replay *r, size_t i)
{
	struct entry *o = &r->objects[i];
	uint64_t h = hd_symbols_key_hash(&o->key);
	uint32_t first = hd_map_get(&r->by_hash, h);

	if (first == HD_MAP_NONE) {
		hd_map_put(&r->by_hash, h, (uint32_t)i);
		return;
	}
	for (o = &r->objects[first]; !hd_symbols_key_equal(&o->key, &r->objects[i].key); o = o->next) {
		if (!o->next) {
			o->next = &r->objects[i];
			return;
		}
	}
}

struct hd_bundle_replay *hd_bundle_replay_new(struct hd_buf *bytes, const struct hd_bundle_replay_code *code,
	uint64_t *lost)
{
	struct hd_bundle_replay *r = hd_new(struct hd_bundle_replay);
	struct hd_bytes b;
	uint64_t declared, most;

	r->bytes = *bytes;
	*bytes = (struct hd_buf){ 0 };
	r->code = *code;
	b = hd_bytes_over(hd_buf_str(&r->bytes), r->bytes.len, BYTE_ORDER != LITTLE_ENDIAN);
	declared = hd_bytes_u32(&b);
	r->nstrings = hd_bytes_u32(&b);
	r->strings = hd_bytes_skip(&b, r->nstrings);
	/* If the last string has no NUL, use no strings at all. */
	if (!r->strings || (r->nstrings && r->strings[r->nstrings - 1]))
		r->nstrings = 0;
	most = hd_bytes_left(&b) / HD_REPLAY_HEAD_BYTES;
	r->objects = hd_new_array(struct entry, declared < most ? declared : most);
	while (r->n < declared) {
		uint32_t n = hd_bytes_u32(&b);
		const void *p = n >= HD_REPLAY_HEAD_BYTES ? hd_bytes_skip(&b, n - 4) : NULL;

		if (!p || !read_object(r, &r->objects[r->n], hd_bytes_over(p, n - 4, b.swap)))
			break;
		enter(r, r->n++);
	}
	*lost = declared - r->n;
	return r;
}

void hd_bundle_replay_free(struct hd_bundle_replay *r)
{
	if (!r)
		return;
	hd_map_release(&r->by_hash);
	free(r->objects);
	hd_buf_release(&r->bytes);
	free(r);
}

size_t hd_bundle_replay_count(const struct hd_bundle_replay *r)
{
	return r->n;
}

/* ---- rows ---- */

/* Read row i of a table; false if the table has no such row. */
static bool get_row(const struct entry *o, enum hd_replay_table t, uint64_t i, void *row)
{
	if (i >= o->head.rows[t])
		return false;
	hd_replay_row_read(o->rows[t] + i * hd_replay_row_bytes(t), t, row);
	return true;
}

/* Find the row of a table whose first column is `key`, and read it; false if there is none. */
static bool find_row(const struct entry *o, enum hd_replay_table t, uint64_t key, void *row)
{
	size_t width = hd_replay_row_bytes(t);
	uint32_t lo = 0, hi = o->head.rows[t];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t at;

		memcpy(&at, o->rows[t] + mid * width, sizeof(at));
		at = le64toh(at);
		if (at == key)
			return get_row(o, t, mid, row);
		if (at < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* ---- the symbol source ---- */

struct source {
	const struct hd_bundle_replay *r;
	bool no_call_files;
	struct hd_log *log;
};

/* An object that was opened through the symbol source: its stored data, and which of its warnings were logged. */
struct object {
	const struct source *src;
	const struct entry *e;
	unsigned warned;		/* bit i is set if the warnings of enum hd_lookup_stage i were logged */
};

static const struct entry *find(const struct hd_bundle_replay *r, const struct hd_symbols_key *key)
{
	uint32_t first = hd_map_get(&r->by_hash, hd_symbols_key_hash(key));
	const struct entry *o = first == HD_MAP_NONE ? NULL : &r->objects[first];

	while (o && !hd_symbols_key_equal(&o->key, key))
		o = o->next;
	return o;
}

/* Log the stored warnings about lookups of the kind `stage`.  Only the first call for a kind logs them. */
static void warn(struct object *o, enum hd_lookup_stage stage)
{
	const struct hd_bundle_replay *r = o->src->r;
	struct hd_replay_warning w;

	if (o->warned >> stage & 1)
		return;
	o->warned |= 1u << stage;
	for (uint32_t i = 0; get_row(o->e, HD_REPLAY_WARNINGS, i, &w); i++) {
		const char *code = string(r, w.code), *text = string(r, w.text), *fix = string(r, w.fix);

		/* A bundle is untrusted, so only stored warnings about symbols are logged. */
		if (w.stage == stage && code && text && !strncmp(code, "symbols.", 8))
			hd_warn_n(o->src->log, code, w.count, fix ? fix : "", "%s", text);
	}
}

static void *new_object(void *ctx, const struct hd_symbols_key *key, struct hd_symbol_info *info)
{
	struct source *src = ctx;
	const struct entry *e = find(src->r, key);
	struct object *o;
	const char *id;

	if (!e) {
		info->problem = "the bundle stores no symbols for it";
		hd_warn(src->log, "lost.bundle-object", "recreate the bundle", "%s: no symbols: %s", key->path,
			info->problem);
		return NULL;
	}
	id = string(src->r, e->head.build_id);
	*info = (struct hd_symbol_info){
		.quality = e->head.quality, .origin = string(src->r, e->head.origin),
		.problem = string(src->r, e->head.problem),
		.build_id = id && strlen(id) <= 2 * HD_ELF_BUILD_ID ? id : NULL,
		.machine = (uint16_t)e->head.machine,
	};
	o = hd_new(struct object);
	o->src = src;
	o->e = e;
	warn(o, HD_LOOKUP_LOAD);
	return o;
}

static void lookup(void *obj, uint64_t foff, struct hd_symbol_hit *hit)
{
	const struct object *o = obj;
	struct hd_replay_address a;
	struct hd_replay_symbol s;

	if (!find_row(o->e, HD_REPLAY_ADDRESSES, foff, &a))
		return;
	hit->vaddr = a.vaddr;
	if (!a.symbol || !get_row(o->e, HD_REPLAY_SYMBOLS, a.symbol - 1, &s))
		return;
	hit->start = s.start;
	hit->size = s.size;
	hit->linkage = string(o->src->r, s.name);
}

static bool has_dwarf(const struct object *o)
{
	return o->e->key.kind == HD_OBJ_FILE || o->e->key.kind == HD_OBJ_KERNEL;
}

static void open_debug(void *obj)
{
	if (has_dwarf(obj))
		warn(obj, HD_LOOKUP_DWARF);
}

static void line(void *obj, uint64_t vaddr, struct hd_line_hit *hit)
{
	struct object *o = obj;
	struct hd_replay_place p;

	if (!has_dwarf(o) && o->e->key.kind != HD_OBJ_JIT)
		return;
	open_debug(o);
	warn(o, HD_LOOKUP_LINES);
	if (find_row(o->e, HD_REPLAY_PLACES, vaddr, &p))
		*hit = (struct hd_line_hit){ string(o->src->r, p.file), p.line };
}

static uint32_t inline_instance(void *obj, uint64_t vaddr)
{
	struct object *o = obj;
	struct hd_replay_place p;

	if (!has_dwarf(o))
		return 0;
	open_debug(o);
	warn(o, HD_LOOKUP_INLINES);
	return find_row(o->e, HD_REPLAY_PLACES, vaddr, &p) ? p.list : 0;
}

static size_t inlines(void *obj, uint64_t vaddr, struct hd_inline_hit *hits, size_t max)
{
	struct object *o = obj;
	const struct hd_bundle_replay *r = o->src->r;
	uint32_t row = inline_instance(o, vaddr);
	struct hd_replay_list list;
	struct hd_replay_hit h;
	size_t n = 0;

	if (has_dwarf(o) && !o->src->no_call_files)
		warn(o, HD_LOOKUP_CALLS);
	if (!row || !get_row(o->e, HD_REPLAY_LISTS, row - 1, &list))
		return 0;
	for (uint32_t i = 0; i < list.n && n < max && i < HD_INLINE_MAX; i++) {
		const char *name = get_row(o->e, HD_REPLAY_HITS, list.first + (uint64_t)i, &h) ? string(r, h.name)
											      : NULL;

		if (!name)
			break;
		hits[n++] = (struct hd_inline_hit){
			.low = h.low, .linkage = name, .call_file = string(r, h.call_file), .call_line = h.call_line,
			.mangled = h.mangled & 1,
		};
	}
	return n;
}

static int open_code(void *ctx, const struct hd_symbols_key *key, struct hd_err *err)
{
	const struct source *src = ctx;
	const struct entry *o = find(src->r, key);
	struct hd_buf bytes = { 0 };
	int rc;

	if (!o || !o->head.code || !src->r->code.load)
		return hd_fail(err, HD_EFORMAT, "%s: the bundle does not contain its code", key->path);
	rc = src->r->code.load(src->r->code.ctx, o->head.code - 1, &bytes, err);
	if (rc >= 0)
		rc = hd_code_excerpt_open(hd_buf_str(&bytes), bytes.len, err);
	hd_buf_release(&bytes);
	return rc;
}

/*
 * Return true if the mapped file was replaced during the recording.  The machine that wrote the bundle checked this,
 * and stored such an object under a key without a build-id.
 */
static bool was_replaced(void *ctx, const struct hd_symbols_key *key)
{
	const struct source *src = ctx;
	struct hd_symbols_key refused = *key;

	refused.build_id_len = 0;
	return find(src->r, &refused);
}

struct hd_symbol_source hd_bundle_replay_source(const struct hd_bundle_replay *r, bool no_call_files,
	struct hd_log *log)
{
	static const struct hd_symbol_source_ops ops = {
		.object = new_object, .free_object = free, .lookup = lookup, .open_debug = open_debug, .line = line,
		.inline_instance = inline_instance, .inlines = inlines, .open_code = open_code,
		.was_replaced = was_replaced, .free = free,
	};
	struct source *src = hd_new(struct source);

	*src = (struct source){ r, no_call_files, log };
	return (struct hd_symbol_source){ &ops, src };
}
