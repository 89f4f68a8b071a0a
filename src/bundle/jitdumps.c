/*
 * jitdumps.c - see jitdumps.h
 */
#include "bundle/jitdumps.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct item {
	char *path, *why;
	int32_t pid;
	enum hd_jit_fate fate;
	uint64_t size;
	struct part { uint64_t off, n, at; } *parts;	/* off: offset in the dump; at: offset in `bytes` */
	size_t nparts;
	struct hd_buf bytes;		/* the contents of the parts, one after another */
};

struct hd_jitdump_record {
	struct item *items;
	size_t n, cap;
	/* hash of path and process -> index in `items`; on a collision the hash is incremented */
	struct hd_map index;
	uint32_t *files;		/* for each path, the index of the first of `items` whose dump was found */
	size_t nfiles, files_cap;
	/* hash of a path -> the index that `files` has for it; on a collision the hash is incremented */
	struct hd_map by_path;
};

struct hd_jitdump_record *hd_jitdump_record_new(void)
{
	return hd_new(struct hd_jitdump_record);
}

static void empty(struct item *e)
{
	free(e->why);
	free(e->parts);
	hd_buf_release(&e->bytes);
	*e = (struct item){ .path = e->path, .pid = e->pid };
}

void hd_jitdump_record_free(struct hd_jitdump_record *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++) {
		empty(&k->items[i]);
		free(k->items[i].path);
	}
	free(k->items);
	hd_map_release(&k->index);
	hd_map_release(&k->by_path);
	free(k->files);
	free(k);
}

/* ---- recording ---- */

/* Return an empty search result for the dump of a path and process.  If there is one already, it is emptied. */
static struct item *reset_item(struct hd_jitdump_record *k, const char *path, int32_t pid)
{
	uint64_t h = hd_mix(hd_hash_bytes(path, strlen(path)), (uint32_t)pid);
	struct item *e;
	uint32_t i;

	for (; (i = hd_map_get(&k->index, h)) != HD_MAP_NONE; h++) {
		e = &k->items[i];
		if (e->pid == pid && !strcmp(e->path, path)) {
			empty(e);
			return e;
		}
	}
	HD_GROW(k->items, k->n + 1, k->cap);
	e = &k->items[k->n];
	*e = (struct item){ .path = hd_strdup(path), .pid = pid };
	hd_map_put(&k->index, h, (uint32_t)k->n++);
	return e;
}

/*
 * Return true if the search result `e` must store the content of its dump; if the path is new, add `e` to k->files.
 * Several processes can name the same path, each in its own mount namespace, and with --symfs all of them mean one
 * file.  Only the first result for a path stores the content.
 */
static bool has_file(struct hd_jitdump_record *k, const struct item *e)
{
	uint64_t h = hd_hash_bytes(e->path, strlen(e->path));
	uint32_t i;

	for (; (i = hd_map_get(&k->by_path, h)) != HD_MAP_NONE; h++)
		if (!strcmp(k->items[i].path, e->path))
			return &k->items[i] == e;
	i = (uint32_t)(e - k->items);
	hd_map_put(&k->by_path, h, i);
	HD_GROW(k->files, k->nfiles + 1, k->files_cap);
	k->files[k->nfiles++] = i;
	return true;
}

void hd_jitdump_record_found(struct hd_jitdump_record *k, const char *path, int32_t pid, int fd,
	const struct hd_jit_ranges *parts)
{
	struct item *e = reset_item(k, path, pid);

	e->fate = HD_JIT_FOUND;
	if (!has_file(k, e))
		return;
	e->size = parts->bytes;
	e->nparts = parts->n;
	e->parts = hd_new_array(struct part, parts->n);
	for (size_t i = 0; i < parts->n; i++) {
		const struct hd_jit_range *p = &parts->v[i];
		char *to = hd_buf_reserve(&e->bytes, p->n);
		ssize_t got = hd_file_pread(fd, to, p->n, p->off, path, NULL);

		/* Bytes that cannot be read are stored as zeros. */
		if (got < (ssize_t)p->n)
			memset(to + (got < 0 ? 0 : got), 0, p->n - (size_t)(got < 0 ? 0 : got));
		e->parts[i] = (struct part){ p->off, p->n, e->bytes.len };
		e->bytes.len += p->n;
	}
}

