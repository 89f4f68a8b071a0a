/*
 * gpu_trace_symbols.h - traces of libhotdrift-cuda.so: stacks of launches and names of kernels through our own symbols/
 *
 * The trace has addresses, and the modules that contain them.  A process loads and unloads modules, so this reader maps
 * each module at a time of its own in process/, and looks up a stack at the time when it was recorded.
 */
#ifndef HD_PIPELINE_GPU_TRACE_SYMBOLS_H
#define HD_PIPELINE_GPU_TRACE_SYMBOLS_H

#include "gpu/activity.h"
#include "pipeline/options.h"

/*
 * Read as hd_cuda_trace_read() (gpu/cuda_trace.h) does, with names and modules of frames and demangled names of
 * kernels.
 */
int hd_gpu_trace_symbols_read(int fd, const char *path, const struct hd_pipeline_opts *opts,
	const struct hd_gpu_sink *sink, struct hd_err *err);

/*
 * Set the dict name of a kernel, from its linked name: *name without template arguments and parameters, *full whole.
 * Names that are not mangled stay as they are.
 */
void hd_gpu_kernel_name(struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full);

#endif
