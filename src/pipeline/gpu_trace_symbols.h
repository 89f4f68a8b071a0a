/*
 * gpu_trace_symbols.h - traces of libhotdrift-cuda.so: look up the stacks of launches and the names of kernels
 *
 * The trace has addresses, and the modules that contain them.  A process can load and unload modules, so each module is
 * mapped in a process table at a separate, synthetic time.  Modules have increasing times.  A stack is looked up at a
 * time after the last module that was loaded before the stack was recorded, and before the time of the next module.
 */
#ifndef HD_PIPELINE_GPU_TRACE_SYMBOLS_H
#define HD_PIPELINE_GPU_TRACE_SYMBOLS_H

#include "gpu/activity.h"
#include "pipeline/options.h"

/*
 * As hd_cuda_trace_read() (gpu/cuda_trace.h), but add names and modules to the frames, and demangle the names of
 * kernels.
 */
int hd_gpu_trace_symbols_read(int fd, const char *path, const struct hd_pipeline_opts *opts,
	const struct hd_gpu_sink *sink, struct hd_err *err);

/*
 * Add the demangled names of a kernel to `dict` and set *name and *full to their string ids: *name is without template
 * arguments and parameters, *full with them.  A name that is not mangled is not changed.
 */
void hd_gpu_kernel_name(struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full);

#endif
