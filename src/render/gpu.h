/*
 * gpu.h - print the summary of a GPU capture: findings, time of each device, copies, memory, calls, gaps
 *
 * profile/gpu.h defines the figures.  Times have a unit, shares are per cent of the window in the same row, rates are
 * in 10^9 bytes per second.  `n/a` means that the capture does not have the figure.
 *
 * hd_gpu_info_text() and hd_gpu_json() write nothing if the profile has no hd_profile.gpu; hd_gpu_table.fill() must not
 * be called then.
 */
#ifndef HD_RENDER_GPU_H
#define HD_RENDER_GPU_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "render/table.h"
#include "profile/gpu.h"
#include "profile/profile.h"

/* One table of the capture. `fill` adds the cells; callers omit a table without cells. */
struct hd_gpu_table {
	const char *title;
	const struct hd_column *columns;
	size_t ncolumns;
	void (*fill)(struct hd_table *t, const struct hd_profile *p);
};
extern const struct hd_gpu_table hd_gpu_tables[];
extern const size_t hd_gpu_ntables;

/*
 * Append the lines about the capture for `hotdrift info`: source, number of operations with a known API call,
 * launch-to-start latency, findings.
 */
void hd_gpu_info_text(struct hd_buf *out, const struct hd_profile *p);
/* Append one finding as raw bytes: `GPU 0: ...; FIX`. */
void hd_gpu_finding_text(struct hd_buf *out, const struct hd_gpu_finding *f);
/*
 * Append the member "gpu" to the open object: {"source","version","clock","epoch_ns","devices":[{"device","name",
 * "total_bytes","windows":[{"window":"active|session","start_ns","end_ns","compute_ns","copy_ns","overlap_ns",
 * "idle_ns","host_copy_ns","host_copy_alone_ns","communication_ns","communication_alone_ns"}],
 * "kernels":{"count","ns"},...,
 * "copies":[{"kind","count","bytes","ns","gbps","pageable"}],"memory":{},"all_gaps","gaps":[]}],"syncs":[],"calls":[],
 * "launch_to_start":{},"joined","joinable","with_stack","dropped","invalid",
 * "findings":[{"code","device","text","fix"}]}.
 *
 * bytes and gbps are null if the capture has no sizes; memory is null if it has no allocations.
 */
void hd_gpu_json(struct hd_jsonw *w, const struct hd_profile *p);

#endif
