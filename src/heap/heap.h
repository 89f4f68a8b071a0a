/*
 * heap.h - a heap recording, read: modules, stacks as nodes, counters
 *
 *     hd_heap_next(&h, bytes, n, &at, ...)     one process after the other: recordings may stand behind each other
 *     h->counters[i].node, .allocated ...      one per node, summed over threads
 *     h->nodes[id].caller < id                 callers first
 *     h->moves[i].ms, .node, .bytes            what is live, through time: moves.c
 *
 * The layout is preload/format.h's, in words docs/heap-format.md.  Every byte is
 * hostile: a block is believed as far as it lies in the file; a node whose caller
 * does not come before it, or whose module is not there, is left out with what
 * was counted at it, and that is told.  Memory is a few times the input.
 *
 * Warnings: heap.cut, lost.heap-block, lost.heap-node, lost.heap-move, and what the recorder itself had to leave out:
 * lost.heap-room, lost.heap-inside, lost.heap-new, heap.table, heap.deep, heap.no-cfi.
 */
#ifndef HD_HEAP_HEAP_H
#define HD_HEAP_HEAP_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sum of bytes and blocks; `seen` is how many blocks it was estimated from, in exact recordings all of them; variances of estimates (has_var). */
struct hd_heap_sum { uint64_t bytes, blocks, seen; double var_bytes, var_blocks; };

struct hd_heap_stack_counter {
	uint32_t node;
	struct hd_heap_sum allocated, peak, leaked, temporary;
	uint64_t life;			/* of all blocks together, in bytes allocated meanwhile; 0: not known */
};

struct hd_heap_stack_node {
	uint32_t caller;		/* < its own id; 0: none */
	uint32_t module;		/* index of modules + 1; 0: none */
	uint64_t address;
	bool exact;			/* an address that was interrupted, not one to return to */
	bool guess;			/* its caller, when it has one, was found by the frame pointer alone */
};

/* What is live of a node grew, or shrank, within a tick that began so many ms after the recording did. */
struct hd_heap_move_at { uint32_t ms, node; int64_t bytes; };

struct hd_heap_load { uint64_t start, len, pgoff; };	/* executable, in the process */

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
	const char *comm;		/* these are whole texts */
	const char *hostname, *release, *machine;
	const char *command;		/* command_len bytes of the input: arguments, each with a NUL behind it */
	size_t command_len;
	uint64_t interval;		/* bytes; 1: exact */
	bool exact, ended, forked, adaptive;
	bool has_var;			/* exact, or of version 3 */
	uint64_t begin_ns, end_ns;
	uint64_t peak, peak_clock, clock;	/* bytes: highest live, allocated up to it, allocated in all */
	uint64_t passed; /* sampled: at least what was asked for, in bytes, one more for each block; 0: not told */
	struct hd_heap_stack_node *nodes;	/* [0] is none */
	size_t nnodes;
	struct hd_heap_stack_counter *counters;	/* by rising node */
	size_t ncounters;
	struct hd_heap_object *modules;
	size_t nmodules;
	uint64_t no_cfi;		/* stacks that ended for want of rules */
	uint64_t monotonic_ns;		/* begin_ns, by the monotonic clock; 0: a recording without moves */
	uint64_t loaded_ns;		/* by that clock, when the program was about to begin; 0: not known */
	uint32_t stride;		/* ms that the last ticks were long */
	bool untimed;			/* there was no room for the moves of its end */
	struct hd_heap_move_at
		*moves; /* by rising ms, then node; each pair once.  The sum of a node's is what it has leaked */
	size_t nmoves, moves_cap;

	struct hd_heap_load *loads;	/* of all modules */
	size_t nloads, loads_cap, modules_cap;
	char text[4][65];
};

/* Does an input begin as one? */
bool hd_heap_is(const void *head, size_t n);
/*
 * The recording at *at, which is moved behind it.  1; 0: there is none any more; < 0: it cannot be read.  bytes
 * must outlive *out.
 */
int hd_heap_next(struct hd_heap **out, const uint8_t *bytes, size_t n, size_t *at, const char *path, struct hd_log *log,
	struct hd_err *err);
void hd_heap_free(struct hd_heap *h);		/* NULL is fine */

#endif
