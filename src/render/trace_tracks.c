/*
 * trace_tracks.c - see trace_tracks.h
 */
#include "render/trace_tracks.h"

#include "base/mem.h"

#include <stdlib.h>

void hd_trace_tracks_release(struct hd_trace_tracks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].ends);
	free(t->items);
	hd_map_release(&t->first[0]);
	hd_map_release(&t->first[1]);
	*t = (struct hd_trace_tracks){ 0 };
}

static uint32_t add_track(struct hd_trace_tracks *t, struct hd_trace_track track)
{
	HD_GROW(t->items, t->n + 1, t->cap);
	t->items[t->n] = track;
	return (uint32_t)t->n++;
}

/*
 * Remove the slices of a track that ended before activity `a` begins.  Returns true if `a` is inside the slices that
 * are still open, so that it can be drawn in this track.
 */
static bool fits(struct hd_trace_track *k, const struct hd_gpu_activity *a)
{
	while (k->n && k->ends[k->n - 1] <= a->start_ns)
		k->n--;
	return !k->n || a->end_ns <= k->ends[k->n - 1];
}

size_t hd_trace_tracks_find(struct hd_trace_tracks *t, const struct hd_gpu_activity *a)
{
	bool on_device = a->kind <= HD_GPU_GRAPH;
	uint64_t key = on_device ? (uint64_t)a->device << 32 | a->stream : (uint64_t)a->pid << 32 | a->tid;
	uint32_t i = hd_map_get(&t->first[on_device], key);
	struct hd_trace_track *k;

	if (i == HD_MAP_NONE) {
		i = add_track(t, (struct hd_trace_track){ .on_device = on_device, .group = (uint32_t)(key >> 32),
			.line = (uint32_t)key });
		hd_map_put(&t->first[on_device], key, i);
	}
	while (!fits(&t->items[i], a) && t->items[i].lane + 1 < HD_TRACE_TRACK_LANES) {
		if (!t->items[i].next_lane) {
			struct hd_trace_track next = { .on_device = on_device, .group = t->items[i].group,
				.line = t->items[i].line, .lane = t->items[i].lane + 1 };
			uint32_t added = add_track(t, next);

			t->items[i].next_lane = added;
		}
		i = t->items[i].next_lane;
	}
	k = &t->items[i];
	HD_GROW(k->ends, k->n + 1, k->cap);
	k->ends[k->n++] = a->end_ns;
	return i;
}
