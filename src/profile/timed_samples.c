/*
 * timed_samples.c - see timed_samples.h
 */
#include "profile/timed_samples.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct hd_timed_samples *hd_timed_samples_new(void)
{
	return hd_new(struct hd_timed_samples);
}

void hd_timed_samples_free(struct hd_timed_samples *t)
{
	if (!t)
		return;
	free(t->items);
	free(t);
}

void hd_timed_samples_add(struct hd_timed_samples *t, const struct hd_timed_sample *s)
{
	HD_GROW(t->items, t->n + 1, t->cap);
	t->items[t->n++] = *s;
}

void hd_timed_samples_place(struct hd_timed_samples *t, const uint32_t *row_of)
{
	size_t kept = t->placed;

	for (size_t i = t->placed; i < t->n; i++) {
		uint32_t row = row_of[t->items[i].row];

		if (row == HD_TIMED_DROPPED)
			continue;
		t->items[kept] = t->items[i];
		t->items[kept++].row = row;
	}
	t->n = t->placed = kept;
}

/* Sort n items by time, preserving the order of equal times.  `spare` has room for n / 2 items. */
static void sort_by_time(struct hd_timed_sample *items, size_t n, struct hd_timed_sample *spare)
{
	size_t left = n / 2, i = 0, j = left, to = 0;

	if (n < 2)
		return;
	sort_by_time(items, left, spare);
	sort_by_time(items + left, n - left, spare);
	/* perf writes its buffers in rounds, so the two halves are often in order already and need no merge */
	if (items[left - 1].time_ns <= items[left].time_ns)
		return;
	memcpy(spare, items, left * sizeof(*items));
	while (i < left)
		items[to++] = j < n && items[j].time_ns < spare[i].time_ns ? items[j++] : spare[i++];
}

void hd_timed_samples_sort(struct hd_timed_samples *t)
{
	struct hd_timed_sample *spare = hd_new_array(struct hd_timed_sample, t->n / 2);

	sort_by_time(t->items, t->n, spare);
	free(spare);
	t->has_times = t->n && t->items[t->n - 1].time_ns;
}
