/*
 * hash_index.c - see hash_index.h
 */
#include "base/hash_index.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static void insert(struct hd_index *t, uint32_t hash, uint32_t id1)
{
	size_t i = hash & (t->cap - 1);

	while (t->slots[i].id1)
		i = (i + 1) & (t->cap - 1);
	t->slots[i] = (struct hd_index_slot){ hash, id1 };
}

static void grow(struct hd_index *t)
{
	struct hd_index old = *t;

	t->cap = old.cap ? 2 * old.cap : FIRST_SLOTS;
	t->slots = hd_new_array(struct hd_index_slot, t->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].id1)
			insert(t, old.slots[i].hash, old.slots[i].id1);
	free(old.slots);
}

void hd_index_add(struct hd_index *t, uint64_t hash, uint32_t id)
{
	if (3 * (t->n + 1) > 2 * t->cap)
		grow(t);
	insert(t, (uint32_t)hash, id + 1);
	t->n++;
}

void hd_index_clear(struct hd_index *t)
{
	if (t->slots)
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
	t->n = 0;
}

void hd_index_release(struct hd_index *t)
{
	free(t->slots);
	*t = (struct hd_index){ 0 };
}
