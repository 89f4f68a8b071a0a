/*
 * correlation.h - which API call launched a device activity: (pid, correlation) -> call
 *
 * Activities arrive by rising start, so a call arrives before the operation that it launches.  The table has a fixed
 * size of HD_GPU_CALLS calls, in sets of four: a new call replaces the oldest of its set.  Correlation ids count up, so
 * neighbouring calls are neighbours in memory, and a call is replaced after about HD_GPU_CALLS further ones.  A lookup
 * does not remove the call, because all kernels of a CUDA graph share the correlation id of the graph's launch.
 */
#ifndef HD_GPU_CORRELATION_H
#define HD_GPU_CORRELATION_H

#include "gpu/activity.h"

enum { HD_GPU_CALLS = 1 << 17 };

struct hd_gpu_correlation;

struct hd_gpu_correlation *hd_gpu_correlation_new(void);
void hd_gpu_correlation_free(struct hd_gpu_correlation *m);		/* accepts NULL */
/*
 * Store a call (kind LAUNCH); a call without a correlation id is ignored.  It replaces a stored call with the same key,
 * unless the stored one is the outer call of the two, which began no later and ended no earlier.
 */
void hd_gpu_correlation_add(struct hd_gpu_correlation *m, const struct hd_gpu_activity *call);
/*
 * Look up the call that launched `a`.  If it is found, set joined, launch_ns and launch_name; also set stack and tid if
 * they are 0.
 */
void hd_gpu_correlation_lookup(const struct hd_gpu_correlation *m, struct hd_gpu_activity *a);

#endif
