/*
 * timeline.c - see timeline.h
 */
#include "process/timeline.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void hd_timeline_release(struct hd_timeline *tl)
{
	free(tl->items);
	free(tl->first);
	free(tl->cursor);
	*tl = (struct hd_timeline){ 0 };
}

void hd_timeline_push(struct hd_timeline *tl, const struct hd_timeline_entry *m)
{
	HD_GROW(tl->items, tl->n + 1, tl->cap);
	tl->items[tl->n++] = *m;
}

/*
 * Sort the entries by owner with a counting sort.  The sort is stable, so the entries of each owner stay in order of
 * time.
 */
void hd_timeline_freeze(struct hd_timeline *tl, size_t owners)
{
	struct hd_timeline_entry *sorted = hd_realloc(NULL, tl->n, sizeof(*sorted));

	tl->owners = owners;
	tl->first = hd_new_array(uint32_t, owners + 1);
	tl->cursor = hd_new_array(uint32_t, owners);
	for (size_t i = 0; i < tl->n; i++)
		tl->first[tl->items[i].owner + 1]++;
	for (size_t o = 0; o < owners; o++) {
		tl->first[o + 1] += tl->first[o];
		tl->cursor[o] = tl->first[o];
	}
	for (size_t i = 0; i < tl->n; i++)
		sorted[tl->cursor[tl->items[i].owner]++] = tl->items[i];
	for (size_t o = 0; o < owners; o++)
		tl->cursor[o] = tl->first[o];
	free(tl->items);
	tl->items = sorted;
	tl->cap = tl->n;
}

void hd_timeline_view(struct hd_timeline *tl)
{
	uint32_t *cursor = hd_realloc(NULL, tl->owners, sizeof(*cursor));

	if (tl->owners)
		memcpy(cursor, tl->cursor, tl->owners * sizeof(*cursor));
	tl->cursor = cursor;
}

const struct hd_timeline_entry *hd_timeline_at(struct hd_timeline *tl, uint32_t owner, struct hd_record_time when,
				       struct hd_record_time *until)
{
	uint32_t lo, hi, c;

	if (owner >= tl->owners)
		return NULL;
	lo = tl->first[owner];
	hi = tl->first[owner + 1];
	c = tl->cursor[owner];		/* result of the last lookup: the first entry not before its time */
	if (c > lo && !hd_record_time_before(tl->items[c - 1].when, when))
		hi = c - 1;
	else if (c < hi && hd_record_time_before(tl->items[c].when, when))
		lo = c + 1;
	else
		lo = hi = c;
	if (lo < hi && !hd_record_time_before(tl->items[lo].when, when))
		hi = lo;		/* advanced by one entry: no need to bisect */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (hd_record_time_before(tl->items[mid].when, when))
			lo = mid + 1;
		else
			hi = mid;
	}
	tl->cursor[owner] = lo;
	if (until && lo < tl->first[owner + 1] && hd_record_time_before(tl->items[lo].when, *until))
		*until = tl->items[lo].when;
	return lo > tl->first[owner] ? &tl->items[lo - 1] : NULL;
}
