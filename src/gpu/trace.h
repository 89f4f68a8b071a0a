/*
 * trace.h - traces of libhotdrift-cuda.so (inject/format.h, docs/gpu-format.md) as activities
 *
 * The file is read twice: first names, modules, stacks and what the trace says of itself, then the activities, which
 * are sorted by start (order.h).  Memory depends on the distinct names and stacks, not on the number of launches.
 *
 * The trace has names of kernels as linked and stacks as addresses.  The caller looks these up (hd_gpu_trace_ask).  Every
 * byte is hostile: a block counts as far as it lies in the file, a record only if it is as long
 * as its type says.
 *
 * Warnings: gpu.not-recorded, gpu.part, gpu.cut, lost.gpu-block, lost.gpu-write, lost.gpu-record, lost.gpu-rest.
 */
#ifndef HD_GPU_TRACE_H
#define HD_GPU_TRACE_H

#include "gpu/activity.h"

/* What was loaded in the process; pointers are valid during the call. */
struct hd_gpu_trace_segment { uint64_t start, len, pgoff; };
struct hd_gpu_trace_module {
	uint32_t number;		/* 1 is the first one; later ones replace what they overlap */
	const char *path;		/* path_len bytes */
	size_t path_len;
	const uint8_t *build_id;
	size_t build_id_len;		/* at most 20 */
	const struct hd_gpu_trace_segment *segments;
	size_t nsegments;
};

/* All modules come first, then all stacks.  Members may be NULL: frames are addresses then, and names as linked. */
struct hd_gpu_trace_ask {
	void *context;
	void (*begin)(void *context, const char *hostname, const char *release, const char *machine);	/* before all others */
	void (*module)(void *context, const struct hd_gpu_trace_module *m);
	/* Return the dict node of a stack of return addresses, innermost first, when `modules` modules had been loaded. */
	uint32_t (*stack)(void *context, struct hd_gpu_dict *dict, const uint64_t *address, size_t n, uint32_t modules);
	/* Set the dict name without template arguments and parameters, and the whole one. */
	void (*kernel)(void *context, struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full);
};

/* What joins a trace with another recording of the same process. */
struct hd_gpu_trace_info {
	uint8_t run_id[16];
	uint64_t begin_monotonic_ns, begin_real_ns;
	uint32_t pid;
	uint32_t status, result;	/* enum hd_cuda_status */
	bool monotonic;			/* activities have CLOCK_MONOTONIC */
	bool stacks;
	char hostname[65], reason[161];
};

/* Return true if an input begins as such a trace. */
bool hd_gpu_trace_is(const char *head, size_t n);
/* Read the header alone. */
int hd_gpu_trace_info(struct hd_gpu_trace_info *info, int fd, const char *path, struct hd_err *err);
/* ask may be NULL. */
int hd_gpu_trace_read(int fd, const char *path, const struct hd_gpu_sink *sink, const struct hd_gpu_trace_ask *ask,
		      struct hd_err *err);

#endif
