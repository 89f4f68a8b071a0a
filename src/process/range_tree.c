/*
 * range_tree.c - see range_tree.h
 *
 * hd_range_tree_cover() is built from four operations: insert a range, join two trees around a middle node, split a
 * tree at an address, and remove the last node.  The recursion depth is the height of the tree: at most 46 for 2^32
 * nodes.
 */
#include "process/range_tree.h"

#include "base/mem.h"

#include <stdlib.h>

void hd_range_tree_release(struct hd_range_tree *t)
{
	free(t->nodes);
	*t = (struct hd_range_tree){ 0 };
}

void hd_range_tree_freeze(struct hd_range_tree *t)
{
	t->fresh = t->n;
}

static uint32_t height(const struct hd_range_tree *t, uint32_t x)
{
	return x ? t->nodes[x].height : 0;
}

static uint32_t new_node(struct hd_range_tree *t, uint64_t start, uint64_t end, uint32_t what)
{
	if (!t->n)
		t->n = 1;	/* 0 means "none" */
	HD_GROW(t->nodes, t->n + 1, t->cap);
	t->nodes[t->n] = (struct hd_range_tree_node){ .start = start, .end = end, .what = what, .height = 1 };
	return (uint32_t)t->n++;
}

/* Return a node equal to x that may be modified: x itself if no older tree refers to it, else a copy. */
static uint32_t own(struct hd_range_tree *t, uint32_t x)
{
	uint32_t copy;

	if (x >= t->fresh)
		return x;
	copy = new_node(t, 0, 0, 0);
	t->nodes[copy] = t->nodes[x];
	return copy;
}

/* Set the children and the height of node x, which no earlier version of the tree has.  Returns x. */
static uint32_t link(struct hd_range_tree *t, uint32_t left, uint32_t x, uint32_t right)
{
	uint32_t hl = height(t, left), hr = height(t, right);

	t->nodes[x].left = left;
	t->nodes[x].right = right;
	t->nodes[x].height = 1 + (hl > hr ? hl : hr);
	return x;
}

static uint32_t rotate_right(struct hd_range_tree *t, uint32_t x)
{
	uint32_t up = own(t, t->nodes[x].left);

	link(t, t->nodes[up].right, x, t->nodes[x].right);
	return link(t, t->nodes[up].left, up, x);
}

static uint32_t rotate_left(struct hd_range_tree *t, uint32_t x)
{
	uint32_t up = own(t, t->nodes[x].right);

	link(t, t->nodes[x].left, x, t->nodes[up].left);
	return link(t, x, up, t->nodes[up].right);
}

/*
 * Like link(), which sets the children of x, but the heights of the two subtrees may differ by two: rotations restore
 * the balance.  Returns the root.
 */
static uint32_t link_balanced(struct hd_range_tree *t, uint32_t left, uint32_t x, uint32_t right)
{
	link(t, left, x, right);
	if (height(t, left) > height(t, right) + 1) {
		if (height(t, t->nodes[left].right) > height(t, t->nodes[left].left)) {
			left = rotate_left(t, own(t, left));
			t->nodes[x].left = left;
		}
		return rotate_right(t, x);
	}
	if (height(t, right) > height(t, left) + 1) {
		if (height(t, t->nodes[right].left) > height(t, t->nodes[right].right)) {
			right = rotate_right(t, own(t, right));
			t->nodes[x].right = right;
		}
		return rotate_left(t, x);
	}
	return x;
}

/* Join two trees of any heights and the node x, whose address is between theirs.  Modifies x: see own(). */
static uint32_t join(struct hd_range_tree *t, uint32_t left, uint32_t x, uint32_t right)
{
	uint32_t sub;

	if (height(t, left) > height(t, right) + 1) {
		left = own(t, left);
		sub = join(t, t->nodes[left].right, x, right);
		return link_balanced(t, t->nodes[left].left, left, sub);
	}
	if (height(t, right) > height(t, left) + 1) {
		right = own(t, right);
		sub = join(t, left, x, t->nodes[right].left);
		return link_balanced(t, sub, right, t->nodes[right].right);
	}
	return link(t, left, x, right);
}

