/*
 * heap_counters.h - the counters and moves of one heap recording; a part of heap_reader.c
 *
 * Each thread of the recorded process has a counter for each stack, and moves (changes of live bytes) for each stack
 * and tick.  These functions check them and add up those of all threads.
 */
#ifndef HD_HEAP_HEAP_COUNTERS_H
#define HD_HEAP_HEAP_COUNTERS_H

#include "heap/heap.h"
#include "preload/format.h"

enum { HD_HEAP_WITHOUT_MOVES = 1, HD_HEAP_WITHOUT_HALVES = 2 };	/* versions of the format */

struct hd_heap_reader {
	struct hd_heap *h;
	const uint8_t *bytes;		/* the recording */
	size_t n;
	size_t base;			/* its offset in the file, for messages */
	const char *path;
	struct hd_log *log;
	struct hd_heap_header head;
	uint32_t *module_of;		/* indexed by the recording's id of a module: index of h->modules, plus 1 */
	size_t nids;
	/* indexed by node: frames of its stack; 0: the node or a caller of it is invalid */
	uint16_t *depth;
	size_t counter;			/* number of bytes of a counter that all versions of the format have */
	size_t sampled;			/* bytes of the part that only sampled recordings have */
};

struct hd_heap_block_view { struct hd_heap_block b; const uint8_t *payload; size_t n; size_t off; };

/* A counter of the file, in a form that is independent of the version. */
struct hd_heap_counted {
	uint32_t node;
	struct hd_heap_sum allocated, freed, temporary;
	int64_t peak_bytes, peak_blocks, peak_seen;
	double peak_var_bytes, peak_var_blocks;
	uint64_t life;
	int64_t untold;			/* change of live bytes since the last move, in tick `tick` */
	uint32_t tick;
};

/* Append the valid counters of a block to `all`, which has room for them, and their last moves to r->h. */
void hd_heap_counters_read(struct hd_heap_reader *r, struct hd_heap_counted *all, size_t *n,
	const struct hd_heap_block_view *b);
/* Set r->h->counters: the n counters, added up by stack.  Sorts `all`. */
void hd_heap_counters_merge(struct hd_heap_reader *r, struct hd_heap_counted *all, size_t n);
void hd_heap_moves_read(struct hd_heap_reader *r, const struct hd_heap_block_view *b);
/* Sort h->moves by time and stack.  The moves of one stack in one tick become one move. */
void hd_heap_moves_sort(struct hd_heap *h);

#endif
