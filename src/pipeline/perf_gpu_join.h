/*
 * perf_gpu_join.h - read perf.data and the GPU trace of the same run into one profile
 *
 * The profile has the events of the recording, then the GPU events (profile/gpu.h).  A stack of a GPU event begins with
 * the CPU stack of the launch (gpu/launch_stacks.h) and is weighted by GPU time: `main;train;gemm;[GPU];kernel`.  CPU
 * time and GPU time overlap, so they remain separate events.
 *
 * A name of --event that is one of the GPU events (profile/gpu.h) selects this event, any other name CPU events.
 *
 * Errors: HD_EFORMAT if the recording has no sample of the launch marker (a uprobe at each CUDA launch), if its times
 * are not CLOCK_MONOTONIC, or if trace and recording are not of the same run.  HD_EUSAGE if opts->fields leaves no room
 * for the field of the marker.
 *
 * Warnings: lost.gpu-launches, for operations without a sample of their launch; gpu.repeated-launches, for launches
 * with the correlation id of an earlier one.
 *
 * Finding: gpu.gap-stack, with opts->details: for each of the first four devices, the CPU stack with the largest weight
 * in the largest gap.  The weight is that of the first CPU event with samples other than the launch marker.
 */
#ifndef HD_PIPELINE_PERF_GPU_JOIN_H
#define HD_PIPELINE_PERF_GPU_JOIN_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* As hd_pipeline_read().  opts->gpu_trace is the path of the trace. */
int hd_perf_gpu_join_read(struct hd_profile **out, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif
