/*
 * strtab.c - see strtab.h
 */
#include "base/strtab.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *s;
	size_t len;
	uint64_t hash;
};

struct hd_strtab {
	struct hd_arena arena;
	struct entry *entries;
	size_t n, cap;
	uint32_t *slots;	/* entry id + 1, 0 is empty */
	size_t nslots;		/* a power of two */
	size_t text_bytes;	/* of all strings, with their NUL */
};

static size_t find_slot(const struct hd_strtab *st, const char *s, size_t n, uint64_t hash)
{
	size_t i = hash & (st->nslots - 1);

	for (; st->slots[i]; i = (i + 1) & (st->nslots - 1)) {
		const struct entry *e = &st->entries[st->slots[i] - 1];

		if (e->hash == hash && e->len == n && !memcmp(e->s, s, n))
			break;
	}
	return i;
}

static void rehash(struct hd_strtab *st, size_t nslots)
{
	free(st->slots);
	st->slots = hd_zalloc(nslots, sizeof(*st->slots));
	st->nslots = nslots;
	for (size_t id = 0; id < st->n; id++) {
		const struct entry *e = &st->entries[id];

		st->slots[find_slot(st, e->s, e->len, e->hash)] = (uint32_t)id + 1;
	}
}

struct hd_strtab *hd_strtab_new(void)
{
	struct hd_strtab *st = hd_new(struct hd_strtab);

	rehash(st, 64);
	hd_strtab_addn(st, "", 0);
	return st;
}

void hd_strtab_free(struct hd_strtab *st)
{
	if (!st)
		return;
	hd_arena_release(&st->arena);
	free(st->entries);
	free(st->slots);
	free(st);
}

uint32_t hd_strtab_addn(struct hd_strtab *st, const char *s, size_t n)
{
	uint64_t hash = hd_hash_bytes(s, n);
	size_t i = find_slot(st, s, n, hash);

	if (st->slots[i])
		return st->slots[i] - 1;
	if (2 * (st->n + 1) > st->nslots) {
		rehash(st, 2 * st->nslots);
		i = find_slot(st, s, n, hash);
	}
	HD_GROW(st->entries, st->n + 1, st->cap);
	st->entries[st->n] = (struct entry){ hd_arena_strndup(&st->arena, s, n), n, hash };
	st->slots[i] = (uint32_t)++st->n;
	st->text_bytes += n + 1;
	return (uint32_t)st->n - 1;
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
	return st->text_bytes + st->n * (sizeof(struct entry) + 4 * sizeof(*st->slots));
}