/* Return the tree without its last node.  *last becomes that node (or a copy: see own()), which may be modified. */
static uint32_t take_last(struct hd_range_tree *t, uint32_t root, uint32_t *last)
{
	uint32_t x = own(t, root), sub;

	if (!t->nodes[x].right) {
		*last = x;
		return t->nodes[x].left;
	}
	sub = take_last(t, t->nodes[x].right, last);
	return link_balanced(t, t->nodes[x].left, x, sub);
}

/* Split by start address: ranges that start below `at` go left, the others right. */
static void split(struct hd_range_tree *t, uint32_t root, uint64_t at, uint32_t *left, uint32_t *right)
{
	uint32_t x, sub;

	if (!root) {
		*left = *right = 0;
		return;
	}
	x = own(t, root);
	if (t->nodes[x].start < at) {
		split(t, t->nodes[x].right, at, &sub, right);
		*left = join(t, t->nodes[x].left, x, sub);
	} else {
		split(t, t->nodes[x].left, at, left, &sub);
		*right = join(t, sub, x, t->nodes[x].right);
	}
}

/* Return the last range that starts below `end`, or 0 if there is none. */
static uint32_t last_below(const struct hd_range_tree *t, uint32_t root, uint64_t end)
{
	uint32_t best = 0;

	while (root) {
		if (t->nodes[root].start < end) {
			best = root;
			root = t->nodes[root].right;
		} else {
			root = t->nodes[root].left;
		}
	}
	return best;
}

/* Insert a range that overlaps no other.  Only the nodes on the path from the root to its place are copied. */
static uint32_t insert(struct hd_range_tree *t, uint32_t root, uint32_t fresh)
{
	uint32_t x, sub;

	if (!root)
		return fresh;
	x = own(t, root);
	if (t->nodes[fresh].start < t->nodes[x].start) {
		sub = insert(t, t->nodes[x].left, fresh);
		return link_balanced(t, sub, x, t->nodes[x].right);
	}
	sub = insert(t, t->nodes[x].right, fresh);
	return link_balanced(t, t->nodes[x].left, x, sub);
}

uint32_t hd_range_tree_cover(struct hd_range_tree *t, uint32_t root, uint64_t start, uint64_t end, uint32_t what)
{
	uint32_t before, below, after, x, last = last_below(t, root, end), tail = 0;

	if (!last || t->nodes[last].end <= start)
		return what ? insert(t, root, new_node(t, start, end, what)) : root;

	/* Only the last overlapped range can reach past the end. */
	if (t->nodes[last].end > end)
		tail = new_node(t, end, t->nodes[last].end, t->nodes[last].what);
	split(t, root, start, &before, &after);
	split(t, after, end, &below, &after);	/* the ranges of `below` are dropped */
	if (tail)
		after = join(t, 0, tail, after);
	if (before) {
		before = take_last(t, before, &x);
		if (t->nodes[x].end > start)
			t->nodes[x].end = start;
		if (!what)
			return join(t, before, x, after);
		before = join(t, before, x, 0);
	}
	if (what)
		return join(t, before, new_node(t, start, end, what), after);
	return after;
}

bool hd_range_tree_any(const struct hd_range_tree *t, uint32_t root, uint64_t start, uint64_t end)
{
	uint32_t last = last_below(t, root, end);

	return last && t->nodes[last].end > start;
}

const struct hd_range_tree_node *hd_range_tree_probe(const struct hd_range_tree *t, uint32_t root, uint64_t ip,
	uint64_t *lo, uint64_t *hi)
{
	while (root) {
		const struct hd_range_tree_node *x = &t->nodes[root];

		if (ip < x->start) {
			*hi = x->start < *hi ? x->start : *hi;
			root = x->left;
		} else if (ip >= x->end) {
			*lo = x->end > *lo ? x->end : *lo;
			root = x->right;
		} else {
			return x;
		}
	}
	return NULL;
}
