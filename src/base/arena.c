/*
 * arena.c - see arena.h
 */
#include "base/arena.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct hd_arena_block {
	struct hd_arena_block *next;
	alignas(16) char bytes[];
};

struct hd_arena_text {
	const char *s;
	size_t len;
};

enum { BLOCK = 64 * 1024, LONG_TEXT = 128 };

void *hd_arena_alloc(struct hd_arena *a, size_t n)
{
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (!a->blocks || n > a->cap - a->used) {
		size_t cap = n > BLOCK ? n : BLOCK;
		struct hd_arena_block *b = hd_alloc(sizeof(*b) + cap);

		b->next = a->blocks;
		a->blocks = b;
		a->used = 0;
		a->cap = cap;
	}
	p = a->blocks->bytes + a->used;
	a->used += n;
	return p;
}

char *hd_arena_strndup(struct hd_arena *a, const char *s, size_t n)
{
	char *p = hd_arena_alloc(a, n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

const char *hd_arena_text(struct hd_arena *a, const char *s, size_t n)
{
	uint64_t hash;
	size_t at;

	if (n < LONG_TEXT)
		return hd_arena_strndup(a, s, n);
	hash = hd_hash_bytes(s, n);
	for (uint32_t id = hd_index_first(&a->text_index, hash, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&a->text_index, hash, &at))
		if (a->texts[id].len == n && !memcmp(a->texts[id].s, s, n))
			return a->texts[id].s;
	HD_GROW(a->texts, a->ntexts + 1, a->cap_texts);
	a->texts[a->ntexts] = (struct hd_arena_text){ hd_arena_strndup(a, s, n), n };
	hd_index_add(&a->text_index, hash, (uint32_t)a->ntexts);
	return a->texts[a->ntexts++].s;
}

void hd_arena_release(struct hd_arena *a)
{
	free(a->texts);
	hd_index_release(&a->text_index);
	while (a->blocks) {
		struct hd_arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	*a = (struct hd_arena){ 0 };
}
