/*
 * format.h - the bytes of a GPU trace that libhotdrift-cuda.so writes (docs/gpu-format.md describes them in words)
 *
 *     header 512   block  block  block ...
 *     block        head 32   record  record ...
 *     record       type, bytes, a number, then fields by type
 *
 * The file grows only at its end, one block with each write.  The header is written first, and again when a later
 * step fails: `status`, `result`, `reason` and `write_error` can change.  Numbers are little-endian, sizes of records
 * and blocks are multiples of 8.
 *
 * A reader uses a block as far as it lies in the file, so that the trace of a killed process has everything up to the
 * last write.  Times are nanoseconds of CLOCK_MONOTONIC.  Only members whose name has `real` are CLOCK_REALTIME, and so
 * are the times of CUPTI's records if HD_CUDA_MONOTONIC is not set.
 *
 * Shared by inject/, which writes this format, and gpu/, which reads it.
 */
#ifndef HD_INJECT_FORMAT_H
#define HD_INJECT_FORMAT_H

#include <stdint.h>

#define HD_CUDA_MAGIC "HDCUDA\r\n"

enum {
	HD_CUDA_VERSION = 1,
	HD_CUDA_HEADER = 512,		/* bytes */
	HD_CUDA_BLOCK = 0x4b424448,	/* the first bytes of a block: "HDBK" */
	/* maximum number of frames of a stack; the outer frames of deeper stacks are dropped */
	HD_CUDA_DEPTH = 256,
};

enum hd_cuda_flags {
	HD_CUDA_STACKS = 1 << 0,	/* each launch has the stack of its thread (HOTDRIFT_CUDA_STACKS=1) */
	/*
	 * CUPTI uses our clock (CLOCK_MONOTONIC).  Without this flag, the times in CUPTI's records are CLOCK_REALTIME;
	 * those of launches are CLOCK_MONOTONIC in any case.
	 */
	HD_CUDA_MONOTONIC = 1 << 1,
};

/*
 * Reasons why a trace has no activity.  In the header, `result` is the CUptiResult of the call that failed, and
 * `reason` a text.
 */
enum hd_cuda_status {
	HD_CUDA_RECORDING,
	HD_CUDA_NO_CUPTI,		/* libcupti cannot be loaded */
	HD_CUDA_NO_FUNCTION,		/* libcupti lacks a function that we need */
	HD_CUDA_BUSY,			/* result 39: another profiler has subscribed already */
	/* a required call of CUPTI failed with a result other than 39; without a GPU driver, it is usually 999 */
	HD_CUDA_REFUSED,
};

struct hd_cuda_header {
	char magic[8];
	uint32_t version, header_bytes;
	uint8_t run_id[16];		/* random: two traces never have the same one */
	uint64_t begin_monotonic_ns, begin_real_ns;	/* CLOCK_MONOTONIC and CLOCK_REALTIME at the same moment */
	uint32_t pid, ppid;
	uint32_t cupti_version;		/* the version that cuptiGetVersion() returns; 0: unknown */
	uint32_t flags;			/* enum hd_cuda_flags */
	uint32_t status;		/* enum hd_cuda_status */
	uint32_t result;		/* CUptiResult, 0: success */
	uint32_t write_error;		/* errno of the write after which the trace ends; 0: none */
	uint32_t reserved;
	char comm[16];			/* this and the next four members are NUL-terminated */
	char hostname[64], release[64], machine[16];	/* fields of uname() */
	char reason[160];
	uint8_t padding[112];
};

struct hd_cuda_block {
	uint32_t magic;			/* HD_CUDA_BLOCK */
	uint32_t bytes;			/* size of the block, with this head */
	uint32_t sequence;		/* 0, 1, 2, ...: a gap means that a block is missing */
	uint32_t records;
	uint64_t written_ns;		/* CLOCK_MONOTONIC */
	uint64_t reserved;
};

enum hd_cuda_type {
	HD_CUDA_NOTHING,
	/* KERNEL to SYNC: activities, not sorted by time */
	HD_CUDA_KERNEL,
	HD_CUDA_COPY,
	HD_CUDA_SET,
	HD_CUDA_SYNC,
	HD_CUDA_LAUNCH, /* a call of the CUDA API that puts work on the GPU */
	/* NAME to MODULE: each precedes the first record that refers to it */
	HD_CUDA_NAME,
	HD_CUDA_STACK,
	HD_CUDA_MODULE,
	HD_CUDA_DEVICE,
	HD_CUDA_LOST,
	HD_CUDA_NOTE,
	HD_CUDA_COMMAND,
	HD_CUDA_END,
};

/* Readers skip records of unknown types. */
struct hd_cuda_record {
	uint16_t type;			/* enum hd_cuda_type */
	uint16_t bytes;			/* size with this head, a multiple of 8 */
	uint32_t n;			/* its meaning depends on the type */
};

struct hd_cuda_kernel {
	/* n: correlation id of the launch; for the kernels of a CUDA graph, that of the launch of the graph */
	struct hd_cuda_record head;
	uint64_t start_ns, end_ns;	/* both are 0 if CUPTI has no times for it */
	uint32_t device, context, stream;
	uint32_t name;			/* id of a NAME record; 0: unknown */
	uint32_t grid[3], block[3];
	uint32_t registers;		/* per thread */
	uint32_t static_shared, dynamic_shared;	/* bytes */
	uint32_t reserved;
	/* id of the kernel's node in a CUDA graph; 0: it is in no graph, or CUPTI is older than that of CUDA 11.2 */
	uint64_t graph_node;
};

