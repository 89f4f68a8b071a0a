/*
 * sample_rows.c - see sample_rows.h
 */
#include "profile/sample_rows.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool same_key(const struct hd_sample_row *a, const struct hd_sample_row *b)
{
	return a->stack.v == b->stack.v && a->self.v == b->self.v && a->event == b->event && a->comm == b->comm &&
	       a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu && a->tuple == b->tuple;
}

static size_t first_slot(const struct hd_sample_rows *rows, const struct hd_sample_row *r)
{
	uint64_t h = hd_mix((uint64_t)r->stack.v << 32 | r->self.v,
		(uint64_t)r->comm << 32 | (r->cpu ^ r->event << 16));

	return hd_mix(h ^ r->tuple, (uint64_t)(uint32_t)r->pid << 32 | (uint32_t)r->tid) & (rows->nslots - 1);
}

static size_t find_slot(const struct hd_sample_rows *rows, const struct hd_sample_row *r)
{
	size_t i = first_slot(rows, r);

	while (rows->slots[i] && !same_key(&rows->items[rows->slots[i] - 1], r))
		i = (i + 1) & (rows->nslots - 1);
	return i;
}

static void rehash(struct hd_sample_rows *rows, size_t nslots)
{
	free(rows->slots);
	rows->nslots = nslots;
	rows->slots = hd_new_array(uint32_t, nslots);
	for (size_t id = 0; id < rows->n; id++) {
		size_t i = first_slot(rows, &rows->items[id]);

		while (rows->slots[i])	/* occupied by another key, because all keys differ */
			i = (i + 1) & (nslots - 1);
		rows->slots[i] = (uint32_t)id + 1;
	}
}

void hd_sample_rows_add(struct hd_sample_rows *rows, const struct hd_sample_row *row)
{
	size_t i;

	if (2 * (rows->n + 1) > rows->nslots)
		rehash(rows, rows->nslots ? 2 * rows->nslots : 64);
	i = find_slot(rows, row);
	if (rows->slots[i]) {
		struct hd_sample_row *r = &rows->items[rows->slots[i] - 1];

		r->weight += row->weight;
		r->count += row->count;
		r->var += row->var;
		return;
	}
	HD_GROW(rows->items, rows->n + 1, rows->cap);
	rows->items[rows->n++] = *row;
	rows->slots[i] = (uint32_t)rows->n;
}

void hd_sample_rows_clear(struct hd_sample_rows *rows)
{
	rows->n = 0;
	if (rows->slots)
		memset(rows->slots, 0, rows->nslots * sizeof(*rows->slots));
}

void hd_sample_rows_release(struct hd_sample_rows *rows)
{
	free(rows->items);
	free(rows->slots);
	*rows = (struct hd_sample_rows){ 0 };
}
