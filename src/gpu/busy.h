/*
 * busy.h - when a device is busy, with what, and when it is idle: one sweep over time
 *
 * Operations arrive by rising start.  A lane is a kind of operations: compute, copies, communication and so on.  Each
 * operation belongs to one or more lanes.  A lane is busy while any of its operations runs (the union of intervals).
 * Between the starts of two operations a lane can only become idle, so the sweep stores only the end time of each lane.
 * It adds up how long each combination of lanes was busy:
 *
 *     compute   |===|   |=====|           ns[COMPUTE] += time in which only compute is busy
 *     copy         |======|               ns[COMPUTE | COPY] += time in which both are busy; ns[0] is idle time
 *
 * Operations need no memory.  The timeline has HD_GPU_BUCKETS buckets; their width doubles when the capture is longer
 * than all of them together.
 */
#ifndef HD_GPU_BUSY_H
#define HD_GPU_BUSY_H

#include "profile/gpu.h"

enum hd_gpu_lane {
	HD_GPU_LANE_COMPUTE = 1 << 0,		/* kernels, and graphs that were recorded as a whole */
	HD_GPU_LANE_COPY = 1 << 1,		/* copies and memsets */
	HD_GPU_LANE_HOST_COPY = 1 << 2,		/* copies between host and device */
	HD_GPU_LANE_COMM = 1 << 3,		/* communication kernels */
	HD_GPU_LANE_WORK = 1 << 4,		/* kernels that do not communicate, and graphs */
};
enum { HD_GPU_LANES = 5 };

struct hd_gpu_sweep {
	bool begun;
	/* begin: start of the first operation.  `ns` covers the time [begin, at) so far */
	int64_t begin, at;
	int64_t end[HD_GPU_LANES];		/* time at which each lane becomes idle */
	/* time for each combination of busy lanes, the bit mask of which is the index */
	uint64_t ns[1 << HD_GPU_LANES];
	struct hd_gpu_bucket *buckets;		/* HD_GPU_BUCKETS of them */
	unsigned shift;				/* a bucket is 1 << shift ns wide */
};

void hd_gpu_sweep_init(struct hd_gpu_sweep *s);
void hd_gpu_sweep_release(struct hd_gpu_sweep *s);
/*
 * Add an operation.  lanes: bit mask of its kinds.  end >= start, and operations must come by rising start.  Returns
 * true if the device was idle right before the operation; *idle_since is then the start of that gap.
 */
bool hd_gpu_sweep_add(struct hd_gpu_sweep *s, unsigned lanes, int64_t start, int64_t end, int64_t *idle_since);
/* Count the time up to the end of the last operation, and fill in `busy`. */
void hd_gpu_sweep_end(struct hd_gpu_sweep *s, struct hd_gpu_busy *busy);

#endif