struct hd_cuda_copy {
	struct hd_cuda_record head;	/* n: correlation id */
	uint64_t start_ns, end_ns, bytes;
	uint32_t device, context, stream;
	/*
	 * CUPTI's kinds of copies between host (H), device (D), array (A) and peer (P): 1 HtoD, 2
	 * DtoH, 3 HtoA, 4 AtoH, 5 AtoA, 6 AtoD, 7 DtoA, 8 DtoD, 9 HtoH, 10 PtoP, 0 unknown
	 */
	uint8_t kind;
	/*
	 * Kinds of memory: 0 unknown, 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, 6 device static, 7 managed
	 * static.
	 */
	uint8_t from, to;
	uint8_t flags;
	uint64_t graph_node;
};

struct hd_cuda_set {
	struct hd_cuda_record head;	/* n: correlation id */
	uint64_t start_ns, end_ns, bytes;
	uint32_t device, context, stream;
	uint16_t memory, reserved;	/* memory: a kind of memory, as `to` of hd_cuda_copy */
	uint32_t value, reserved2;
	uint64_t graph_node;
};

/* The time that a host thread spent in a synchronisation call. */
struct hd_cuda_sync {
	struct hd_cuda_record head;	/* n: correlation id */
	uint64_t start_ns, end_ns;
	/* what is waited for: 1 event, 2 event (by a stream: cudaStreamWaitEvent), 3 stream, 4 context */
	uint32_t kind;
	uint32_t context, stream, reserved;
};

struct hd_cuda_launch {
	struct hd_cuda_record head;	/* n: correlation id */
	/* at entry and return; end_ns 0: unknown, which libhotdrift-cuda.so never writes */
	uint64_t start_ns, end_ns;
	uint32_t tid;			/* as gettid() returns it */
	uint32_t stack;			/* id of a STACK record; 0: none */
	uint32_t domain;		/* 1 driver API, 2 runtime API */
	uint32_t cbid;			/* CUPTI's number of the function */
};

/*
 * The text follows this struct.  Names of kernels are linkage names.  A command consists of its arguments, each
 * followed by a NUL.
 */
struct hd_cuda_text {
	/* n: for a NAME, its id, from 1; for a NOTE, a CUptiResult; for a COMMAND, 0 */
	struct hd_cuda_record head;
	uint32_t len, reserved;		/* bytes of the text, which is padded to a multiple of 8 */
};

/*
 * `depth` return addresses of 8 bytes each follow this struct, innermost first.  Records of the modules that contain
 * them precede this record in the trace.
 */
struct hd_cuda_stack {
	struct hd_cuda_record head;	/* n: id, rising from 1 */
	uint32_t depth;
	uint32_t cut;			/* 1 if the stack had more than HD_CUDA_DEPTH frames */
};

/* An executable segment of a module: its address in the process, its length in bytes, and its offset in the file. */
struct hd_cuda_segment { uint64_t start, len, pgoff; };

/*
 * The module's segments follow this struct, then its path, padded to a multiple of 8 bytes.  If the module overlaps
 * an earlier one, it replaces that one for all later records.
 */
struct hd_cuda_module {
	struct hd_cuda_record head;	/* n: id, rising from 1 */
	uint32_t nsegments, path_len, build_id_len, reserved;
	uint8_t build_id[20];
	uint8_t padding[4];
};

/* The name of the device follows this struct, padded to a multiple of 8 bytes. */
struct hd_cuda_device {
	struct hd_cuda_record head;	/* n: device id */
	uint64_t memory_bytes;		/* in total */
	uint64_t bandwidth;		/* bandwidth of its memory in kB/s, as CUPTI reports it */
	uint32_t multiprocessors;
	uint32_t major, minor;		/* compute capability */
	uint32_t name_len;
};

/* Sums since the start of the recording.  A trace can have several such records; the last one is valid. */
struct hd_cuda_lost {
	struct hd_cuda_record head;
	uint64_t cupti;			/* records that CUPTI dropped because it had no buffer */
	/*
	 * records that libhotdrift-cuda.so dropped because its buffer was full and could not be written yet, and
	 * CUPTI's requests for a buffer that failed for lack of memory
	 */
	uint64_t no_memory;
	uint64_t unknown;		/* records of a kind that libhotdrift-cuda.so does not know */
};

/* END: written when the process runs its exit handlers. */
struct hd_cuda_end {
	struct hd_cuda_record head;
	uint64_t monotonic_ns, real_ns;
	uint64_t launches;		/* LAUNCH records in this trace */
};

_Static_assert(sizeof(struct hd_cuda_header) == HD_CUDA_HEADER, "the header's size");
_Static_assert(sizeof(struct hd_cuda_block) == 32, "a block's head");
_Static_assert(sizeof(struct hd_cuda_kernel) == 88 && sizeof(struct hd_cuda_copy) == 56, "sizes in docs/gpu-format.md");
_Static_assert(sizeof(struct hd_cuda_set) == 64 && sizeof(struct hd_cuda_sync) == 40, "sizes in docs/gpu-format.md");
_Static_assert(sizeof(struct hd_cuda_launch) == 40 && sizeof(struct hd_cuda_text) == 16, "sizes in docs/gpu-format.md");
_Static_assert(sizeof(struct hd_cuda_stack) == 16 && sizeof(struct hd_cuda_module) == 48, "sizes as documented");
_Static_assert(sizeof(struct hd_cuda_device) == 40 && sizeof(struct hd_cuda_lost) == 32, "sizes in docs/gpu-format.md");
_Static_assert(sizeof(struct hd_cuda_end) == 32, "sizes in docs/gpu-format.md");

#endif
