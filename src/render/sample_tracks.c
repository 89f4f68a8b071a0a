/*
 * sample_tracks.c - see sample_tracks.h
 */
#include "render/sample_tracks.h"

#include "base/mem.h"

#include <stdlib.h>

struct placing {
	const struct hd_profile *p;
	const bool *merged;		/* indexed by event: true if its samples are one merged track */
};

/* Compare two rows by event and thread, so that after sorting the rows of a track are adjacent. */
static int by_thread(const void *va, const void *vb, void *ctx)
{
	const struct placing *s = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct hd_sample_row *a = &s->p->rows.items[ia], *b = &s->p->rows.items[ib];

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (!s->merged[a->event] && a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (!s->merged[a->event] && a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static bool is_of(const struct hd_sample_track *t, const struct hd_sample_row *r)
{
	return t->event == r->event && (t->merged || (t->pid == r->pid && t->tid == r->tid));
}

/* Create the tracks, with their weights, and set track_of[row]. */
static void find_tracks(struct hd_sample_tracks *t, struct placing *s, uint32_t *track_of)
{
	size_t nrows = s->p->rows.n, cap = 0;
	uint32_t *order = hd_new_array(uint32_t, nrows);

	for (size_t i = 0; i < nrows; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, nrows, sizeof(*order), by_thread, s);
	for (size_t i = 0; i < nrows; i++) {
		const struct hd_sample_row *r = &s->p->rows.items[order[i]];
		bool merged = s->merged[r->event];

		if (!t->n || !is_of(&t->items[t->n - 1], r)) {
			HD_GROW(t->items, t->n + 1, cap);
			t->items[t->n++] = (struct hd_sample_track){ .event = r->event, .merged = merged,
				.pid = merged ? 0 : r->pid, .tid = merged ? 0 : r->tid };
		}
		t->items[t->n - 1].weight += r->weight;
		track_of[order[i]] = (uint32_t)t->n - 1;
	}
	free(order);
}

/* Fill the ranges of `order`. */
static void fill(struct hd_sample_tracks *t, const uint32_t *track_of)
{
	const struct hd_profile *p = t->p;
	size_t timed = p->timed ? p->timed->n : 0, at = 0;

	for (size_t i = 0; i < timed; i++)
		t->items[track_of[p->timed->items[i].row]].n++;
	for (size_t i = 0; i < p->rows.n; i++)
		t->items[track_of[i]].n += t->items[track_of[i]].merged;
	for (size_t i = 0; i < t->n; i++) {
		t->items[i].first = at;
		at += t->items[i].n;
		t->items[i].n = 0;
	}
	t->order = hd_new_array(uint32_t, at);
	for (size_t i = 0; i < timed; i++) {
		uint32_t row = p->timed->items[i].row;
		struct hd_sample_track *track = &t->items[track_of[row]];

		t->order[track->first + track->n++] = (uint32_t)i;
		track->comm = p->rows.items[row].comm;
	}
	for (size_t i = 0; i < p->rows.n; i++) {
		struct hd_sample_track *track = &t->items[track_of[i]];

		if (track->merged)
			t->order[track->first + track->n++] = (uint32_t)i;
	}
}

static int by_weight(const void *va, const void *vb)
{
	const struct hd_sample_track *a = va, *b = vb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

void hd_sample_tracks_init(struct hd_sample_tracks *t, const struct hd_profile *p)
{
	bool *merged = hd_new_array(bool, p->nevents);
	uint32_t *track_of = hd_new_array(uint32_t, p->rows.n);

	*t = (struct hd_sample_tracks){ .p = p };
	for (size_t i = 0; i < p->nevents; i++)
		merged[i] = true;
	for (size_t i = 0; p->timed && i < p->timed->n; i++)
		merged[p->rows.items[p->timed->items[i].row].event] = false;
	find_tracks(t, &(struct placing){ p, merged }, track_of);
	fill(t, track_of);
	if (t->n)
		qsort(t->items, t->n, sizeof(*t->items), by_weight);
	free(merged);
	free(track_of);
}

void hd_sample_tracks_release(struct hd_sample_tracks *t)
{
	free(t->items);
	free(t->order);
	*t = (struct hd_sample_tracks){ 0 };
}

struct hd_track_sample hd_sample_tracks_get(const struct hd_sample_tracks *t, const struct hd_sample_track *track,
	size_t i)
{
	uint32_t at = t->order[track->first + i];
	const struct hd_sample_row *rows = t->p->rows.items;

	if (track->merged)
		return (struct hd_track_sample){ .weight = rows[at].weight, .row = &rows[at], .cpu = UINT32_MAX };
	return (struct hd_track_sample){ t->p->timed->items[at].time_ns, t->p->timed->items[at].weight,
					 &rows[t->p->timed->items[at].row], t->p->timed->items[at].cpu };
}

void hd_sample_tracks_title(struct hd_buf *out, const struct hd_sample_tracks *t, const struct hd_sample_track *track)
{
	if (!track->merged)
		hd_buf_addf(out, "%s (%d/%d) ", hd_profile_str(t->p, track->comm), track->pid, track->tid);
	hd_buf_adds(out, hd_profile_str(t->p, t->p->events[track->event].name));
}
