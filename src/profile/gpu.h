/*
 * gpu.h - the summary of a GPU capture, besides its sample rows: time of each device, copies, memory, latency, findings
 *
 *     hd_profile.gpu     NULL for inputs that are not GPU captures
 *
 * gpu/summary.c computes all of it in one pass, in memory that does not depend on the number of launches.  Costs per
 * kernel, per copy and per launch stack are the sample rows of the profile, whose events are:
 *
 *     gpu-kernels      ns      leaf: the kernel, object `[gpu]`; communication kernels are kernels, too
 *     gpu-copies       ns      leaf: `[copy HtoD]` and the like
 *     gpu-copy-bytes   bytes   the same leaves; without copies of unknown size
 *     gpu-sets         ns      leaf: `[memset]`
 *     gpu-sync         ns      time of the host in calls that wait for the device; leaf: `[sync stream]` and the like
 *
 * Times are nanoseconds of the capture's own clock (hd_gpu.clock).  Names are string ids of the profile, 0: none.
 * Percentages are not stored: a reader divides by the window that it shows (hd_gpu_percent).
 *
 * Busy time of a device is a union: kernels that run at the same time count once.  "copy" is the union of copies and
 * memsets.  For each window:  compute + copy - overlap + idle = window.
 *
 * Ownership: everything belongs to struct hd_gpu; hd_gpu_free() frees it.
 */
#ifndef HD_PROFILE_GPU_H
#define HD_PROFILE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_GPU_OBJECT "[gpu]"	/* object of the frames of all GPU operations, and of the frame [GPU] above them */

/* Direction of a copy.  The values are also indexes of hd_gpu_device.copies. */
enum hd_gpu_copy {
	HD_GPU_COPY_UNKNOWN, HD_GPU_HTOD, HD_GPU_DTOH, HD_GPU_DTOD, HD_GPU_HTOH, HD_GPU_PTOP,
	HD_GPU_UVM_HTOD, HD_GPU_UVM_DTOH, HD_GPU_UVM_DTOD,	/* copies of unified memory */
	HD_GPU_COPIES
};

/* Kind of memory: of the source or target of a copy, of a memset, or of an allocation. */
enum hd_gpu_memory_kind {
	HD_GPU_MEM_UNKNOWN, HD_GPU_PAGEABLE, HD_GPU_PINNED, HD_GPU_DEVICE_MEMORY, HD_GPU_ARRAY, HD_GPU_MANAGED,
	HD_GPU_DEVICE_STATIC, HD_GPU_MANAGED_STATIC,
	HD_GPU_MEMORY_KINDS
};

/* The object that a synchronisation waits for. */
enum hd_gpu_sync {
	HD_GPU_SYNC_UNKNOWN, HD_GPU_SYNC_EVENT, HD_GPU_SYNC_WAIT_EVENT, HD_GPU_SYNC_STREAM, HD_GPU_SYNC_CONTEXT,
	HD_GPU_SYNCS
};

/*
 * Number of operations and sum of their durations.  If operations overlap in time, each counts with its full duration,
 * unlike in hd_gpu_busy.
 */
struct hd_gpu_sum { uint64_t count, ns; };

struct hd_gpu_copies {
	uint64_t count, ns;
	uint64_t bytes;			/* bytes of the copies whose size is known */
	uint64_t sized;			/* number of copies whose size is known; 0: bytes and GB/s are unknown */
	uint64_t sized_ns;		/* duration of the copies whose size is known */
	uint64_t pageable, pageable_ns;	/* copies with pageable host memory at one end */
};

/* Busy times of one device from start_ns to end_ns.  Time in which several operations of a kind overlap counts once. */
struct hd_gpu_busy {
	int64_t start_ns, end_ns;
	uint64_t compute_ns, copy_ns, overlap_ns, idle_ns;
	uint64_t host_copy_ns;		/* time of the copies between host and device */
	uint64_t host_copy_alone_ns;	/* part of host_copy_ns in which no kernel ran */
	/* time of communication kernels (NCCL, RCCL), which is also part of compute_ns */
	uint64_t comm_ns;
	uint64_t comm_alone_ns;		/* part of comm_ns in which no other kernel ran */
};

