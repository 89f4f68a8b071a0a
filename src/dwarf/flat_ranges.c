/*
 * flat_ranges.c - see flat_ranges.h
 */
#include "dwarf/flat_ranges.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

static int by_start(const void *va, const void *vb)
{
	const struct hd_nested_range *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* A heap of the ranges that cover the current address; the deepest one, which the address is assigned to, is on top. */
struct heap { const struct hd_nested_range **v; size_t n, cap; };

static bool wins(const struct hd_nested_range *a, const struct hd_nested_range *b)
{
	return a->depth != b->depth ? a->depth > b->depth : a->id < b->id;
}

static void push(struct heap *h, const struct hd_nested_range *s)
{
	size_t i = h->n;

	HD_GROW(h->v, h->n + 1, h->cap);
	h->n++;
	for (; i && wins(s, h->v[(i - 1) / 2]); i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = s;
}

static void pop(struct heap *h)
{
	const struct hd_nested_range *last = h->v[--h->n];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && wins(h->v[child + 1], h->v[child]))
			child++;
		if (!wins(h->v[child], last))
			break;
		h->v[i] = h->v[child];
	}
	h->v[i] = last;
}

static void begin(struct hd_flat_ranges *s, size_t first, uint64_t start, uint32_t id)
{
	struct hd_flat_range *last = s->n > first ? &s->v[s->n - 1] : NULL;

	if (last && last->start == start) {
		last->id = id;		/* the previous range is empty */
		last = s->n - 1 > first ? last - 1 : NULL;
		if (last && last->id == id)
			s->n--;
		return;
	}
	if (last ? last->id == id : id == HD_FLAT_RANGE_NONE)
		return;
	HD_GROW(s->v, s->n + 1, s->cap);
	s->v[s->n++] = (struct hd_flat_range){ start, id };
}

size_t hd_flat_ranges_add(struct hd_flat_ranges *s, struct hd_nested_range *spans, size_t n)
{
	struct heap active = { 0 };
	size_t first = s->n, next = 0;
	uint64_t at;

	if (!n)
		return 0;
	qsort(spans, n, sizeof(*spans), by_start);
	while (next < n || active.n) {
		/*
		 * Process the ranges that end before the next one starts.  The innermost ends first, and the range
		 * around it then covers the following addresses.
		 */
		while (active.n && (next == n || active.v[0]->end <= spans[next].start)) {
			at = active.v[0]->end;
			pop(&active);
			while (active.n && active.v[0]->end <= at)
				pop(&active);
			begin(s, first, at, active.n ? active.v[0]->id : HD_FLAT_RANGE_NONE);
		}
		if (next == n)
			break;
		at = spans[next].start;
		for (; next < n && spans[next].start == at; next++)
			push(&active, &spans[next]);
		begin(s, first, at, active.v[0]->id);
	}
	free(active.v);
	return s->n - first;
}

uint32_t hd_flat_ranges_find(const struct hd_flat_range *v, size_t n, uint64_t vaddr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? v[lo - 1].id : HD_FLAT_RANGE_NONE;
}
