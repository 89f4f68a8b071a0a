/*
 * activity.h - the interface of the readers of GPU captures: one activity after the other
 *
 *     nsys.h        exports of Nsight Systems (SQLite)
 *     kineto.h      traces of the PyTorch profiler (JSON)
 *     cuda_trace.h  recordings of libhotdrift-cuda.so; this reader has one more argument
 *
 *     int hd_gpu_X_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err);
 *
 * A reader fills sink->capture as far as the input allows.  Then it calls sink->activity once per activity, by rising
 * start_ns; at equal starts launches come before the operations of devices.  Before it returns, it completes
 * sink->capture (records lost, session end).  A reader whose input is not in this order sorts with activity_sorter.h,
 * in bounded memory.  A negative return value of sink->activity ends the reading and is returned.
 *
 * Activities are plain values: strings and stacks are ids of sink->dict.  Readers intern what is bounded by the
 * program (names of kernels and functions), never what grows with the number of launches: a text such as "aten::add,
 * op_id = 17" is interned without its number.
 *
 * A reader that discovers too late that its input is not in the order it assumed may return HD_GPU_AGAIN.  The caller
 * then discards its results and calls the reader again with sink->again set; now the reader assumes no order.
 *
 * Errors: HD_EFORMAT if nothing can be read, HD_EIO if reading or a temporary file fails.  The reader skips damaged
 * parts and counts them with hd_warn(sink->log, "lost....").  It need not check for end < start: the consumer (feed.h)
 * counts and skips such activities.
 */
#ifndef HD_GPU_ACTIVITY_H
#define HD_GPU_ACTIVITY_H

#include "base/err.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/strtab.h"
#include "profile/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each comment names the fields of struct hd_gpu_activity that this kind needs besides times, device and process. */
enum hd_gpu_kind {
	HD_GPU_KERNEL, /* on a device: name, correlation */
	HD_GPU_COPY, /* on a device: copy, bytes, from, to */
	HD_GPU_SET, /* on a device: bytes, to */
	HD_GPU_GRAPH, /* on a device: a whole CUDA graph whose nodes were not recorded one by one; name may be 0 */
	HD_GPU_SYNC, /* on the host: a thread waits for a device; `sync` is what it waits for */
	HD_GPU_LAUNCH, /* on the host: a call of the CUDA API (of any function); has name, correlation, stack */
	HD_GPU_ALLOC, /* at start_ns: an allocation of `bytes` bytes at `address`, of memory kind `to` */
	HD_GPU_FREE, /* at start_ns: a free of device memory; bytes may be 0 if the address is known */
	HD_GPU_RANGE, /* on the host: an NVTX range, an annotation of the program, or an operator; has a name */
	HD_GPU_METRIC, /* at start_ns: a sampled hardware metric: name, value */
	HD_GPU_KINDS
};

struct hd_gpu_activity {
	int64_t start_ns, end_ns;	/* times of the capture's clock: capture.clock */
	uint64_t correlation;		/* (pid, correlation) is equal in a device activity and its API call; 0: none */
	uint64_t bytes;			/* size in bytes; valid only if `sized` is set */
	uint64_t address;		/* ALLOC, FREE */
	double value;			/* the sampled value of a METRIC */
	uint32_t name; /* id in dict->names; the short form, without template arguments, if known */
	uint32_t full;			/* dict->names id of the whole name, mangled or not; 0: the same as `name` */
	/* dict node id of the innermost frame of the CPU stack that made the API call; 0: unknown */
	uint32_t stack;
	uint32_t device, stream;
	uint32_t context;		/* 0: unknown */
	uint32_t pid, tid;		/* process and thread on the host; for a device activity the tid may be 0 */
	uint32_t graph; /* id of the CUDA graph that a GRAPH activity ran, or that contains the kernel; 0: unknown */
	uint8_t kind;			/* enum hd_gpu_kind, above */
	uint8_t copy;			/* enum hd_gpu_copy */
	uint8_t from, to;		/* enum hd_gpu_memory_kind: source and destination */
	uint8_t sync;			/* enum hd_gpu_sync: what a SYNC waits for */
	bool sized;			/* `bytes` is known */

