/*
 * activity_sorter.h - sort activities by start, in bounded memory
 *
 * The caller adds activities in any order.  When ROOM (activity_sorter.c) of them are in memory, the next _add writes
 * them as a sorted run to an unlinked temporary file (base/file.h).  hd_gpu_activity_sorter_end() merges the runs.
 *
 *     struct hd_gpu_activity_sorter *o = hd_gpu_activity_sorter_new(sink, path);
 *     hd_gpu_activity_sorter_add(o, &a, err)      once per activity
 *     hd_gpu_activity_sorter_end(o, err)          calls sink->activity for each, by rising start; on ties
 *                                                 launches come first, then the order of _add
 *     hd_gpu_activity_sorter_free(o)
 */
#ifndef HD_GPU_ACTIVITY_SORTER_H
#define HD_GPU_ACTIVITY_SORTER_H

#include "gpu/activity.h"

struct hd_gpu_activity_sorter;

/* Return true if activity a comes before b: the order is by start, and at the same start launches come first. */
static inline bool hd_gpu_activity_before(const struct hd_gpu_activity *a, const struct hd_gpu_activity *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	return a->kind == HD_GPU_LAUNCH && b->kind != HD_GPU_LAUNCH;
}

/*
 * path: the path of the input, for messages.  sink and path are borrowed.  _add and _end return 0, HD_EIO if the
 * temporary file fails, or, from _end, the negative value that sink->activity returned.
 */
struct hd_gpu_activity_sorter *hd_gpu_activity_sorter_new(const struct hd_gpu_sink *sink, const char *path);
int hd_gpu_activity_sorter_add(struct hd_gpu_activity_sorter *o, const struct hd_gpu_activity *a, struct hd_err *err);
int hd_gpu_activity_sorter_end(struct hd_gpu_activity_sorter *o, struct hd_err *err);
void hd_gpu_activity_sorter_free(struct hd_gpu_activity_sorter *o);		/* accepts NULL */

#endif
