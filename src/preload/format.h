/*
 * format.h - the bytes of a heap recording (docs/heap-format.md tells them in words)
 *
 *     header 512   NODES  COUNTERS  MODULE  NODES  TEXT ...      blocks, in the order of their making
 *
 * The file is a copy of the recorder's memory, written page by page (recording_file.c).  Numbers are
 * little-endian.  A block is complete before `used` goes over it.
 *
 *     node      (caller node, module, address): a stack is its innermost node; ids from 1, in order of the blocks
 *     counter   what was allocated at one node by one thread after the other; several may have one node
 *     move      by how much what is live of one node grew or shrank in one tick, a few milliseconds
 *
 * Shared by preload/, which writes it, and heap/, which reads it.
 */
#ifndef HD_PRELOAD_FORMAT_H
#define HD_PRELOAD_FORMAT_H

#include <stdint.h>

#define HD_HEAP_MAGIC "HDHEAP\r\n"

enum {
	HD_HEAP_VERSION = 3, /* 1 had no moves, and shorter counters; 2 had no halves */
	HD_HEAP_HEADER = 512, /* bytes */
	HD_HEAP_ALIGN = 16, /* of blocks */
	HD_HEAP_NODES = 1024, /* of a block; the first block has number 0, and its first entry is no node */
	HD_HEAP_DEPTH = 512, /* frames of a stack: deeper ones lose their outer part when they are recorded */
	HD_HEAP_SHIFT = 16, /* sampled counts are in 1 / 65536 */
};

enum hd_heap_flags {
	HD_HEAP_EXACT = 1 << 0, /* every allocation was counted; else sampled every `interval` bytes */
	HD_HEAP_ENDED = 1 << 1, /* the process ended by exit or _exit */
	HD_HEAP_FORKED = 1 << 2, /* begun by a fork: blocks from before it are the parent's */
	HD_HEAP_UNTIMED = 1
		<< 3, /* its moves have taken all the room they may: what came later is in the last of them */
	HD_HEAP_ADAPTIVE = 1 << 4, /* begun with every allocation; `interval` was raised to what it is */
	HD_HEAP_OWN_NEW = 1
		<< 5, /* the allocator has an operator new of its own, which does not call malloc: it is not counted */
	HD_HEAP_TABLE = 1
		<< 6, /* the allocator's rules are unknown: every block was a sample, with an interval of 1, and none has a trailer */
};

struct hd_heap_header {
	char magic[8];
	uint32_t version, header_bytes;
	uint64_t used;			/* bytes, with the header; what lies behind means nothing */
	uint64_t file_bytes;		/* of the file */
	uint32_t pid, ppid;
	uint64_t interval;
	uint32_t flags;			/* enum hd_heap_flags */
	uint32_t counter_bytes;		/* of each counter */
	uint64_t begin_ns, end_ns;	/* real time; end 0: not ended */
	uint32_t epoch;			/* number of the highest peak */
	uint32_t reserved;
	int64_t live;			/* bytes */
	uint64_t peak;			/* highest live */
	uint64_t clock;			/* bytes allocated up to now */
	uint64_t peak_clock;		/* ... at the peak */
	/* allocations that are in no counter, or badly */
	uint64_t lost;			/* no room in the file, or no memory */
	uint64_t inside;		/* by a signal handler that came while one was being counted */
	uint64_t deep;			/* stacks of more frames than are kept, the outer ones left out */
	uint64_t
		passed; /* sampled: bytes asked for, one more for each block; of each thread up to its last sample, of the one that ended the process up to the end */
	uint64_t no_cfi;		/* stacks that ended for want of rules */
	uint64_t strange;		/* freed blocks with a damaged trailer */
	char comm[16];
	char hostname[64], release[64], machine[16];	/* of uname */
	uint64_t begin_monotonic_ns;	/* begin_ns, by the monotonic clock */
	uint64_t loaded_monotonic_ns;	/* when the program was about to begin; 0: not told, or begun by a fork */
	uint32_t tick;			/* ms since begin_monotonic_ns, when somebody looked */
	uint32_t stride;		/* ms between two ticks, by now */
	/* Sampled: of each half of the samples, the number of its highest peak, bytes live by its estimate, and the highest of these. */
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
	uint32_t type;			/* enum hd_heap_block_type; others are stepped over */
	uint32_t bytes;			/* with this header, a multiple of HD_HEAP_ALIGN */
	uint32_t n;			/* NODES: id of the first entry, 0 in the first block; TEXT: bytes; else 0 */
	uint32_t reserved;
};

