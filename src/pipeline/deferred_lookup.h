/*
 * deferred_lookup.h - the last steps of a sample, taken some samples later
 *
 *     hd_deferred_lookup_add     its innermost location under the node of its callers      asked for: the node's place in chains.h
 *     some later      the node                                                  asked for: the head of its sums
 *     some later      the head                                                  asked for: the sum
 *     some later      the sum
 *
 * Each step needs a line of a table that is larger than the caches, and which one, the step before tells.
 * Nobody waits for them: they come while other samples are read.  Samples stay in their order.
 *
 * Borrows: the chains and the sums.
 */
#ifndef HD_PIPELINE_DEFERRED_LOOKUP_H
#define HD_PIPELINE_DEFERRED_LOOKUP_H

#include "pipeline/chains.h"
#include "pipeline/chain_sums.h"

enum {
	HD_DEFERRED_LOOKUP_STEP = 4,
	HD_DEFERRED_LOOKUP_RING = 16
}; /* samples between two steps; a power of two, 3 steps and more */

struct hd_deferred_lookup_item {
	struct hd_chain_sum sum;		/* its leaf is what is looked for */
	struct hd_chain_tip tip;	/* outer 0: the leaf is known */
};

struct hd_deferred_lookup {
	struct hd_chains *chains;
	struct hd_chain_sums *sums;
	unsigned added, noded, headed, summed;	/* samples so far */
	struct hd_deferred_lookup_item ring[HD_DEFERRED_LOOKUP_RING];
};

/* To be filled, then added; or not. */
static inline struct hd_deferred_lookup_item *hd_deferred_lookup_next(struct hd_deferred_lookup *t)
{
	return &t->ring[t->added % HD_DEFERRED_LOOKUP_RING];
}

void hd_deferred_lookup_add(struct hd_deferred_lookup *t);
void hd_deferred_lookup_drain(struct hd_deferred_lookup *t);		/* all that were added are summed */

#endif
