/*
 * divided_walk.h - aggregate parts of a recording without stack copies in several threads
 *
 *     first pass          sets a mark, where reading can begin, about every MARK_BYTES     sideband.c
 *     calling thread      aggregates the first part, as with one thread
 *     other threads       aggregate the other parts, each with tables of its own
 *     calling thread      merges the parts in file order
 *
 * A part is a contiguous range of the file, and there is about one for each thread.  A thread without work takes the
 * second half of the part with the most data left.  A part has a reader, cursors into the process table, chains and
 * sums of its own.  Its addresses have numbers instead of locations (hd_locator_new_numbering()), so it needs no
 * symbols.
 *
 * Locations, chain nodes and sums get their ids in the order of first use.  Merging adds those of a part in the order
 * in which the part first used them.  So all ids are the same as with one thread, and the output does not depend on the
 * number of threads.
 *
 * The calling thread discards the tables of a part and aggregates it record by record in these cases: the part has a
 * sample that only this thread can aggregate (invalid, or with time 0), the part has a warning, the sums could be
 * flushed inside the part (budget.c), the sum of the weights would overflow, or the budget is exhausted.
 *
 * Memory: for each part, the chains and sums of its samples, until it is merged.
 */
#ifndef HD_PIPELINE_DIVIDED_WALK_H
#define HD_PIPELINE_DIVIDED_WALK_H

#include "base/err.h"
#include "base/map.h"
#include "pipeline/deferred_lookup.h"
#include "pipeline/locator.h"

#include <stdbool.h>

/*
 * Facts about the first samples of a part that merging needs.  Lookups of innermost nodes are deferred
 * (deferred_lookup.h).  With one thread, those of the last samples before a part are done between the first samples
 * of the part.  Merging repeats this order, so that nodes get the same ids.
 */
struct hd_part_start {
	/*
	 * number of chain nodes after each of the first samples whose lookups were deferred; for a dropped sample, the
	 * number before it
	 */
	uint32_t nodes[HD_DEFERRED_LOOKUP_STEP];
	unsigned n;
	/*
	 * the last of these samples was dropped; the slow path, which drops it, first did all lookups that were
	 * deferred
	 */
	bool drained;
};

/*
 * Threads without a recorded name.  Only the calling thread can intern their synthetic names, so the sums of a part
 * have these ids: HD_UNNAMED_THREAD plus an index.
 */
#define HD_UNNAMED_THREAD	(UINT32_C(1) << 31)
struct hd_unnamed_threads {
	struct hd_map index;		/* tid -> index of `items` */
	struct hd_unnamed_thread {
		int32_t tid;
		size_t numbered;	/* number of elements of hd_locator_numbered() when the thread was added */
	} *items;
	size_t n, cap;
};
uint32_t hd_unnamed_threads_add(struct hd_unnamed_threads *u, int32_t tid, const struct hd_locator *numbering);

struct hd_perf_input;

/* Before the first pass: if the second pass can be divided, request the marks. */
void hd_perf_input_begin_dividing(struct hd_perf_input *in);
/*
 * Do the second pass with several threads, and set *rc to the result of hd_perf_input_walk().  Return false, without
 * having read anything, if it cannot be divided.
 */
bool hd_perf_input_walk_divided(struct hd_perf_input *in, int *rc, struct hd_err *err);

#endif
