/*
 * feed.h - take the activities of a reader, check them, add names and API calls, sum them up, and pass them on
 *
 *     struct hd_gpu_feed *f = hd_gpu_feed_new(&dict, &capture, log, on_activity, context);
 *     rc = hd_gpu_nsys_read(fd, path, hd_gpu_feed_sink(f, false), err);
 *     p->gpu = hd_gpu_feed_end(f);
 *     hd_gpu_feed_free(f);
 *
 * The feed takes these steps for each activity of the reader, in this order:
 *
 *     1. It counts and drops an activity that ends before it starts (lost.gpu-time).
 *     2. It names copies, memsets, synchronisations and unnamed graphs, such as "[copy HtoD]" (profile/gpu.h).
 *     3. It joins a device activity or a synchronisation with its API call (correlation.h).  If the name of that call
 *        contains "Synchronize", the name determines what a synchronisation waits for.
 *     4. It adds the activity to the summary (summary.h), or drops it if there are too many devices or metrics
 *        (lost.gpu-device).
 *     5. It calls `next`, unless that is NULL.
 *
 * If the reader has no synchronisations of its own (has_sync of the capture is false), the feed also adds and passes on
 * each API call whose name contains "Synchronize" as a synchronisation.
 */
#ifndef HD_GPU_FEED_H
#define HD_GPU_FEED_H

#include "gpu/activity.h"

struct hd_gpu_feed;

/* Called once per activity.  A negative return value ends the reading and is the result of the reader. */
typedef int hd_gpu_next(void *context, const struct hd_gpu_activity *a, struct hd_err *err);

/* Make a feed that passes each activity to next(context, ...).  dict, capture and log are borrowed. */
struct hd_gpu_feed *hd_gpu_feed_new(struct hd_gpu_dict *dict, struct hd_gpu_capture *capture, struct hd_log *log,
				    hd_gpu_next *next, void *context);
/* Return the interface that a reader calls.  again: the reader has returned HD_GPU_AGAIN before. */
const struct hd_gpu_sink *hd_gpu_feed_sink(struct hd_gpu_feed *f, bool again);
/*
 * Return the summary; the caller owns it.  It has no findings yet (bottlenecks.h), and the stacks of its idle gaps are
 * ids of nodes in the capture's dict.  Call it at most once.
 */
struct hd_gpu *hd_gpu_feed_end(struct hd_gpu_feed *f);
void hd_gpu_feed_free(struct hd_gpu_feed *f);		/* accepts NULL */

#endif
