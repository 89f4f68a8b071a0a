/*
 * heap_counters.h - the counters and moves of one heap recording; only heap_reader.c uses it
 *
 * Each thread of the recorded process has a counter for each stack, and moves (changes of live bytes) for each stack
 * and tick.  These functions check them and add up those of all threads.
 */
#ifndef HD_HEAP_HEAP_COUNTERS_H
#define HD_HEAP_HEAP_COUNTERS_H

#include "heap/heap.h"
#include "preload/format.h"

/* the last format versions without moves (changes of live bytes) and without halves of the samples (heap-format.md) */
enum { HD_HEAP_WITHOUT_MOVES = 1, HD_HEAP_WITHOUT_HALVES = 2 };

struct hd_heap_reader {
	struct hd_heap *h;
	const uint8_t *bytes;		/* the recording */
	size_t n;
	size_t base;			/* offset of the recording in the file, for messages */
	const char *path;
	struct hd_log *log;
	struct hd_heap_header head;
	/* module_of[id of a module in the recording] is its index in h->modules, plus 1 */
	uint32_t *module_of;
	size_t nids;			/* number of MODULE blocks; larger module ids are invalid */
	/* indexed by node: number of frames of its stack; 0: the node or a caller of it is invalid */
	uint16_t *depth;
	/* size in bytes of struct hd_heap_counter in this version of the format */
	size_t counter;
	/* size in bytes of the part of a counter that only sampled recordings have; 0: an exact recording */
	size_t sampled;
};

struct hd_heap_block_view { struct hd_heap_block b; const uint8_t *payload; size_t n; size_t off; };

/* A counter of the file, converted to a form that is the same for all versions of the format. */
struct hd_heap_counted {
	uint32_t node;
	struct hd_heap_sum allocated, freed, temporary;
	int64_t peak_bytes, peak_blocks, peak_seen;
	double peak_var_bytes, peak_var_blocks;
	uint64_t life;
	/*
	 * the change of live bytes since the last move, in tick `tick`; the MOVES blocks of the file do not contain it
	 */
	int64_t uncounted;
	uint32_t tick;
};

/*
 * Append the valid counters of a COUNTERS block to `all`, which the caller made large enough, and skip the others with
 * the warning lost.heap-node.  The MOVES blocks do not contain the latest change of live bytes of a counter.  So this
 * change is appended to r->h->moves, unless the recording has no moves.
 */
void hd_heap_counters_read(struct hd_heap_reader *r, struct hd_heap_counted *all, size_t *n,
	const struct hd_heap_block_view *b);
/* Add up the n counters by stack and store the sums in r->h->counters.  Sorts `all`. */
void hd_heap_counters_merge(struct hd_heap_reader *r, struct hd_heap_counted *all, size_t n);
void hd_heap_moves_read(struct hd_heap_reader *r, const struct hd_heap_block_view *b);
/* Sort h->moves by time and stack, and add up the moves of one stack in one tick (a move: a change of live bytes). */
void hd_heap_moves_sort(struct hd_heap *h);

#endif
