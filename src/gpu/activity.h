/*
 * activity.h - the interface of the readers of GPU captures: one activity after the other
 *
 *     nsys.c    exports of Nsight Systems (SQLite)
 *     kineto.c  traces of the PyTorch profiler (JSON)
 *     cuda_trace.c   recordings of libhotdrift-cuda.so
 *
 *     int hd_gpu_X_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err);
 *
 * A reader fills sink->capture before the first activity as far as the input allows, and completes it (records lost,
 * session end) before it returns.  Then it calls sink->activity once per activity, by rising start_ns; of equal starts
 * launches come first.  A reader whose input is not in this order sorts with activity_sorter.h, in bounded memory.  A
 * negative return value of sink->activity ends the reading and is returned.
 *
 * Activities are plain values: strings and stacks are ids of sink->dict.  Readers intern what is bounded by the
 * program (names of kernels and functions), never what grows with the number of launches: a text such as "aten::add,
 * op_id = 17" is interned without its number.
 *
 * A reader that discovers too late that its input is not in order may return HD_GPU_AGAIN.  The caller then discards
 * its results and calls the reader again with sink->again set; now the reader sorts everything.
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

enum hd_gpu_kind {
	HD_GPU_KERNEL, /* on a device: name, launched by `correlation` */
	HD_GPU_COPY, /* on a device: copy, bytes, from, to */
	HD_GPU_SET, /* on a device: bytes, to */
	HD_GPU_GRAPH, /* on a device: a whole graph, when its nodes were not recorded one by one; name may be 0 */
	HD_GPU_SYNC, /* on the host: the time that a thread waits for a device, in `sync` */
	HD_GPU_LAUNCH, /* on the host: an API call (any, not only launches); name, correlation, stack */
	HD_GPU_ALLOC, /* at start_ns: bytes at address, of kind `to` */
	HD_GPU_FREE, /* at start_ns: the same; bytes may be 0 if the address is known */
	HD_GPU_RANGE, /* on the host: an NVTX range, an annotation of the program, an operator; name */
	HD_GPU_METRIC, /* at start_ns: a sampled hardware metric: name, value */
	HD_GPU_KINDS
};

struct hd_gpu_activity {
	int64_t start_ns, end_ns;	/* times of the capture's clock: capture.clock */
	uint64_t correlation;		/* with pid, the key that joins a device activity and its API call; 0: none */
	uint64_t bytes;			/* if sized */
	uint64_t address;		/* ALLOC, FREE */
	double value;			/* METRIC */
	uint32_t name; /* dict->names id; without template arguments, if the capture has that form, too */
	uint32_t full;			/* dict->names id of the whole name, mangled or not; 0: as name */
	uint32_t stack;			/* dict node id of the CPU stack of the call, innermost frame; 0: not known */
	uint32_t device, stream;
	uint32_t context;		/* 0: unknown */
	uint32_t pid, tid;		/* process and thread on the host; for a device activity the tid may be 0 */
	uint32_t graph; /* id of the graph that a GRAPH ran, or that a kernel is a node of; 0: not known */
	uint8_t kind;			/* enum hd_gpu_kind */
	uint8_t copy;			/* enum hd_gpu_copy */
	uint8_t from, to;		/* enum hd_gpu_memory_kind: source and destination */
	uint8_t sync;			/* enum hd_gpu_sync */
	bool sized;			/* `bytes` is known */

	/* Filled by feed.h from the API call of the same (pid, correlation); readers leave 0. */
	bool joined;
	int64_t launch_ns;		/* start of the call */
	uint32_t launch_name;
};

/* A frame of a CPU stack.  Either `name` or `address` or both. */
struct hd_gpu_frame {
	uint32_t name;			/* dict->names id; 0: not known */
	uint32_t module;		/* dict->names id: path of the object; 0: not known */
	uint64_t address;		/* address in the process; 0: unknown */
};

struct hd_gpu_node { uint32_t caller; struct hd_gpu_frame frame; };


/* Names and stacks of activities.  Stacks are a tree of shared prefixes: caller < id; node 0 is "no stack". */
struct hd_gpu_dict {
	struct hd_strtab *names;	/* borrowed: those of the profile */
	struct hd_gpu_node *nodes;
	size_t nnodes, nodes_cap;
	struct hd_index index;
};

void hd_gpu_dict_init(struct hd_gpu_dict *d, struct hd_strtab *names);
void hd_gpu_dict_release(struct hd_gpu_dict *d);
/* Return the id of `caller` extended by `frame`; outermost frame first, beginning with caller 0. */
uint32_t hd_gpu_dict_stack(struct hd_gpu_dict *d, uint32_t caller, const struct hd_gpu_frame *frame);

struct hd_gpu_device_info {
	uint32_t id;
	uint32_t name;			/* dict->names id */
	uint64_t total_bytes, bandwidth_bytes;	/* 0: not known */
};

struct hd_gpu_process { uint32_t pid, name; };	/* name: dict->names id of the command */

/* The description of the capture that the input contains. */
struct hd_gpu_capture {
	const char *source;		/* "nsys", "kineto", "hotdrift"; a constant */
	char *version;			/* owned */
	/* the origin of the times: "session start", "CLOCK_MONOTONIC", "1970"; a constant */
	const char *clock;
	int64_t epoch_ns;		/* UNIX time of time 0; 0: not known */
	int64_t session_start_ns, session_end_ns;	/* equal: not known */
	uint64_t dropped;		/* records that the recorder lost, by its own count */
	bool has_device_tables; /* the input can hold device activities; if false, no busy time is reported, not 0 % */
	bool has_api, has_memory, has_stacks;	/* API calls, allocations, launch stacks */
	bool has_sync;			/* the reader passes SYNC; else feed.h makes them from API calls of that name */
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
	bool again;			/* the reader returned HD_GPU_AGAIN before: it must sort */
};

enum { HD_GPU_AGAIN = 1 };

#endif
