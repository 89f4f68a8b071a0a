/*
 * range_tree.h - store address ranges in a persistent balanced tree
 *
 * A root identifies one set of ranges that do not overlap, ordered by address.  After
 * hd_range_tree_freeze(), existing roots never change: adding a range returns a new root, and the old
 * one still describes the old set, because the nodes on the path down are copied.
 *
 *     r1 = hd_range_tree_cover(t, 0, 0x1000, 0x9000, 7)	[1000 7 9000)
 *     r2 = hd_range_tree_cover(t, r1, 0x3000, 0x4000, 8)	[1000 7 3000)[3000 8 4000)[4000 7 9000)
 *
 * It is an AVL tree.  Addresses come from the recording, and no choice of them can make the tree
 * deep, which a randomised balance would not guarantee.
 *
 * Nodes made since the last hd_range_tree_freeze() are modified in place instead of copied, so many
 * changes without a freeze between them copy few nodes.  A root that was returned after the last
 * freeze becomes invalid at the next change.
 *
 * Ownership: the tree owns all nodes; they are freed together.
 * Invariant: 0 is the empty root; |height(left) - height(right)| <= 1.  A change creates O(log n)
 *            nodes, however many ranges it covers.
 */
#ifndef HD_PROCESS_RANGE_TREE_H
#define HD_PROCESS_RANGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_range_tree_node {
	uint64_t start, end;		/* [start, end) */
	uint32_t what;			/* the caller's value */
	uint32_t left, right;		/* 0: none */
	uint32_t height;		/* 1 for a leaf */
};

/* Zero-initialise. */
struct hd_range_tree {
	struct hd_range_tree_node *nodes;	/* [0] is unused */
	size_t n, cap;
	size_t fresh;			/* nodes with this index or a larger one may be modified in place */
};

void hd_range_tree_release(struct hd_range_tree *t);

/* Make all existing roots permanent. */
void hd_range_tree_freeze(struct hd_range_tree *t);

/*
 * Return the root of a set that equals `root`, except that [start, end) has the value `what`.  what 0 removes the
 * range. start < end.
 */
uint32_t hd_range_tree_cover(struct hd_range_tree *t, uint32_t root, uint64_t start, uint64_t end, uint32_t what);

/* Return true if a range overlaps [start, end). */
bool hd_range_tree_any(const struct hd_range_tree *t, uint32_t root, uint64_t start, uint64_t end);

/*
 * Return the range that contains `ip`, valid until the next change.  If there is none, return NULL and narrow [*lo,
 * *hi) to the gap between ranges around ip.
 */
const struct hd_range_tree_node *hd_range_tree_probe(const struct hd_range_tree *t, uint32_t root, uint64_t ip,
	uint64_t *lo, uint64_t *hi);

#endif
