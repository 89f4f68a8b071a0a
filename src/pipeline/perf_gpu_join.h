/*
 * perf_gpu_join.h - perf.data and the GPU trace of the same run -> one profile
 *
 * The profile has the events of the recording, then those of profile/gpu.h.  The stacks of the latter are the CPU
 * stacks of the launches (gpu/launch_stacks.h): `main;train;gemm;[GPU];kernel`, weighted by GPU time.  CPU time and
 * GPU time overlap, so they remain separate events.
 *
 * A name of --event that begins with `gpu-` selects GPU events, any other name CPU events.
 *
 * Errors: HD_EFORMAT if the recording has no sample of the marker, if its times are not CLOCK_MONOTONIC, or if the two
 * are not of one run.
 * Warning: lost.gpu-launches, for operations without a sample of their launch.
 * Finding: gpu.gap-stack, with opts->details: the CPU stack with the largest weight in the largest gap of a device, by
 * the recording's first event that is neither the marker's nor a GPU event.
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
