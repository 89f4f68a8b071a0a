/*
 * format.h - the layout of a heap recording (docs/heap-format.md describes it in words)
 *
 *     header 512   NODES  COUNTERS  MODULE  NODES  TEXT ...      blocks, in the order of their creation
 *
 * The file is a copy of the recorder's memory, written page by page (recording_file.c).  Numbers are little-endian.  A
 * block is complete before `used` includes it.
 *
 *     node      (caller node, module, address); a stack is its innermost node; ids start at 1, by block
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
	HD_HEAP_VERSION = 3, /* version 1 had shorter counters and no moves; version 2 had no halves */
	HD_HEAP_HEADER = 512, /* bytes */
	HD_HEAP_ALIGN = 16, /* of blocks */
	HD_HEAP_NODES = 1024, /* nodes per NODES block; entry 0 of the first block is unused, because ids start at 1 */
	HD_HEAP_DEPTH = 512, /* frames of a stack; deeper stacks lose their outermost frames */
	HD_HEAP_SHIFT = 16, /* sampled counts are in units of 1 / 65536 */
};

enum hd_heap_flags {
	HD_HEAP_EXACT = 1 << 0, /* every allocation was counted; otherwise one sample every `interval` bytes */
	HD_HEAP_ENDED = 1 << 1, /* the process ended by exit or _exit */
	HD_HEAP_FORKED = 1 << 2, /* begun by a fork: earlier blocks belong to the parent */
	HD_HEAP_UNTIMED = 1 << 3, /* there was no room for more moves; later changes are part of the last ones */
	HD_HEAP_ADAPTIVE = 1 << 4, /* `interval` was 1 at first and has been raised */
	HD_HEAP_OWN_NEW = 1 << 5, /* the allocator has an uncounted operator new */
	HD_HEAP_TABLE = 1 << 6, /* no trailers: every block is a sample, with interval 1 */
};

struct hd_heap_header {
	char magic[8];
	uint32_t version, header_bytes;
	uint64_t used;			/* bytes with the header; the rest of the file is undefined */
	uint64_t file_bytes;		/* size of the file */
	uint32_t pid, ppid;
	uint64_t interval;
	uint32_t flags;			/* enum hd_heap_flags */
	uint32_t counter_bytes;		/* of each counter */
	uint64_t begin_ns, end_ns;	/* CLOCK_REALTIME; end 0: the process has not ended */
	uint32_t epoch;			/* number of the latest peak */
	uint32_t reserved;
	int64_t live;			/* live bytes */
	uint64_t peak;			/* the most live bytes */
	uint64_t clock;			/* allocated bytes until now */
	uint64_t peak_clock;		/* allocated bytes until the peak */
	/* Allocations that are in no counter, or in a wrong one. */
	uint64_t lost;			/* there was no room in the file, or no memory */
	uint64_t inside;		/* allocations by a signal handler that interrupted the recorder */
	uint64_t deep;			/* allocations whose stacks were cut at HD_HEAP_DEPTH frames */
	/*
	 * Sampled: requested bytes, plus one for each block.  Each thread adds them at its samples; the thread that
	 * ends the process adds the rest.
	 */
	uint64_t passed;
	uint64_t no_cfi;		/* stacks that end at code without unwind rules */
	uint64_t strange;		/* freed blocks with a damaged trailer */
	char comm[16];
	char hostname[64], release[64], machine[16];	/* as uname() returns them */
	uint64_t begin_monotonic_ns;	/* begin_ns as CLOCK_MONOTONIC */
	/* time at which main() was about to begin; 0: unknown, or the process was forked */
	uint64_t loaded_monotonic_ns;
	uint32_t tick;			/* ms since begin_monotonic_ns at the last reading of the clock */
	uint32_t stride;		/* current length of a tick in ms */
	/*
	 * Sampled, for each half of the samples: number of its latest peak, its estimate of the live bytes, and their
	 * maximum.
	 */
	uint32_t half_epoch[2];
	int64_t half_live[2];
	uint64_t half_peak[2];
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
	/* NODES: id of the first entry, 0 in the first block; TEXT: bytes; otherwise 0 */
	uint32_t n;
	uint32_t reserved;
};

struct hd_heap_node {
	uint32_t caller;		/* 0: this is the outermost frame */
	/* the low 30 bits are the id of a MODULE (0: none); the two flags below follow */
	uint32_t module;
	uint64_t address;		/* address in the process; 0: unused node */
};
#define HD_HEAP_PC 0x80000000u		/* the address is that of an instruction, not a return address */
#define HD_HEAP_GUESS 0x40000000u	/* no unwind rule: the caller was found by the frame pointer */

/* Exact recordings count blocks.  Sampled ones hold estimates; their counts are in units of 1 / 65536. */
struct hd_heap_counter {
	uint32_t node;			/* 0: unused */
	/*
	 * If it equals header.epoch, peak_n and peak_bytes are valid.  Otherwise the counter has not changed since the
	 * peak, so its live values are also those at the peak.
	 */
	uint32_t epoch;
	uint64_t n, bytes;		/* allocated */
	uint64_t freed_n, freed_bytes;
	int64_t peak_n, peak_bytes;	/* live at the highest peak */
	uint64_t temp_n, temp_bytes;	/* freed by the same thread before its next allocation */
	/* sum of the lifetimes of freed blocks, in allocated bytes (header.clock at free minus that at allocation) */
	uint64_t life;
	int64_t told;			/* live bytes as of the last move */
	uint32_t tick;			/* tick of the last change */
	uint32_t reserved;
};

/*
 * The live values of one half of the samples, now and at the peak of the other half.
 *
 * The maximum of many estimates is biased upwards, because errors influence which one is the largest.  So the peak of
 * each half determines the moment at which the other half is evaluated.  If a half is empty, the other half is
 * evaluated at its own peak (hd_heap_half_epoch()).
 */
struct hd_heap_half {
	int64_t n, bytes, seen;			/* live now */
	/*
	 * Live values at the peak, if `epoch` equals hd_heap_half_epoch(); otherwise the live
	 * values above are those of the peak.
	 */
	int64_t held_n, held_bytes, held_seen;
	/* Variances of n and bytes, now and at the peak. */
	double var_n, var_bytes, held_var_n, held_var_bytes;
	uint32_t epoch, reserved;
};

static inline uint32_t hd_heap_half_epoch(const uint32_t epoch[2], int half)
{
	return epoch[1 - half] ? epoch[1 - half] : epoch[half] | 0x80000000u;
}

/* A counter of a sampled recording, with the numbers of sampled blocks. */
struct hd_heap_sampled {
	struct hd_heap_counter c;
	uint64_t seen, seen_freed;
	int64_t seen_peak;			/* unused since version 3, like peak_n and peak_bytes */
	uint64_t seen_temp;
	/*
	 * Variances of the allocated and freed estimates: sums over samples of (1 - q) / q^2, for bytes times size^2.
	 */
	double var_n, var_bytes, freed_var_n, freed_var_bytes;
	struct hd_heap_half half[2];
};

struct hd_heap_move {
	uint32_t node;			/* 0: unused */
	uint32_t tick;
	int64_t bytes;			/* change of the live bytes in the tick */
};

struct hd_heap_segment { uint64_t start, len, pgoff; };	/* executable; start: address in the process */

/* Followed by the segments, then the path, padded. */
struct hd_heap_module {
	uint32_t id;			/* ids begin at 1; an object that is loaded again gets a new id */
	uint32_t nsegments;
	uint32_t path_len;
	uint32_t build_id_len;
	uint8_t build_id[20];
	uint8_t pad[4];
};

#endif