enum { HD_GPU_GAP_CALLS = 4 };

/* A time span in which a device ran no operation. */
struct hd_gpu_gap {
	int64_t start_ns, end_ns;
	uint32_t before, after;		/* names of the operations before and after the gap */
	uint32_t range;			/* name of the NVTX range or annotation that covers most of the gap */
	uint32_t call[HD_GPU_GAP_CALLS];	/* API calls that ran in the gap, longest first */
	uint64_t call_ns[HD_GPU_GAP_CALLS];	/* the part of the gap that each call covers */
	/* hd_stack_id.v of the CPU stack that launched the operation after the gap; 0: unknown */
	uint32_t stack;
};

/* One of the longest operations of a device. */
struct hd_gpu_span {
	int64_t start_ns, end_ns;
	uint32_t name;
	uint32_t stream;
	uint8_t kind;			/* kind of the operation: 0 kernel or whole CUDA graph, 1 copy, 2 memset */
};

/*
 * Memory use of a device, computed from allocations and frees of device memory, managed memory, and memory of unknown
 * kind.  `known` is false if the capture has none of these for the device.
 */
struct hd_gpu_memory_use {
	bool known;
	uint64_t used_bytes;		/* live after the last event of the capture */
	uint64_t peak_bytes;
	int64_t peak_ns;
	int64_t delta_bytes;		/* growth during the capture: used_bytes, at most INT64_MAX */
	uint64_t allocs, frees;		/* numbers of allocations and of frees; `frees` excludes unmatched_frees */
	uint64_t unmatched_frees;	/* frees without a recorded allocation; they do not change used_bytes */
};

/*
 * Busy times of a device in one bucket of the timeline.  The idle time is not stored: it is the width of the bucket
 * - compute - copy + overlap.
 */
struct hd_gpu_bucket { uint64_t compute_ns, copy_ns, overlap_ns; };

enum { HD_GPU_BUCKETS = 2000, HD_GPU_LONGEST = 256, HD_GPU_GAPS = 10 };

struct hd_gpu_device {
	uint32_t id;
	uint32_t name;
	uint64_t total_bytes;		/* memory of the device; 0: unknown */
	uint64_t bandwidth_bytes;	/* memory bandwidth in bytes per second; 0: unknown */
	struct hd_gpu_busy active;	/* busy times from the start of the first operation to the end of the last */
	struct hd_gpu_busy session;	/* busy times of the whole capture; start_ns == end_ns: unknown */
	struct hd_gpu_sum kernels, comm, sets, graphs;	/* comm: communication kernels, also in `kernels` */
	struct hd_gpu_copies copies[HD_GPU_COPIES];
	struct hd_gpu_memory_use memory;
	struct hd_gpu_gap gaps[HD_GPU_GAPS];	/* longest first */
	size_t ngaps;
	uint64_t all_gaps;		/* number of all gaps, including those that are not stored */
	struct hd_gpu_span *longest;	/* in ascending order of start_ns */
	size_t nlongest;
	int64_t timeline_ns;		/* start of the first bucket of the timeline */
	uint64_t bucket_ns;		/* width of each bucket */
	struct hd_gpu_bucket *buckets;
	size_t nbuckets;		/* <= HD_GPU_BUCKETS */
};

/* Launch latency: from the start of an API call to the start of the operation that it launched. */
struct hd_gpu_latency {
	uint64_t count;
	/* operations that, by the capture's times, started before their API call; they count with a latency of 0 ns */
	uint64_t early;
	double mean_ns;
	uint64_t p50_ns, p95_ns, max_ns;	/* percentiles come from a histogram; their error is at most 1.6 % */
};

