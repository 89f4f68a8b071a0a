/*
 * bottlenecks.h - findings: what limits each GPU, by rules over its summary
 *
 * Per device, over the window from its first operation to the end of its last one:
 *
 *     gpu.cpu-bound       idle for at least half of the window: the host does not keep the device busy.  The finding
 *                         names the API calls or the CPU stack of the largest gap
 *     gpu.copy-bound      copies between host and device take at least 20 % of the window while no kernel runs.  Copies
 *                         on the device (DtoD) do not count; pageable memory is named
 *     gpu.communication   communication kernels (NCCL, RCCL) run for at least 20 % of the window while no other kernel
 *                         runs
 *     gpu.pageable        most of the copy time between host and device is spent on pageable memory, and that is at
 *                         least 1 % of the window
 *     gpu.compute-bound   kernels run for at least half of the window, and no rule above but gpu.pageable holds
 *     gpu.none            no conclusion is possible: no operation, an empty window, no table of operations, or no rule
 *                         holds
 */
#ifndef HD_GPU_BOTTLENECKS_H
#define HD_GPU_BOTTLENECKS_H

#include "gpu/activity.h"
#include "profile/profile.h"

/* Add the findings to p->gpu; the stacks of its gaps are stacks of the profile. */
void hd_gpu_bottlenecks_add(struct hd_profile *p, const struct hd_gpu_capture *capture);

#endif