struct hd_heap_node {
	uint32_t caller;		/* 0: the outermost */
	uint32_t module;		/* low 30 bits: MODULE's id, 0: none; and these two bits */
	uint64_t address;		/* in the process; 0: no node */
};
#define HD_HEAP_PC 0x80000000u		/* the address is exact, else a return address */
#define HD_HEAP_GUESS 0x40000000u	/* no rule says how to leave it: its caller was found by the frame pointer */

/* In exact recordings blocks; in sampled ones estimates, and counts in 1 / 65536. */
struct hd_heap_counter {
	uint32_t node;			/* 0: unused */
	uint32_t epoch; /* == header.epoch: the peak_ fields hold; else live at the peak is what is live now */
	uint64_t n, bytes;		/* allocated */
	uint64_t freed_n, freed_bytes;
	int64_t peak_n, peak_bytes;	/* live when the highest peak was reached */
	uint64_t temp_n, temp_bytes;	/* freed by their thread before it allocated anything else */
	uint64_t life; /* sum over freed blocks of the clock at the free, less that of all allocations */
	int64_t told;			/* of its live bytes, what moves tell */
	uint32_t tick;			/* in which it changed last */
	uint32_t reserved;
};

/*
 * What is live by one half of the samples, and what was at the moment of the other half's peak.  The highest of many
 * estimates is too high: it is chosen for its error.  So each half chooses the moment at which the other one is read.
 * An empty half chooses none: the half's own peak is taken instead (hd_heap_half_epoch()).
 */
struct hd_heap_half {
	int64_t n, bytes, seen;			/* live */
	int64_t held_n, held_bytes,
		held_seen; /* hold when `epoch` is hd_heap_half_epoch(); else what is live now was live then */
	double var_n, var_bytes, held_var_n,
		held_var_bytes; /* variances of n and bytes, live and held: as hd_heap_sampled has them */
	uint32_t epoch, reserved;
};

static inline uint32_t hd_heap_half_epoch(const uint32_t epoch[2], int half)
{
	return epoch[1 - half] ? epoch[1 - half] : epoch[half] | 0x80000000u;
}

/* Sampled recordings: how many blocks were seen. */
struct hd_heap_sampled {
	struct hd_heap_counter c;
	uint64_t seen, seen_freed;
	int64_t seen_peak;			/* not used since version 3, nor are peak_n and peak_bytes */
	uint64_t seen_temp;
	/* Variances of what was allocated and of what was freed of it: sums over samples of (1 - q) / q^2, for bytes times size^2. */
	double var_n, var_bytes, freed_var_n, freed_var_bytes;
	struct hd_heap_half half[2];
};

struct hd_heap_move {
	uint32_t node;			/* 0: unused */
	uint32_t tick;
	int64_t bytes;			/* live at the tick's end, less what was live before it */
};

struct hd_heap_segment { uint64_t start, len, pgoff; };	/* executable; start in the process */

/* Followed by the segments, then the path, padded. */
struct hd_heap_module {
	uint32_t id;			/* from 1; one number each time that something is loaded */
	uint32_t nsegments;
	uint32_t path_len;
	uint32_t build_id_len;
	uint8_t build_id[20];
	uint8_t pad[4];
};

#endif
