/*
 * arena.c - see arena.h
 */
#include "base/arena.h"

#include "base/mem.h"
#include "base/strtab.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct hd_arena_block {
	struct hd_arena_block *next;
	alignas(16) char bytes[];
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
	if (n < LONG_TEXT)
		return hd_arena_strndup(a, s, n);
	if (!a->texts)
		a->texts = hd_strtab_new();
	return hd_strtab_get(a->texts, hd_strtab_addn(a->texts, s, n));
}

void hd_arena_release(struct hd_arena *a)
{
	hd_strtab_free(a->texts);
	while (a->blocks) {
		struct hd_arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	*a = (struct hd_arena){ 0 };
}
