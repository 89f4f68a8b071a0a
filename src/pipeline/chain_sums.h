/*
 * chain_sums.h - sample weights summed per chain node, before anything is resolved
 *
 * The sums of one leaf node are a short list (one element for each event, comm,
 * and whatever else is kept apart), found through the node's number: no
 * hashing on the hot path.  A list that is not short (one leaf in a hundred
 * thousand threads) is searched only at its new end, so that adding takes a
 * bounded time; a key may then have several elements, which add up.
 *
 * Owns: the elements and the heads.  Zero-initialise.
 */
#ifndef HD_PIPELINE_CHAIN_SUMS_H
#define HD_PIPELINE_CHAIN_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* What became of a sample's stack copy; none of them: it had none. */
enum hd_chain_sum_flags {
	HD_CHAIN_SUM_COPIED = 1 << 0,
	HD_CHAIN_SUM_CUT = 1 << 1, /* it was too short */
	HD_CHAIN_SUM_STITCHED = 1 << 2, /* and could be completed at once */
	HD_CHAIN_SUM_GUESSED = 1 << 3, /* some frames are guesses */
	HD_CHAIN_SUM_CALLER_MISSING = 1
		<< 4, /* a chain by frame pointers, without the caller of its innermost function */
};

struct hd_chain_sum {
	uint32_t leaf, self;	/* node of chains.h, location of locator.h */
	uint32_t event, comm;
	int32_t pid, tid;
	uint32_t cpu;
	uint32_t tuple;			/* of profile/tuple.h */
	uint32_t flags;			/* enum hd_chain_sum_flags */
	uint32_t next;		/* element + 1 of the same leaf, 0 ends */
	uint64_t weight, count;
};

struct hd_chain_sums {
	struct hd_chain_sum *items;
	size_t n, cap;
	uint32_t *heads;	/* by leaf: element + 1 */
	size_t nheads, heads_cap;
};

/* `next` of key is not looked at. */
void hd_chain_sums_add(struct hd_chain_sums *s, const struct hd_chain_sum *key);
/* Sums of this leaf will be added to: the first line of the cache for that, and when it is there, the second. */
static inline void hd_chain_sums_prefetch_head(const struct hd_chain_sums *s, uint32_t leaf)
{
	if (leaf < s->nheads)
		__builtin_prefetch(&s->heads[leaf], 1);
}
static inline void hd_chain_sums_prefetch(const struct hd_chain_sums *s, uint32_t leaf)
{
	if (leaf < s->nheads && s->heads[leaf])
		__builtin_prefetch(&s->items[s->heads[leaf] - 1], 1);
}
void hd_chain_sums_clear(struct hd_chain_sums *s);		/* empty, memory kept */
void hd_chain_sums_release(struct hd_chain_sums *s);

#endif
