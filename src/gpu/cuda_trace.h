/*
 * cuda_trace.h - traces of libhotdrift-cuda.so (inject/format.h, docs/gpu-format.md) as activities
 *
 * The reader walks the file twice.  The first walk takes names, modules, stacks and the description of the capture;
 * the second one takes the activities, which are sorted by start (activity_sorter.h).  Memory depends on the number of
 * distinct names and stacks, not on the number of launches.
 *
 * The trace has names of kernels as linked and stacks as addresses.  The caller resolves both (hd_cuda_trace_lookup).
 * Every byte is hostile: the reader uses a block as far as it lies in the file, and a record only if it has the length
 * that its type requires.
 *
 * Warnings: gpu.not-recorded, gpu.part, gpu.cut, lost.gpu-block, lost.gpu-write, lost.gpu-record, lost.gpu-rest,
 * lost.gpu-time.
 */
#ifndef HD_GPU_CUDA_TRACE_H
#define HD_GPU_CUDA_TRACE_H

#include "gpu/activity.h"

/* A mapped segment of a module: its address in the process, its length in bytes, and its offset in the file. */
struct hd_cuda_trace_segment { uint64_t start, len, pgoff; };
/* A program or library that the process had loaded.  Pointers are valid during the call. */
struct hd_cuda_trace_module {
	/* modules are numbered from 1; a later module replaces the earlier ones that it overlaps */
	uint32_t number;
	const char *path;		/* path_len bytes */
	size_t path_len;
	const uint8_t *build_id;
	size_t build_id_len;		/* at most 20 */
	const struct hd_cuda_trace_segment *segments;
	size_t nsegments;
};

/*
 * Symbol lookups that the caller provides.  Each function may be NULL; addresses of frames and linkage names of kernels
 * are then not resolved.  All modules are passed before the first stack.
 */
struct hd_cuda_trace_lookup {
	void *context;
	void (*begin)(void *context, const char *hostname, const char *release, const char *machine); /* called first */
	void (*module)(void *context, const struct hd_cuda_trace_module *m);
	/*
	 * Return the dict node of a stack of n return addresses, innermost first.  modules: number of the last module
	 * that was recorded before the stack, 0 if none was; modules with a larger number do not count for the stack.
	 */
	uint32_t (*stack)(void *context, struct hd_gpu_dict *dict, const uint64_t *address, size_t n, uint32_t modules);
	/*
	 * Look up the names of the kernel with the linkage name `linked`.  Set *name to the dict id of the short name
	 * (without template arguments and parameters), and *full to the dict id of the full name.
	 */
	void (*kernel)(void *context, struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full);
};

/* The part of a trace's header that is needed to match the trace with another recording of the same process. */
struct hd_cuda_trace_info {
	uint8_t run_id[16];
	uint64_t begin_monotonic_ns, begin_real_ns;
	uint32_t pid;
	uint32_t status, result;	/* status: enum hd_cuda_status; result: CUptiResult */
	bool monotonic;			/* times of activities are CLOCK_MONOTONIC */
	bool stacks;			/* launches have stacks */
	char hostname[65], reason[161];	/* reason: why nothing was recorded, or "" */
};

/* Return true if a file that begins with these bytes is a trace of libhotdrift-cuda.so. */
bool hd_cuda_trace_is(const char *head, size_t n);
/* Read only the header of a trace.  Returns 0, HD_EFORMAT if the header is invalid, or HD_EIO. */
int hd_cuda_trace_info(struct hd_cuda_trace_info *info, int fd, const char *path, struct hd_err *err);
/*
 * Read a trace.  lookup is borrowed and may be NULL.  Returns 0, HD_EFORMAT if the header is invalid, HD_EIO, or the
 * negative value with which sink->activity ended the reading.
 */
int hd_cuda_trace_read(int fd, const char *path, const struct hd_gpu_sink *sink,
		      const struct hd_cuda_trace_lookup *lookup, struct hd_err *err);

#endif
