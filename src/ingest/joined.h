/*
 * joined.h - perf.data and the GPU trace of the same run -> one profile
 *
 * The profile has the events of the recording, then those of profile/gpu.h.  The stacks of the latter are the CPU
 * stacks of the launches (launches.h): `main;train;gemm;[GPU];kernel`, weighted by GPU time.  CPU time and GPU time
 * overlap, so they remain separate events.
 *
 * A name of --event that begins with `gpu-` selects GPU events, another one CPU events.
 *
 * Errors: HD_EFORMAT if the recording has no sample of the marker, if its times are not CLOCK_MONOTONIC, or if the two
 * are not of one run.
 * Warning: lost.gpu-launches, for operations without a sample of their launch.
 * Finding: gpu.gap-stack, with opts->details: the CPU stack with the largest weight in the largest gap of a device, by
 * the recording's first event that is neither the marker's nor a GPU event.
 */
#ifndef HD_INGEST_JOINED_H
#define HD_INGEST_JOINED_H

#include "ingest/ingest.h"

/* Read as hd_ingest() does.  opts->gpu_trace is the path of the trace. */
int hd_ingest_joined(struct hd_profile **out, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err);

#endif
