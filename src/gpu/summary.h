/*
 * summary.h - activities -> struct hd_gpu (profile/gpu.h), in one pass
 *
 * feed.h calls hd_gpu_summary_add() once per activity, by rising start, with valid times and names.  Memory depends on
 * the number of devices, of distinct names and of blocks that are allocated at the same time, not on the number of
 * activities.
 */
#ifndef HD_GPU_SUMMARY_H
#define HD_GPU_SUMMARY_H

#include "gpu/activity.h"

enum { HD_GPU_DEVICES_MAX = 256 };

struct hd_gpu_summary;

struct hd_gpu_summary *hd_gpu_summary_new(const struct hd_gpu_dict *dict);
void hd_gpu_summary_free(struct hd_gpu_summary *s);	/* accepts NULL */
/* Add an activity.  Returns false if it is not counted, because there are too many devices or metrics. */
bool hd_gpu_summary_add(struct hd_gpu_summary *s, const struct hd_gpu_activity *a);
/* Return the sums; the caller owns the result.  The CPU stacks of idle gaps are node ids of `dict`.  Call it once. */
struct hd_gpu *hd_gpu_summary_end(struct hd_gpu_summary *s, const struct hd_gpu_capture *capture);

/* Return true if a kernel of this name communicates between devices: a kernel of NCCL, RCCL or a similar library. */
bool hd_gpu_is_communication(const char *kernel);

#endif
