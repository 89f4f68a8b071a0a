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

static size_t find_slot(const struct hd_tuples *t, const struct hd_value *values)
{
	size_t i = hash(t, values) & (t->nslots - 1);

	while (t->slots[i] && !same(t, hd_tuples_get(t, t->slots[i]), values))
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static void rehash(struct hd_tuples *t, size_t nslots)
{
	free(t->slots);
	t->slots = hd_new_array(uint32_t, nslots);
	t->nslots = nslots;
	for (uint32_t id = 1; id <= t->n / t->width; id++)
		t->slots[find_slot(t, hd_tuples_get(t, id))] = id;
}

uint32_t hd_tuples_add(struct hd_tuples *t, const struct hd_value *values)
{
	size_t i;

	assert(t->width);
	if (2 * (t->n / t->width + 1) > t->nslots)
		rehash(t, t->nslots ? 2 * t->nslots : 64);
	i = find_slot(t, values);
	if (t->slots[i])
		return t->slots[i];
	HD_GROW(t->values, t->n + t->width, t->cap);
	memcpy(t->values + t->n, values, t->width * sizeof(*values));
	t->n += t->width;
	return t->slots[i] = (uint32_t)(t->n / t->width);
}

const struct hd_value *hd_tuples_get(const struct hd_tuples *t, uint32_t id)
{
	assert(id && id <= t->n / t->width);
	return &t->values[(size_t)(id - 1) * t->width];
}

void hd_tuples_release(struct hd_tuples *t)
{
	free(t->values);
	free(t->slots);
	*t = (struct hd_tuples){ 0 };
}