void hd_jitdump_record_missing(struct hd_jitdump_record *k, const char *path, int32_t pid, enum hd_jit_fate fate,
	const char *why)
{
	struct item *e = reset_item(k, path, pid);

	e->fate = fate;
	e->why = hd_strdup(why);
}

/* ---- writing ---- */

void hd_jitdump_record_write(const struct hd_jitdump_record *k, struct hd_buf *out)
{
	hd_buf_le32(out, (uint32_t)k->n);
	for (size_t i = 0; i < k->n; i++) {
		const struct item *e = &k->items[i];
		const char *why = e->why ? e->why : "";

		hd_buf_le32(out, (uint32_t)e->pid);
		hd_buf_le32(out, e->fate);
		hd_buf_le32(out, (uint32_t)strlen(e->path) + 1);
		hd_buf_le32(out, (uint32_t)strlen(why) + 1);
		hd_buf_add(out, e->path, strlen(e->path) + 1);
		hd_buf_add(out, why, strlen(why) + 1);
	}
}

bool hd_jitdump_record_file(const struct hd_jitdump_record *k, size_t i, const char **path, uint64_t *size)
{
	if (i >= k->nfiles)
		return false;
	*path = k->items[k->files[i]].path;
	*size = k->items[k->files[i]].size;
	return true;
}

