/*
 * heap.h - read the heap recordings of libhotdrift-heap.so: modules, stacks, counters, live bytes through time
 *
 *     hd_heap_next(&h, bytes, n, &at, ...)     a file has one recording per process, one after the other
 *     h->counters[i].node, .allocated ...      one counter per stack, summed over threads
 *     h->nodes[id].caller < id                 a stack is a node; if it is valid, its caller comes first
 *     h->moves[i].ms, .node, .bytes            changes of live bytes, by time
 *
 * docs/heap-format.md describes the format, preload/format.h declares it.  The input is hostile: reading ends, with a
 * warning, at the first block that has an invalid size or extends beyond the recording.  A node is invalid if it has no
 * address, if its caller does not come before it or is invalid, or if its stack would have more than HD_HEAP_DEPTH
 * frames.  Invalid nodes stay in h->nodes, and their `caller` can be any number, so a loop over all nodes must check
 * it.  The counters of invalid and missing nodes are skipped, and the warning lost.heap-node counts their allocations
 * (samples in a sampled recording).  Their moves are skipped with the warning lost.heap-move.  A node whose module is
 * missing has no module.  Memory is a small multiple of the input.
 *
 * Warnings: heap.cut, lost.heap-block, lost.heap-node, lost.heap-move, and those of the recorder: lost.heap-room,
 * lost.heap-inside, lost.heap-new, heap.table, heap.deep, heap.strange.
 */
#ifndef HD_HEAP_HEAP_H
#define HD_HEAP_HEAP_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A sum of bytes and blocks.  In sampled recordings it is an estimate from `seen` sampled blocks, with variances if
 * hd_heap.has_var is set.  In exact recordings `seen` equals `blocks`.
 */
struct hd_heap_sum { uint64_t bytes, blocks, seen; double var_bytes, var_blocks; };

struct hd_heap_stack_counter {
	uint32_t node;
	struct hd_heap_sum allocated, peak, leaked, temporary;
	/*
	 * sum of the lifetimes of the blocks.  The lifetime of a block is the number of bytes that the process
	 * allocated while the block existed.  0: unknown
	 */
	uint64_t life;
};

struct hd_heap_stack_node {
	uint32_t caller;		/* id of the caller's node; 0: none; of an invalid node: any number */
	uint32_t module;		/* index of hd_heap.modules, plus 1; 0: none */
	uint64_t address;
	bool exact;			/* the address of an interrupted instruction, not a return address */
	bool guess;			/* the caller was found by the frame pointer only */
};

/*
 * A move is the change of a node's live bytes within one tick, which is a period of at most hd_heap.stride ms.  `ms` is
 * the start of the tick, in milliseconds since the start of the recording.
 */
struct hd_heap_move_at { uint32_t ms, node; int64_t bytes; };

struct hd_heap_load { uint64_t start, len, pgoff; };	/* an executable segment in the process */

struct hd_heap_object {
	const char *path;		/* path_len bytes of the input */
	size_t path_len;
	const uint8_t *build_id;
	uint8_t build_id_len;
	const struct hd_heap_load *loads;
	size_t nloads;
};

struct hd_heap {
	uint32_t pid, ppid;
	const char *comm;		/* this and the next three strings end with a NUL */
	const char *hostname, *release, *machine;
	const char *command;		/* command_len bytes of the input: the arguments, each followed by a NUL */
	size_t command_len;
	uint64_t interval;		/* mean bytes between samples; 1: every block is counted */
	bool exact, ended, forked, adaptive;	/* the flags of these names in enum hd_heap_flags (preload/format.h) */
	bool has_var;			/* sums have variances: the recording is exact, or has format version 3 */
	uint64_t begin_ns, end_ns;	/* CLOCK_REALTIME in ns; end_ns 0: the end of the process was not recorded */
	/* peak: the most live bytes; peak_clock: bytes allocated up to the peak; clock: bytes allocated in total */
	uint64_t peak, peak_clock, clock;
	/* In sampled recordings: a lower bound of the sum of (requested bytes + 1) over all blocks; 0: unknown. */
	uint64_t passed;
	/*
	 * The recorder creates a recording at the first allocation of a process.  This one has no allocation, so the
	 * process was killed before the recorder wrote one.
	 */
	bool unwritten;
	struct hd_heap_stack_node *nodes;	/* indexed by node id; [0] is unused */
	size_t nnodes;
	struct hd_heap_stack_counter *counters;	/* sorted by node */
	size_t ncounters;
	struct hd_heap_object *modules;
	size_t nmodules;
	uint64_t no_cfi;		/* stacks that end at code without unwind rules */
	bool has_moves;			/* false: format version 1, which has no moves (changes of live bytes) */
	/* begin_ns as CLOCK_MONOTONIC; 0: unknown (the recording has no moves, or the process was killed early) */
	uint64_t monotonic_ns;
	uint64_t loaded_ns;		/* CLOCK_MONOTONIC when main() was about to begin; 0: unknown */
	uint32_t stride;		/* length of a tick in ms when the recording ended */
	/* there was no room for the last moves (changes of live bytes), so their times are unknown */
	bool untimed;
	/*
	 * Changes of live bytes, sorted by ms, then by node.  Each pair (ms, node) occurs once.  The sum of a node's
	 * changes is the number of bytes that it leaked.
	 */
	struct hd_heap_move_at *moves;
	size_t nmoves, moves_cap;

	struct hd_heap_load *loads;	/* mappings of all modules */
	size_t nloads, loads_cap, modules_cap;
	char text[4][65];
};

/* Return true if an input that begins with these bytes is a heap recording. */
bool hd_heap_is(const void *head, size_t n);
/*
 * Read the recording at offset *at and advance *at to its end.  Returns 1 with *out; 0 if no recording begins there; or
 * HD_EFORMAT if its header is cut off or invalid.  *out points into `bytes`; the caller frees it with hd_heap_free().
 */
int hd_heap_next(struct hd_heap **out, const uint8_t *bytes, size_t n, size_t *at, const char *path, struct hd_log *log,
	struct hd_err *err);
void hd_heap_free(struct hd_heap *h);		/* accepts NULL */

#endif
