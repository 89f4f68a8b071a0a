/*
 * tail.h - the last steps of a sample, taken some samples later
 *
 *     hd_tail_add     its innermost location under the node of its callers      asked for: the node's place in chains.h
 *     some later      the node                                                  asked for: the head of its sums
 *     some later      the head                                                  asked for: the sum
 *     some later      the sum
 *
 * Each step needs a line of a table that is larger than the caches, and which one, the step before tells.
 * Nobody waits for them: they come while other samples are read.  Samples stay in their order.
 *
 * Borrows: the chains and the sums.
 */
#ifndef HD_INGEST_TAIL_H
#define HD_INGEST_TAIL_H

#include "ingest/chains.h"
#include "ingest/sums.h"

enum { HD_TAIL_STEP = 4, HD_TAIL_RING = 16 };	/* samples between two steps; a power of two, 3 steps and more */

struct hd_tail_item {
	struct hd_sum sum;		/* its leaf is what is looked for */
	struct hd_chain_tip tip;	/* outer 0: the leaf is known */
};

struct hd_tail {
	struct hd_chains *chains;
	struct hd_sums *sums;
	unsigned added, noded, headed, summed;	/* samples so far */
	struct hd_tail_item ring[HD_TAIL_RING];
};

/* To be filled, then added; or not. */
static inline struct hd_tail_item *hd_tail_next(struct hd_tail *t)
{
	return &t->ring[t->added % HD_TAIL_RING];
}

void hd_tail_add(struct hd_tail *t);
void hd_tail_drain(struct hd_tail *t);		/* all that were added are summed */

#endif
