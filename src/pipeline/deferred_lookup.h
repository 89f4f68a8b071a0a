/*
 * deferred_lookup.h - delay the table lookups of a sample until a few more samples are read
 *
 *     hd_deferred_lookup_add()    prefetch the hash slot of the innermost node of the chain (chains.h)
 *     4 samples later             look the node up; prefetch the head of its list of sums
 *     4 samples later             prefetch the first sum of the list
 *     4 samples later             add to the sum
 *
 * The tables are larger than the CPU caches, and each step needs the result of the previous one.  Other samples are
 * read between two steps, while the data is prefetched.  The order of the samples is preserved.
 *
 * Borrows: the chains and the sums.
 */
#ifndef HD_PIPELINE_DEFERRED_LOOKUP_H
#define HD_PIPELINE_DEFERRED_LOOKUP_H

#include "pipeline/chains.h"
#include "pipeline/chain_sums.h"

enum {
	HD_DEFERRED_LOOKUP_STEP = 4,	/* how many samples are added between two steps of an earlier one */
	HD_DEFERRED_LOOKUP_RING = 16,	/* a power of two greater than 3 * HD_DEFERRED_LOOKUP_STEP */
};

/* A sample whose table lookups are not finished. */
struct hd_deferred_lookup_item {
	struct hd_chain_sum sum;	/* what is added; its leaf is set when the node is looked up */
	struct hd_chain_tip tip;	/* outer is 0 if the leaf is known */
};

struct hd_deferred_lookup {
	struct hd_chains *chains;
	struct hd_chain_sums *sums;
	unsigned added, noded, headed, summed;	/* number of samples that passed each step */
	struct hd_deferred_lookup_item ring[HD_DEFERRED_LOOKUP_RING];
};

/* Return the item to fill in before hd_deferred_lookup_add(). */
static inline struct hd_deferred_lookup_item *hd_deferred_lookup_next(struct hd_deferred_lookup *t)
{
	return &t->ring[t->added % HD_DEFERRED_LOOKUP_RING];
}

/*
 * Add the item that hd_deferred_lookup_next() returned, and run the next step of the earlier items that have waited
 * long enough.
 */
void hd_deferred_lookup_add(struct hd_deferred_lookup *t);
/* Return the number of added samples whose nodes are not looked up yet; at most HD_DEFERRED_LOOKUP_STEP. */
static inline unsigned hd_deferred_lookup_waiting(const struct hd_deferred_lookup *t)
{
	return t->added - t->noded;
}
/* Return waiting sample i, counted from the oldest.  A sample waits until its node is looked up. */
static inline const struct hd_deferred_lookup_item *hd_deferred_lookup_get(const struct hd_deferred_lookup *t,
	unsigned i)
{
	return &t->ring[(t->noded + i) % HD_DEFERRED_LOOKUP_RING];
}
void hd_deferred_lookup_node(struct hd_deferred_lookup *t);	/* look up the node of the oldest waiting sample */
void hd_deferred_lookup_sum(struct hd_deferred_lookup *t);	/* finish the samples whose nodes are looked up */
void hd_deferred_lookup_drain(struct hd_deferred_lookup *t);		/* finish all added samples */

#endif