/* Return the index of the first stored range of a dump that ends after offset `off` of the dump. */
static size_t part_at(const struct item *e, uint64_t off)
{
	size_t lo = 0, hi = e->nparts;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->parts[mid].off + e->parts[mid].n <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void hd_jitdump_record_copy(const struct hd_jitdump_record *k, size_t i, uint64_t off, void *p, size_t n)
{
	const struct item *e = &k->items[k->files[i]];
	uint64_t end = off + n;

	memset(p, 0, n);
	for (size_t at = part_at(e, off); at < e->nparts && e->parts[at].off < end; at++) {
		const struct part *part = &e->parts[at];
		uint64_t from = part->off > off ? part->off : off,
			 to = part->off + part->n < end ? part->off + part->n : end;

		memcpy((char *)p + (from - off), e->bytes.data + part->at + (from - part->off), to - from);
	}
}

static void found(void *ctx, const struct hd_jitdump_query *q, int fd, const struct hd_jit_ranges *parts)
{
	hd_jitdump_record_found(ctx, q->path, q->pid, fd, parts);
}

static void missing(void *ctx, const struct hd_jitdump_query *q, enum hd_jit_fate fate, const char *why)
{
	hd_jitdump_record_missing(ctx, q->path, q->pid, fate, why);
}

struct hd_jitdump_source hd_jitdump_record_source(struct hd_jitdump_record *k)
{
	return (struct hd_jitdump_source){ .ctx = k, .found = found, .missing = missing };
}

/* ---- replay ---- */

enum { ROW = 16 };

struct row {
	int32_t pid;
	uint32_t fate;
	const char *path, *why;
};

struct hd_jitdump_replay {
	struct hd_buf bytes;
	struct hd_jit_files files;
	struct row *rows;
	size_t n;
	struct hd_map index;		/* hash of path and process -> row; on a collision the hash is incremented */
};

/* Find the row of a path and process.  If there is none, return NULL and set *slot to a free key for it in g->index. */
static const struct row *find(const struct hd_jitdump_replay *g, const char *path, int32_t pid, uint64_t *slot)
{
	uint64_t h = hd_mix(hd_hash_bytes(path, strlen(path)), (uint32_t)pid);
	uint32_t i;

	for (; (i = hd_map_get(&g->index, h)) != HD_MAP_NONE; h++)
		if (g->rows[i].pid == pid && !strcmp(g->rows[i].path, path))
			return &g->rows[i];
	*slot = h;
	return NULL;
}

/* Read a string of n bytes with its NUL; NULL if it is invalid. */
static const char *string(struct hd_bytes *b, uint32_t n)
{
	const char *s = n ? hd_bytes_skip(b, n) : NULL;

	return s && !s[n - 1] ? s : NULL;
}

static bool read_row(struct hd_bytes *b, struct row *r)
{
	uint32_t npath, nwhy;

	r->pid = (int32_t)hd_bytes_u32(b);
	r->fate = hd_bytes_u32(b);
	npath = hd_bytes_u32(b);
	nwhy = hd_bytes_u32(b);
	r->path = string(b, npath);
	r->why = r->path ? string(b, nwhy) : NULL;
	return !b->bad && r->why && r->fate <= HD_JIT_ABSENT;
}

struct hd_jitdump_replay *hd_jitdump_replay_new(struct hd_buf *bytes, const struct hd_jit_files *files, uint64_t *lost)
{
	struct hd_jitdump_replay *g = hd_new(struct hd_jitdump_replay);
	struct hd_bytes b;
	uint64_t declared, most, slot, i = 0;

	g->bytes = *bytes;
	*bytes = (struct hd_buf){ 0 };
	g->files = *files;
	b = hd_bytes_over(hd_buf_str(&g->bytes), g->bytes.len, BYTE_ORDER != LITTLE_ENDIAN);
	declared = hd_bytes_u32(&b);
	most = hd_bytes_left(&b) / ROW;
	g->rows = hd_new_array(struct row, declared < most ? declared : most);
	for (; i < declared && hd_bytes_left(&b) >= ROW && read_row(&b, &g->rows[g->n]); i++)
		/* If two rows have the same key, the first is used. */
		if (!find(g, g->rows[g->n].path, g->rows[g->n].pid, &slot))
			hd_map_put(&g->index, slot, (uint32_t)g->n++);
	*lost = declared - i;
	return g;
}

void hd_jitdump_replay_free(struct hd_jitdump_replay *g)
{
	if (!g)
		return;
	hd_map_release(&g->index);
	free(g->rows);
	hd_buf_release(&g->bytes);
	free(g);
}

bool hd_jitdump_replay_find(const struct hd_jitdump_replay *g, const char *path, int32_t pid, enum hd_jit_fate *fate,
	const char **why)
{
	uint64_t slot;
	const struct row *r = find(g, path, pid, &slot);

	if (!r)
		return false;
	*fate = (enum hd_jit_fate)r->fate;
	*why = r->why;
	return true;
}

/*
 * Implements hd_jitdump_source.open.  If the file in the bundle cannot be read, `err` stays empty: g->files.open()
 * has recorded the error, and the owner of `files` reports it.
 */
static int open_dump(void *ctx, const struct hd_jitdump_query *q, const struct hd_jit_files **files, struct hd_err *err)
{
	const struct hd_jitdump_replay *g = ctx;
	enum hd_jit_fate fate;
	struct hd_err unused;
	const char *why;

	if (!hd_jitdump_replay_find(g, q->path, q->pid, &fate, &why))
		return hd_fail(err, HD_EIO, "%s: the bundle has no entry for it", q->path);
	if (fate != HD_JIT_FOUND)
		return hd_fail(err, fate == HD_JIT_REFUSED ? HD_EFORMAT : HD_EIO, "%s", why);
	*files = &g->files;
	return g->files.open(g->files.ctx, q->path, &unused);
}

struct hd_jitdump_source hd_jitdump_replay_source(struct hd_jitdump_replay *g)
{
	return (struct hd_jitdump_source){ .ctx = g, .open = open_dump };
}