struct hd_gpu_call { uint32_t name; uint64_t count, ns; };	/* one API function */

/* A hardware metric that the capture sampled. */
struct hd_gpu_metric { uint32_t device, name; uint64_t count; double mean, max; };

#define HD_GPU_NO_DEVICE UINT32_MAX

struct hd_gpu_finding {
	const char *code;		/* "gpu.cpu-bound", ...: gpu/bottlenecks.h; a constant */
	uint32_t device;		/* device id; HD_GPU_NO_DEVICE: the whole capture */
	char *text;			/* raw bytes; the writers of output encode them */
	char *fix;			/* advice to the user, or "" */
};

struct hd_gpu {
	const char *source;		/* "nsys", "kineto", "hotdrift"; a constant */
	char *version;			/* version of the format or exporter as recorded in the capture, or NULL */
	/* origin of times, a constant: "session start", "CLOCK_MONOTONIC", "1970" or "the trace's own" */
	const char *clock;
	int64_t epoch_ns;		/* UNIX time of time 0 of the clock; 0: unknown */
	struct hd_gpu_device *devices;	/* in ascending order of id */
	size_t ndevices;
	struct hd_gpu_sum kernels, comm, copies, sets, graphs;	/* sums over all devices */
	struct hd_gpu_sum syncs[HD_GPU_SYNCS];
	struct hd_gpu_call *calls;	/* API functions in descending order of time, at most 64 */
	size_t ncalls;
	struct hd_gpu_sum api;		/* all API calls */
	uint64_t joinable,	/* number of kernels, copies, memsets and whole CUDA graphs */
		joined;		/* operations whose API call was found by (pid, correlation id) */
	uint64_t with_stack;		/* operations whose launch stack is known */
	struct hd_gpu_latency latency;
	uint64_t dropped; /* number of records that the recorder reports as lost (warning lost.gpu-records) */
	uint64_t invalid; /* number of dropped activities that end before they start (warning lost.gpu-time) */
	uint64_t unnamed;		/* number of CUDA graphs that were recorded as a whole, without their kernels */
	struct hd_gpu_metric *metrics;
	size_t nmetrics;
	struct hd_gpu_finding *findings;	/* the most important first */
	size_t nfindings, findings_cap;
};

/* The events of a capture, in this order. */
enum hd_gpu_event {
	HD_GPU_EVENT_KERNELS, HD_GPU_EVENT_COPIES, HD_GPU_EVENT_COPY_BYTES, HD_GPU_EVENT_SETS, HD_GPU_EVENT_SYNC,
	HD_GPU_EVENTS
};
extern const struct hd_gpu_event_name { const char *name, *unit; } hd_gpu_events[HD_GPU_EVENTS];
/*
 * Return true if `name` is an event of GPU captures.  The weights of these events are measured for every operation,
 * not sampled, so a difference between two runs contains no sampling error.
 */
bool hd_gpu_is_event(const char *name);

void hd_gpu_free(struct hd_gpu *g);		/* accepts NULL */

/* Return 100 * ns / window, 0 for an empty window. */
double hd_gpu_percent(uint64_t ns, const struct hd_gpu_busy *window);
/* Return the length of a window in ns. */
uint64_t hd_gpu_window(const struct hd_gpu_busy *w);
/*
 * Return the rate of the copies with a known size, in gigabytes (10^9 bytes) per second; -1 if there are none or if
 * their duration is 0.
 */
double hd_gpu_gbps(const struct hd_gpu_copies *c);
/* Return true if the copies go between host and device. */
bool hd_gpu_copy_is_host(enum hd_gpu_copy kind);
const char *hd_gpu_copy_name(enum hd_gpu_copy kind);		/* "HtoD", "DtoH", ... */
const char *hd_gpu_memory_kind_name(enum hd_gpu_memory_kind kind);	/* "pageable", ... */
const char *hd_gpu_sync_name(enum hd_gpu_sync kind);		/* "stream", "context", ... */

#endif
