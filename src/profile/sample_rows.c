/*
 * sample_rows.c - see sample_rows.h
 */
#include "profile/sample_rows.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

static bool same_key(const struct hd_sample_row *a, const struct hd_sample_row *b)
{
	return a->stack.v == b->stack.v && a->self.v == b->self.v && a->event == b->event && a->comm == b->comm &&
	       a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu && a->tuple == b->tuple;
}

static uint64_t hash_of(const struct hd_sample_row *r)
{
	uint64_t h = hd_mix((uint64_t)r->stack.v << 32 | r->self.v,
		(uint64_t)r->comm << 32 | (r->cpu ^ r->event << 16));

	return hd_mix(h ^ r->tuple, (uint64_t)(uint32_t)r->pid << 32 | (uint32_t)r->tid);
}

uint32_t hd_sample_rows_add(struct hd_sample_rows *rows, const struct hd_sample_row *row)
{
	uint64_t hash = hash_of(row);
	size_t at;

	for (uint32_t id = hd_index_first(&rows->index, hash, &at); id != HD_INDEX_NONE;
		id = hd_index_next(&rows->index, hash, &at)) {
		struct hd_sample_row *r = &rows->items[id];

		if (!same_key(r, row))
			continue;
		r->weight += row->weight;
		r->count += row->count;
		r->var += row->var;
		return id;
	}
	HD_GROW(rows->items, rows->n + 1, rows->cap);
	hd_index_add(&rows->index, hash, (uint32_t)rows->n);
	rows->items[rows->n] = *row;
	return (uint32_t)rows->n++;
}

void hd_sample_rows_clear(struct hd_sample_rows *rows)
{
	rows->n = 0;
	hd_index_clear(&rows->index);
}

void hd_sample_rows_release(struct hd_sample_rows *rows)
{
	free(rows->items);
	hd_index_release(&rows->index);
	*rows = (struct hd_sample_rows){ 0 };
}
