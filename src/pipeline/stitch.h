/*
 * stitch.h - add unwound stacks to the chains; complete cut stacks from other samples of their thread
 *
 * The copy of a stack has a bounded size, so the outer frames of a deep stack are missing.  They seldom change
 * between two samples of a thread:
 *
 *     sample 1    main  run  pass  walk  visit          complete
 *     sample 2               pass  walk  fold  leaf     its copy ends in pass
 *
 * A frame is identified by its stack address (CFA) and its code address.  `pass` is the same call in both samples, so
 * sample 2 has the callers of sample 1.  The callers are looked up in:
 *
 *     1. the stack of the thread after its previous sample.  Frames that have returned since then are removed: the
 *        stack pointer passed them, or another frame is in their place;
 *     2. the callers that an equal frame had in an earlier sample, if it has returned since: the same call was made
 *        again at the same depth;
 *     3. later samples: the cut stack gets an open root (chains.h), which is grafted onto the callers when a sample
 *        of the thread shows them.
 *
 * docs/profiling.md has the cost of each copy size and the share of wrong callers, measured against copies of 64 KiB.
 * Rejected: accepting any frame with the right CFA, whatever its code address.  With copies of 8 KiB or more, this
 * method completes nearly all stacks of a compiler, but four in ten of them with wrong callers.  Accepting such a frame
 * from the previous sample only is still wrong where two callers alternate.
 *
 * Steps 2 and 3 use a table of bounded size, so memory does not grow with the recording.  A stack whose entry was
 * evicted stays cut.  The result depends only on the samples and their order.
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
	uint32_t object;		/* as in struct hd_unwind_result (unwind/stack_input.h) */
	bool guessed;
	const uint64_t *ip, *cfa;
	const uint8_t *flags;		/* enum hd_unwind_flags */
};

struct hd_stitch;

/* The chains are borrowed.  With `off`, cut stacks stay cut. */
struct hd_stitch *hd_stitch_new(struct hd_chains *c, bool off);
void hd_stitch_free(struct hd_stitch *st);		/* accepts NULL */
/*
 * Add the stack u.  The stacks of a thread are added in file order.  Return the chain node of the innermost frame, and
 * add enum hd_chain_sum_flags (CUT, STITCHED, GUESSED) to *flags.
 */
uint32_t hd_stitch_add(struct hd_stitch *st, const struct hd_unwound_stack *u, uint32_t *flags);
/* Discard all nodes, after hd_chains_clear(). */
void hd_stitch_clear(struct hd_stitch *st);

#endif
