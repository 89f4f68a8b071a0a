/*
 * chain_sums.h - add up the sample weights of each chain node, before stacks are resolved
 *
 * The sums of a leaf node are a list, with one element for each combination of event, thread name and other keys.  The
 * node id is the index of its list, so the hot path needs no hashing.  Lists are short, except for cases such as
 * one leaf in a hundred thousand threads.  Only the newest elements of a long list are compared, so adding takes
 * bounded time.  A key can then have several elements; hd_profile_add_sample() adds them up.
 *
 * Owns: the elements and the list heads.  Zero-initialise.
 */
#ifndef HD_PIPELINE_CHAIN_SUMS_H
#define HD_PIPELINE_CHAIN_SUMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Flags of a sample: what happened to its stack copy.  Only HD_CHAIN_SUM_CALLER_MISSING is for samples without a stack
 * copy.
 */
enum hd_chain_sum_flags {
	HD_CHAIN_SUM_COPIED = 1 << 0,		/* the sample has a stack copy */
	HD_CHAIN_SUM_CUT = 1 << 1,		/* the copy was too short */
	HD_CHAIN_SUM_STITCHED = 1 << 2,		/* cut, and completed from an earlier sample */
	HD_CHAIN_SUM_GUESSED = 1 << 3,		/* some frames are guesses */
	HD_CHAIN_SUM_CALLER_MISSING = 1 << 4,	/* the chain lacks the caller of its innermost user function */
};

/* A sum of sample weights.  The fields other than next, weight and count are its key. */
struct hd_chain_sum {
	/*
	 * leaf: id of the innermost node of the chain (chains.h); self: id of the sampled address's location
	 * (locator.h)
	 */
	uint32_t leaf, self;
	uint32_t event, comm;
	int32_t pid, tid;
	uint32_t cpu;
	uint32_t tuple;			/* id in profile/tuple.h */
	uint32_t flags;			/* enum hd_chain_sum_flags */
	uint32_t next;		/* index + 1 of the next sum in the list of the same leaf node; 0: end of the list */
	uint64_t weight, count;
};

struct hd_chain_sums {
	struct hd_chain_sum *items;
	size_t n, cap;
	uint32_t *heads;	/* indexed by leaf: index + 1 of the first element */
	size_t nheads, heads_cap;
};

/*
 * Add the weight and count of `key` to a sum with the same key, or add a new sum.  Return the index of the sum.
 * key->next is ignored.
 */
uint32_t hd_chain_sums_add(struct hd_chain_sums *s, const struct hd_chain_sum *key);
/*
 * Prefetch the data that a later hd_chain_sums_add() reads.  hd_chain_sums_prefetch_head() prefetches the head of the
 * leaf's list.  Once the head is in the CPU cache, hd_chain_sums_prefetch() prefetches the first sum of the list.
 */
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
void hd_chain_sums_clear(struct hd_chain_sums *s);		/* remove all, keep the memory */
void hd_chain_sums_release(struct hd_chain_sums *s);

#endif
