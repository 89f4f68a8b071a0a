/*
 * format.h - the layout of a heap recording (docs/heap-format.md describes it in words)
 *
 *     header 512   NODES  COUNTERS  MODULE  NODES  TEXT ...      blocks, in the order of their creation
 *
 * The file is a copy of the recorder's memory, written page by page (recording_file.c).  Numbers are little-endian.
 * The header of a block is complete before `used` includes the block.  Entries of a block that are not filled yet are
 * 0.
 *
 *     node      (caller node, module, address); a stack is its innermost node; ids start at 1 and continue from
 *               block to block
 *     counter   allocations at one node by one thread, or by several that ran one after the other; a node can have
 *               several counters
 *     move      the change of a counter's live bytes in one tick, which lasts some milliseconds
 *
 * preload/ writes this format, heap/ reads it.
 */
#ifndef HD_PRELOAD_FORMAT_H
#define HD_PRELOAD_FORMAT_H

#include <stdint.h>

#define HD_HEAP_MAGIC "HDHEAP\r\n"

enum {
	/*
	 * history of the format: version 1 had shorter counters and no moves (changes of live bytes per tick); version
	 * 2 did not divide the samples into two halves (struct hd_heap_half)
	 */
	HD_HEAP_VERSION = 3,
	HD_HEAP_HEADER = 512, /* bytes */
	HD_HEAP_ALIGN = 16, /* blocks of the file begin at multiples of this, in bytes */
	HD_HEAP_NODES = 1024, /* nodes per NODES block; entry 0 of the first block is unused, because ids start at 1 */
	HD_HEAP_DEPTH = 512, /* maximum number of frames of a stack; deeper stacks lose their outermost frames */
	HD_HEAP_SHIFT = 16, /* sampled counts are in units of 1 / 65536 */
};

enum hd_heap_flags {
	/* exact.c counted every allocation; otherwise there is one sample per `interval` bytes on average */
	HD_HEAP_EXACT = 1 << 0,
	HD_HEAP_ENDED = 1 << 1, /* the process ended by exit or _exit */
	HD_HEAP_FORKED = 1 << 2, /* the recording begins at a fork, so it lacks the allocations by the parent */
	/*
	 * there was no room for more moves (changes of live bytes per tick); for each counter, the reader combines the
	 * later changes into one move, in the tick of its last change
	 */
	HD_HEAP_UNTIMED = 1 << 3,
	HD_HEAP_ADAPTIVE = 1 << 4, /* `interval` begins at 1 and may have been raised */
	HD_HEAP_OWN_NEW = 1 << 5, /* the allocator defines operator new itself; allocations by it are not counted */
	HD_HEAP_TABLE = 1 << 6, /* every allocation is a sample (interval 1); blocks have no trailers (exact.c) */
};

struct hd_heap_header {
	char magic[8];
	uint32_t version, header_bytes;
	/* number of valid bytes in the file, including the header; the bytes after them are undefined */
	uint64_t used;
	uint64_t file_bytes;		/* size of the file */
	uint32_t pid, ppid;
	uint64_t interval;
	uint32_t flags;			/* enum hd_heap_flags */
	uint32_t counter_bytes;		/* size of each counter */
	uint64_t begin_ns, end_ns;	/* CLOCK_REALTIME; end 0: the process has not ended, or was killed */
	uint32_t epoch;			/* number of the latest peak of `live`; each new peak adds 1 */
	uint32_t reserved;
	/* The following four are estimates in sampled recordings. */
	int64_t live;			/* bytes that are allocated now */
	uint64_t peak;			/* maximum of `live` so far, in bytes */
	uint64_t clock;			/* allocated bytes until now */
	uint64_t peak_clock;		/* allocated bytes until the peak */
	/* Numbers of allocations and frees that are in no counter, or in a wrong one. */
	uint64_t lost;			/* there was no room in the file, or no memory */
	uint64_t inside;		/* not counted: a signal handler had interrupted the recorder */
	uint64_t deep;			/* number of allocations whose stacks were cut at HD_HEAP_DEPTH frames */
	/*
	 * Sampled recordings only: bytes that were requested, plus one for each block.  At each sample, a thread adds
	 * its bytes since it last added any.  The thread that ends the process or calls execve() adds its bytes at that
	 * time, too.
	 */
	uint64_t passed;
	/* how often the unwinder ended a stack at code without unwind rules; stacks from its cache do not count */
	uint64_t no_cfi;
	/* exact recordings: number of freed blocks without a valid trailer (damaged or never counted) */
	uint64_t strange;
	char comm[16];
	char hostname[64], release[64], machine[16];	/* as uname() returns them */
	uint64_t begin_monotonic_ns;	/* begin_ns as CLOCK_MONOTONIC */
	/* time at which the library was loaded, shortly before main(); 0: unknown, or the process was forked */
	uint64_t loaded_monotonic_ns;
	/* start of the current tick, in ms since begin_monotonic_ns */
	uint32_t tick;
	uint32_t stride;		/* current length of a tick in ms */
	/* The following arrays are for sampled recordings.  Their index is a half of the samples (hd_heap_half). */
	uint32_t half_epoch[2];		/* how often half_peak of the half rose */
	int64_t half_live[2];		/* live bytes, estimated from the half */
	uint64_t half_peak[2];		/* maximum of half_live so far */
};

