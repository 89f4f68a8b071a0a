/*
 * bundle_jitdumps_replay.c - jitdumps that a bundle tells of: see bundle_jitdumps.h
 */
#include "symbols/bundle_jitdumps.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

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
	struct hd_map index;		/* hash of path and process -> row; a taken hash moves on by one */
};

/* The row, or NULL; *slot is then the hash that it can have. */
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

/* n bytes that are a string and its end. */
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
	uint64_t told, slot, i = 0;

	g->bytes = *bytes;
	*bytes = (struct hd_buf){ 0 };
	g->files = *files;
	b = hd_bytes_over(hd_buf_str(&g->bytes), g->bytes.len, BYTE_ORDER != LITTLE_ENDIAN);
	told = hd_bytes_u32(&b);
	g->rows = hd_new_array(struct row, told < hd_bytes_left(&b) / ROW ? told : hd_bytes_left(&b) / ROW);
	for (; i < told && hd_bytes_left(&b) >= ROW && read_row(&b, &g->rows[g->n]); i++)
		/* Of two of the same the first counts. */
		if (!find(g, g->rows[g->n].path, g->rows[g->n].pid, &slot))
			hd_map_put(&g->index, slot, (uint32_t)g->n++);
	*lost = told - i;
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

const struct hd_jit_files *hd_jitdump_replay_files(const struct hd_jitdump_replay *g)
{
	return &g->files;
}
