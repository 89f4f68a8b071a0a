/*
 * feed.h - between a reader and a profile: check, name, join, sum up, hand on
 *
 *     struct hd_gpu_feed *f = hd_gpu_feed_new(&dict, &capture, log, on_activity, context);
 *     rc = hd_gpu_nsys_read(fd, path, hd_gpu_feed_sink(f, false), err);
 *     p->gpu = hd_gpu_feed_end(f);
 *     hd_gpu_feed_free(f);
 *
 * For each activity of the reader, in this order: times are checked (lost.gpu-time); copies, memsets and
 * synchronisations get the names of their leaves (profile/gpu.h); a device activity is joined with its API call
 * (match.h); summary.h adds it; `next` is called with it.  If the reader has no synchronisations of its own
 * (capture->has_sync), API calls whose name contains "Synchronize" are handed on as such, too.
 */
#ifndef HD_GPU_FEED_H
#define HD_GPU_FEED_H

#include "gpu/activity.h"

struct hd_gpu_feed;

/* Called once per activity; < 0 ends the reading. */
typedef int hd_gpu_next(void *context, const struct hd_gpu_activity *a, struct hd_err *err);

/* dict, capture and log are borrowed. */
struct hd_gpu_feed *hd_gpu_feed_new(struct hd_gpu_dict *dict, struct hd_gpu_capture *capture, struct hd_log *log,
				    hd_gpu_next *next, void *context);
/* again: the reader returned HD_GPU_AGAIN before. */
const struct hd_gpu_sink *hd_gpu_feed_sink(struct hd_gpu_feed *f, bool again);
/* Return the summary, without findings (rules.h); the caller owns it.  Stacks of gaps are dict node ids.  Call it once. */
struct hd_gpu *hd_gpu_feed_end(struct hd_gpu_feed *f);
void hd_gpu_feed_free(struct hd_gpu_feed *f);		/* accepts NULL */

#endif
