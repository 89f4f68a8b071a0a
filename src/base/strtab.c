/*
 * strtab.c - see strtab.h
 */
#include "base/strtab.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/hash_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *s;
	size_t len;
};

struct hd_strtab {
	struct hd_arena arena;
	struct entry *entries;
	size_t n, cap;
	struct hd_index index;
	size_t text_bytes;	/* bytes of all strings, including their NULs */
};

struct hd_strtab *hd_strtab_new(void)
{
	struct hd_strtab *st = hd_new(struct hd_strtab);

	hd_strtab_addn(st, "", 0);
	return st;
}

void hd_strtab_free(struct hd_strtab *st)
{
	if (!st)
		return;
	hd_arena_release(&st->arena);
	hd_index_release(&st->index);
	free(st->entries);
	free(st);
}

uint32_t hd_strtab_addn(struct hd_strtab *st, const char *s, size_t n)
{
	uint64_t hash = hd_hash_bytes(s, n);
	size_t at;

	for (uint32_t id = hd_index_first(&st->index, hash, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&st->index, hash, &at))
		if (st->entries[id].len == n && !memcmp(st->entries[id].s, s, n))
			return id;
	HD_GROW(st->entries, st->n + 1, st->cap);
	st->entries[st->n] = (struct entry){ hd_arena_strndup(&st->arena, s, n), n };
	hd_index_add(&st->index, hash, (uint32_t)st->n);
	st->text_bytes += n + 1;
	return (uint32_t)st->n++;
}

uint32_t hd_strtab_add(struct hd_strtab *st, const char *s)
{
	return hd_strtab_addn(st, s, strlen(s));
}

const char *hd_strtab_get(const struct hd_strtab *st, uint32_t id)
{
	assert(id < st->n);
	return st->entries[id].s;
}

size_t hd_strtab_len(const struct hd_strtab *st, uint32_t id)
{
	assert(id < st->n);
	return st->entries[id].len;
}

uint32_t hd_strtab_count(const struct hd_strtab *st)
{
	return (uint32_t)st->n;
}

size_t hd_strtab_bytes(const struct hd_strtab *st)
{
	/* Unless there are few strings, the index has at most three slots per string. */
	return st->text_bytes + st->n * (sizeof(struct entry) + 3 * sizeof(struct hd_index_slot));
}
