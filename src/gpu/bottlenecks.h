/*
 * bottlenecks.h - findings: what limits each GPU, by rules over its summary
 *
 * Per device, over the window from its first operation to the end of its last one:
 *
 *     gpu.cpu-bound       idle for at least half of the window: the host does not keep the device busy.  The finding
 *                         names the API call, the range and the CPU stack of the longest idle gap, if they are known
 *     gpu.copy-bound      copies between host and device take at least 20 % of the window while no kernel runs.  Copies
 *                         on the device (DtoD) do not count.  The finding has the share of the copy time that uses
 *                         pageable memory, unless that is 0
 *     gpu.communication   communication kernels (NCCL, RCCL) run for at least 20 % of the window while no other kernel
 *                         runs
 *     gpu.pageable        most of the copy time between host and device is spent on pageable memory, and that is at
 *                         least 1 % of the window
 *     gpu.compute-bound   kernels run for at least half of the window, and no rule above but gpu.pageable holds
 *     gpu.none            no conclusion is possible: the capture has no operations or cannot have any, the window is
 *                         empty, or none of the rules above holds except gpu.pageable
 */
#ifndef HD_GPU_BOTTLENECKS_H
#define HD_GPU_BOTTLENECKS_H

#include "gpu/activity.h"
#include "profile/profile.h"

/* Add the findings to p->gpu.  The CPU stacks of the idle gaps in p->gpu must be ids of the profile's stacks. */
void hd_gpu_bottlenecks_add(struct hd_profile *p, const struct hd_gpu_capture *capture);

#endif