	/*
	 * Readers leave the following fields 0.  feed.h copies them from the API call with the same (pid, correlation),
	 * if there is one (joined).
	 */
	bool joined;
	int64_t launch_ns;		/* start time of the API call */
	uint32_t launch_name;
};

/* A frame of a CPU stack.  It has a name, an address, or both. */
struct hd_gpu_frame {
	uint32_t name;			/* dict->names id; 0: not known */
	uint32_t module;		/* dict->names id: path of the object; 0: not known */
	uint64_t address;		/* address in the process; 0: unknown */
};

struct hd_gpu_node { uint32_t caller; struct hd_gpu_frame frame; };


/*
 * Names and stacks of activities.  Stacks are nodes of a tree of shared prefixes.  The id of a caller is below the ids
 * of its callees; node 0 is "no stack".
 */
struct hd_gpu_dict {
	struct hd_strtab *names;	/* borrowed: those of the profile */
	struct hd_gpu_node *nodes;
	size_t nnodes, nodes_cap;
	struct hd_index index;
};

void hd_gpu_dict_init(struct hd_gpu_dict *d, struct hd_strtab *names);
void hd_gpu_dict_release(struct hd_gpu_dict *d);
/*
 * Return the id of `caller` extended by `frame`; add it if it is new.  Call this once per frame, outermost frame first,
 * beginning with caller 0.
 */
uint32_t hd_gpu_dict_stack(struct hd_gpu_dict *d, uint32_t caller, const struct hd_gpu_frame *frame);

struct hd_gpu_device_info {
	uint32_t id;
	uint32_t name;			/* dict->names id */
	/* size of the memory, and its bandwidth in bytes per second; 0: not known */
	uint64_t total_bytes, bandwidth_bytes;
};

struct hd_gpu_process { uint32_t pid, name; };	/* name: dict->names id of the command */

/* The description of the capture that the input contains. */
struct hd_gpu_capture {
	const char *source;		/* "nsys", "kineto", "hotdrift"; a constant */
	char *version;			/* owned, or NULL */
	/* meaning of time 0: "session start", "CLOCK_MONOTONIC", "1970", "the trace's own"; a constant */
	const char *clock;
	int64_t epoch_ns;		/* UNIX time of time 0; 0: not known, or `clock` is "1970" */
	int64_t session_start_ns, session_end_ns;	/* equal: not known */
	uint64_t dropped;		/* records that the recorder lost, by its own count */
	/* the input can contain device activities; if false, no busy time is reported (instead of 0 %) */
	bool has_device_tables;
	bool has_api, has_memory, has_stacks;	/* API calls, allocations, launch stacks */
	/*
	 * the reader reports synchronisations itself; otherwise feed.h derives them from API calls whose names contain
	 * "Synchronize"
	 */
	bool has_sync;
	struct hd_gpu_device_info *devices;
	size_t ndevices, devices_cap;
	struct hd_gpu_process *processes;
	size_t nprocesses, processes_cap;
	char *hostname;			/* owned, or NULL */
	char *command;			/* owned: command_len bytes, arguments with a NUL after each; or NULL */
	size_t command_len;
};

void hd_gpu_capture_release(struct hd_gpu_capture *c);

struct hd_gpu_sink {
	struct hd_gpu_dict *dict;
	struct hd_gpu_capture *capture;
	struct hd_log *log;
	int (*activity)(void *context, const struct hd_gpu_activity *a, struct hd_err *err); /* < 0 ends the reading */
	void *context;
	bool again;			/* the reader has returned HD_GPU_AGAIN before, so it must assume no order */
};

enum { HD_GPU_AGAIN = 1 };

#endif
