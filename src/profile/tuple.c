/*
 * tuple.c - see tuple.h
 */
#include "profile/tuple.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const struct hd_tuples *t, const struct hd_value *values)
{
	uint64_t h = t->width;

	for (size_t i = 0; i < t->width; i++)
		h = hd_mix(h ^ values[i].kind, values[i].v);
	return h;
}

static bool same(const struct hd_tuples *t, const struct hd_value *a, const struct hd_value *b)
{
	for (size_t i = 0; i < t->width; i++)
		if (a[i].kind != b[i].kind || a[i].v != b[i].v)
			return false;
	return true;
}

uint32_t hd_tuples_add(struct hd_tuples *t, const struct hd_value *values)
{
	uint64_t h;
	size_t at;

	assert(t->width);
	h = hash(t, values);
	for (uint32_t id = hd_index_first(&t->index, h, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&t->index, h, &at))
		if (same(t, hd_tuples_get(t, id), values))
			return id;
	HD_GROW(t->values, t->n + t->width, t->cap);
	memcpy(t->values + t->n, values, t->width * sizeof(*values));
	t->n += t->width;
	hd_index_add(&t->index, h, (uint32_t)(t->n / t->width));
	return (uint32_t)(t->n / t->width);
}

const struct hd_value *hd_tuples_get(const struct hd_tuples *t, uint32_t id)
{
	assert(id && id <= t->n / t->width);
	return &t->values[(size_t)(id - 1) * t->width];
}

void hd_tuples_release(struct hd_tuples *t)
{
	free(t->values);
	hd_index_release(&t->index);
	*t = (struct hd_tuples){ 0 };
}