enum hd_heap_block_type {
	HD_HEAP_NOTHING_BLOCK,
	HD_HEAP_NODES_BLOCK,
	HD_HEAP_COUNTERS_BLOCK,
	HD_HEAP_MODULE_BLOCK,
	HD_HEAP_TEXT_BLOCK,
	HD_HEAP_MOVES_BLOCK
};

struct hd_heap_block {
	uint32_t type;			/* enum hd_heap_block_type; readers skip others */
	uint32_t bytes;			/* size with this header, a multiple of HD_HEAP_ALIGN */
	/*
	 * a number whose meaning depends on `type`.  NODES: id of the block's first entry, 0 in the first block; TEXT:
	 * length in bytes; otherwise 0
	 */
	uint32_t n;
	uint32_t reserved;
};

struct hd_heap_node {
	uint32_t caller;		/* 0: this is the outermost frame */
	/* id of a MODULE in the low 30 bits (0: none); the high bits are the two flags below */
	uint32_t module;
	uint64_t address;		/* address in the process; 0: unused node */
};
#define HD_HEAP_PC 0x80000000u		/* `address` is that of an instruction, not a return address */
#define HD_HEAP_GUESS 0x40000000u	/* no unwind rule: the caller, if any, was found by the frame pointer */

/*
 * The sums for one stack.  Exact recordings count blocks.  Sampled recordings have estimates, whose counts are in units
 * of 1 / 65536.
 */
struct hd_heap_counter {
	uint32_t node;			/* id of the stack's innermost node; 0: this counter is unused */
	/*
	 * header.epoch at the last change of the counter.  If it still equals header.epoch, peak_n and peak_bytes are
	 * valid.  Otherwise the counter has not changed since the latest peak, so its live values are also those at the
	 * peak.  Sampled recordings use the epochs in struct hd_heap_half instead.
	 */
	uint32_t epoch;
	uint64_t n, bytes;		/* all allocated blocks, and their bytes */
	uint64_t freed_n, freed_bytes;
	int64_t peak_n, peak_bytes;	/* live blocks and bytes at the highest peak */
	uint64_t temp_n, temp_bytes;	/* blocks that their thread freed before its next allocation */
	/*
	 * exact recordings: sum of header.clock at each free, minus the sum of header.clock at each allocation, modulo
	 * 2^64. With header.clock added once per live block, this is the sum of the lifetimes of all blocks in
	 * allocated bytes
	 */
	uint64_t life;
	int64_t counted;		/* live bytes as of the last move */
	uint32_t tick;			/* tick of the last change */
	uint32_t reserved;
};

/*
 * Each sample is put at random into the first half of the samples, the second, or both.  Each half yields an estimate
 * of the live bytes.  This struct has the live values of one half, now and at the peak of the other half.
 *
 * The maximum of many estimates is biased upwards, because errors influence which one is the largest.  So the peak of
 * each half determines the moment at which the other half is evaluated.  If a half is empty, the other half is
 * evaluated at its own peak (hd_heap_half_epoch()).
 */
struct hd_heap_half {
	/* live now: estimated blocks in units of 1/65536 (HD_HEAP_SHIFT), estimated bytes, number of samples */
	int64_t n, bytes, seen;
	/*
	 * The values of n, bytes and seen at the latest peak of the other half.  They are valid if `epoch` equals
	 * hd_heap_half_epoch().  Otherwise these values have not changed since that peak, so n, bytes and seen are also
	 * the values at the peak.
	 */
	int64_t held_n, held_bytes, held_seen;
	double var_n, var_bytes;		/* variances of the estimates, in blocks^2 and bytes^2 */
	double held_var_n, held_var_bytes;	/* the same at the latest peak of the other half */
	uint32_t epoch, reserved;
};

static inline uint32_t hd_heap_half_epoch(const uint32_t epoch[2], int half)
{
	return epoch[1 - half] ? epoch[1 - half] : epoch[half] | 0x80000000u;
}

/*
 * A counter of a sampled recording.  `seen` and similar fields are numbers of samples, whereas the fields of `c` are
 * estimates.
 */
struct hd_heap_sampled {
	struct hd_heap_counter c;
	uint64_t seen, seen_freed;
	int64_t seen_peak;			/* unused since version 3, like peak_n and peak_bytes */
	uint64_t seen_temp;
	/*
	 * Variances of the estimates of what was allocated and freed.  Each is the sum of (1 - q) / q^2 over the
	 * samples, times size^2 for bytes.  q: probability with which the block was sampled.  The units are blocks^2
	 * and bytes^2.
	 */
	double var_n, var_bytes, freed_var_n, freed_var_bytes;
	struct hd_heap_half half[2];
};

struct hd_heap_move {
	uint32_t node;			/* id of the stack's innermost node; 0: this move is unused */
	uint32_t tick;
	int64_t bytes;			/* change of the live bytes in the tick */
};

/* An executable mapping of an object: its address in the process, its length in bytes, and its offset in the file. */
struct hd_heap_segment { uint64_t start, len, pgoff; };

/* A loaded object.  In a MODULE block, this struct is followed by its segments and then by its path, padded. */
struct hd_heap_module {
	uint32_t id;			/* ids begin at 1; an object that is loaded again gets a new id */
	uint32_t nsegments;
	uint32_t path_len;
	uint32_t build_id_len;
	uint8_t build_id[20];
	uint8_t pad[4];
};

#endif
