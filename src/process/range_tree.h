/*
 * range_tree.h - address ranges in a persistent balanced tree
 *
 * A root is one set of ranges that do not overlap, ordered by address.  Roots
 * are numbers and never change: laying a range over a root gives a new root
 * and the old one still answers as before, because only the nodes on the way
 * down are copied.
 *
 *     r1 = hd_range_tree_cover(t, 0, 0x1000, 0x9000, 7)	[1000 7 9000)
 *     r2 = hd_range_tree_cover(t, r1, 0x3000, 0x4000, 8)	[1000 7 3000)[3000 8 4000)[4000 7 9000)
 *
 * Balance is AVL's, by heights and not by chance: addresses come from the
 * recording, and no choice of them can make the tree deep.
 *
 * Changes made between two calls of hd_range_tree_freeze may write to each other's
 * nodes instead of copying them, so a batch is cheaper than its parts; a root
 * inside a batch is gone when the next change is made.
 *
 * Owns:  the nodes; the whole tree is freed at once.
 * Holds: 0 is the empty root; |height(left) - height(right)| <= 1; a cover
 *        makes O(log n) nodes, however many ranges lie below it.
 */
#ifndef HD_PROCESS_RANGE_TREE_H
#define HD_PROCESS_RANGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_range_tree_node {
	uint64_t start, end;		/* [start, end) */
	uint32_t what;			/* the caller's */
	uint32_t left, right;		/* 0: none */
	uint32_t height;		/* 1: a leaf */
};

/* Zero-initialise. */
struct hd_range_tree {
	struct hd_range_tree_node *nodes;	/* [0] is unused */
	size_t n, cap;
	size_t fresh;			/* nodes from here on are nobody else's yet */
};

void hd_range_tree_release(struct hd_range_tree *t);

/* Everything made so far is kept as it is from now on. */
void hd_range_tree_freeze(struct hd_range_tree *t);

/* [start, end) becomes `what`, or nothing when it is 0; what lay there is cut away. start < end. */
uint32_t hd_range_tree_cover(struct hd_range_tree *t, uint32_t root, uint64_t start, uint64_t end, uint32_t what);

/* Does some range overlap [start, end)? */
bool hd_range_tree_any(const struct hd_range_tree *t, uint32_t root, uint64_t start, uint64_t end);

/* The range that holds `ip`, or NULL.  Valid until the next change. */
const struct hd_range_tree_node *hd_range_tree_find(const struct hd_range_tree *t, uint32_t root, uint64_t ip);
/* The same; where there is none, [*lo, *hi) is cut to the hole around ip. */
const struct hd_range_tree_node *hd_range_tree_probe(const struct hd_range_tree *t, uint32_t root, uint64_t ip,
	uint64_t *lo, uint64_t *hi);

#endif
