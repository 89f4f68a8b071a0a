/*
 * stitch.h - unwound stacks into chains; cut ones completed from their thread's other samples
 *
 * The copy of a stack is bounded, so the outer frames of a deep one are not in
 * it.  They seldom change between two samples of a thread:
 *
 *     sample 1    main  run  pass  walk  visit          all of it is known
 *     sample 2               pass  walk  fold  leaf     its copy ends in pass
 *
 * A frame is recognised by its stack address (CFA) and its address: pass is
 * the same call in both, so sample 2 has sample 1's callers.  Where to look:
 *
 *     1. the stack of the thread as the sample before left it.  What a sample
 *        shows to have returned (the stack pointer passed it, or another frame
 *        is in its place) is gone from it;
 *     2. else what earlier samples knew of the same frame before it returned:
 *        the same call at the same depth, made again;
 *     3. else a later sample: the cut stack waits under a root of its own
 *        (chains.h), which is grafted onto the callers when some sample of the
 *        thread knows them.
 *
 * docs/profiling.md has what each copy size costs and how often the answer is
 * wrong, measured against copies of 64 KiB.  What was tried and is not done:
 * to believe that whatever has the CFA of a frame has its caller.  It completes
 * nearly all stacks of a compiler from 8 KiB, and four in ten of them wrongly;
 * for the sample before alone it is wrong where two callers take turns.
 *
 * 2 and 3 use a table of bounded size, so that memory does not follow the
 * recording; what falls out of it stays cut.  The answer depends on the
 * samples and their order alone.
 */
#ifndef HD_PIPELINE_STITCH_H
#define HD_PIPELINE_STITCH_H

#include "pipeline/chains.h"
#include "unwind/unwind.h"

/* One unwound user stack, innermost frame first. */
struct hd_unwound_stack {
	const struct hd_process_context *at;
	int32_t pid, tid;
	uint64_t time_ns;		/* 0: not recorded */
	uint32_t n;			/* at least 1 */
	enum hd_unwind_end end;
	uint32_t object;
	bool guessed;
	const uint64_t *ip, *cfa;
	const uint8_t *flags;		/* enum hd_unwind_flags */
};

struct hd_stitch;

/* The chains are borrowed.  off: cut stacks stay cut. */
struct hd_stitch *hd_stitch_new(struct hd_chains *c, bool off);
void hd_stitch_free(struct hd_stitch *st);		/* NULL is fine */
/* The node of u's innermost frame; adds to *flags what is to be said of it (enum hd_chain_sum_flags). */
uint32_t hd_stitch_add(struct hd_stitch *st, const struct hd_unwound_stack *u, uint32_t *flags);
/* The chains were cleared: every node is forgotten. */
void hd_stitch_clear(struct hd_stitch *st);

#endif
