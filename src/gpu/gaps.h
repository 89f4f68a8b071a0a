/*
 * gaps.h - what the host did while a device was idle
 *
 * When a gap ends, the reader has already delivered the API calls and ranges that ran in it, because activities come
 * by rising start.  This module stores the last HD_GPU_RECENT_CALLS calls and HD_GPU_RECENT_RANGES ranges, for all
 * devices together; older ones are not found.  It examines only gaps that are among the longest of their device.
 */
#ifndef HD_GPU_GAPS_H
#define HD_GPU_GAPS_H

#include "gpu/activity.h"

enum { HD_GPU_RECENT_CALLS = 4096, HD_GPU_RECENT_RANGES = 1024 };

struct hd_gpu_interval { int64_t start_ns, end_ns; uint32_t name, pid; };

/* The last `room` intervals (calls or ranges), as a ring buffer. */
struct hd_gpu_recent { struct hd_gpu_interval *items; size_t n, at, room; };

void hd_gpu_recent_init(struct hd_gpu_recent *r, size_t room);
void hd_gpu_recent_release(struct hd_gpu_recent *r);
void hd_gpu_recent_add(struct hd_gpu_recent *r, const struct hd_gpu_activity *a);

/*
 * Count the gap from `since` to the start of `after` in d->all_gaps, and store it if it is one of the HD_GPU_GAPS
 * longest gaps so far.  `before` is the name of the operation before the gap.  If the process of `after` is known, API
 * calls and ranges of other processes are ignored.
 */
void hd_gpu_gap_add(struct hd_gpu_device *d, int64_t since, uint32_t before, const struct hd_gpu_activity *after,
		    const struct hd_gpu_recent *calls, const struct hd_gpu_recent *ranges);

#endif
