/* flamegraph_layout.c - select the frames that are shown, and put each one inside of its caller */
#include "test.h"

#include "base/mem.h"
#include "render/flamegraph_layout.h"

#include <stdlib.h>

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Return a tree of n nodes in preorder, each a child of the node before it or of one of its callers. */
static struct hd_call_tree *random_tree(uint64_t seed, size_t n)
{
	struct hd_call_tree *t = hd_new(struct hd_call_tree);

	t->nodes = hd_new_array(struct hd_call_tree_node, n);
	t->n = n;
	for (size_t i = 0; i < n; i++) {
		struct hd_call_tree_node *node = &t->nodes[i];

		node->name = "f";
		node->self = node->total = next_random(&seed) % 1000;
		node->end = (uint32_t)i + 1;
		if (i == 0)
			continue;
		node->parent = (uint32_t)i - 1;
		for (uint32_t up = next_random(&seed) % 4; up > 0 && node->parent > 0; up--)
			node->parent = t->nodes[node->parent].parent;
		node->depth = t->nodes[node->parent].depth + 1;
		if (node->depth > t->max_depth)
			t->max_depth = node->depth;
	}
	for (size_t i = n - 1; i > 0; i--) {
		struct hd_call_tree_node *up = &t->nodes[t->nodes[i].parent];

		up->total += t->nodes[i].total;
		if (t->nodes[i].end > up->end)
			up->end = t->nodes[i].end;
	}
	return t;
}

static void lay_out(struct hd_flamegraph_layout *l, const struct hd_call_tree *t, uint32_t width, double minwidth,
	size_t max_frames, uint32_t max_rows)
{
	hd_flamegraph_layout_init(l, t, &(struct hd_flamegraph_limits){ .width_px = width, .minwidth_px = minwidth,
		.max_frames = max_frames, .max_rows = max_rows });
}

static void expect_laws(const struct hd_flamegraph_layout *l, const struct hd_call_tree *t)
{
	uint64_t *start = hd_new_array(uint64_t, t->n);
	bool *drawn = hd_new_array(bool, t->n);

	EXPECT(l->n - l->blocks + l->narrow + l->deep == t->n);
	EXPECT(l->rows[0] == 0 && l->rows[l->nrows] == l->n);
	for (size_t d = 0; d < l->nrows; d++) {
		uint64_t behind = 0;

		EXPECT(l->rows[d] < l->rows[d + 1]);
		for (size_t i = l->rows[d]; i < l->rows[d + 1]; i++) {
			const struct hd_flamegraph_frame *f = &l->frames[i];
			const struct hd_call_tree_node *n = &t->nodes[f->node];

			EXPECT(n->depth == d);
			EXPECT(f->start >= behind);		/* nothing overlaps */
			behind = f->start + f->weight;
			if (f->hidden)
				continue;
			EXPECT(f->weight == n->total);
			start[f->node] = f->start;
			drawn[f->node] = true;
			if (f->node == 0)
				continue;
			EXPECT(drawn[n->parent]);
			EXPECT(f->start >= start[n->parent] && behind <= start[n->parent] + t->nodes[n->parent].total);
		}
	}
	free(start);
	free(drawn);
}

TEST(every_frame_lies_in_its_caller_and_none_overlap)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct hd_call_tree *t = random_tree(seed, 400);
		struct hd_flamegraph_layout l;

		lay_out(&l, t, 1000, (double)(seed % 5), 100000, 50);
		expect_laws(&l, t);
		hd_flamegraph_layout_release(&l);
		hd_call_tree_free(t);
	}
}

TEST(no_more_frames_than_allowed_and_the_widest_stay)
{
	struct hd_call_tree *t = random_tree(7, 5000);
	struct hd_flamegraph_layout l;

	lay_out(&l, t, 1000, 0, 300, 5000);
	expect_laws(&l, t);
	EXPECT(l.n <= 300 && l.n > 100);
	EXPECT(l.minwidth > 0);
	for (size_t i = 0; i < l.n; i++)
		EXPECT(l.frames[i].node == 0 || l.frames[i].hidden ||
			(double)t->nodes[l.frames[i].node].total * 1000 / (double)t->nodes[0].total >=
				l.minwidth * 0.999);
	hd_flamegraph_layout_release(&l);
	hd_call_tree_free(t);
}

TEST(when_all_are_wide_the_deepest_go)
{
	enum { CHAINS = 10, DEPTH = 100 };
	static struct hd_call_tree_node nodes[1 + CHAINS * DEPTH];
	struct hd_call_tree t = { .nodes = nodes, .n = HD_COUNT(nodes), .max_depth = DEPTH };
	struct hd_flamegraph_layout l;

	nodes[0] = (struct hd_call_tree_node){ .name = "", .end = HD_COUNT(nodes), .total = CHAINS };
	for (uint32_t i = 0; i < CHAINS * DEPTH; i++)
		nodes[1 + i] = (struct hd_call_tree_node){ .name = "f", .parent = i % DEPTH ? i : 0,
			.end = (i / DEPTH + 1) * DEPTH + 1,
			.depth = i % DEPTH + 1,
			.total = 1 };
	lay_out(&l, &t, 1000, 0.1, 500, 2000);
	expect_laws(&l, &t);
	EXPECT(l.n <= 500 && l.n > 300);
	EXPECT(l.narrow == 0 && l.max_rows + 1 == l.nrows);	/* the last row has the blocks of deeper frames */
	hd_flamegraph_layout_release(&l);
}

TEST(the_weight_of_dropped_frames_counts_once)
{
	/* the root (100) has a wide child (97) and a narrow one (3), whose child weighs 3 as well */
	struct hd_call_tree_node nodes[] = {
		{ .name = "", .end = 4, .total = 100 },
		{ .name = "f", .end = 3, .depth = 1, .total = 3 },
		{ .name = "f", .parent = 1, .end = 3, .depth = 2, .self = 3, .total = 3 },
		{ .name = "f", .end = 4, .depth = 1, .self = 97, .total = 97 },
	};
	struct hd_call_tree t = { .nodes = nodes, .n = 4, .max_depth = 2 };
	struct hd_flamegraph_layout l;

	lay_out(&l, &t, 100, 5, 100, 100);
	EXPECT_INT(l.n, 2);
	EXPECT(l.narrow == 2 && l.narrow_weight == 3);
	EXPECT(l.frames[1].node == 3 && l.frames[1].start == 3);	/* the wide frame keeps its position */
	hd_flamegraph_layout_release(&l);
}

TEST(narrow_neighbours_are_one_block_of_their_width)
{
	/* the root (100) has children with the weights 3, 3, 88, 3, 1, 2 */
	struct hd_call_tree_node nodes[] = {
		{ .name = "", .end = 7, .total = 100 },
		{ .name = "a", .end = 2, .depth = 1, .self = 3, .total = 3 },
		{ .name = "b", .end = 3, .depth = 1, .self = 3, .total = 3 },
		{ .name = "c", .end = 4, .depth = 1, .self = 88, .total = 88 },
		{ .name = "d", .end = 5, .depth = 1, .self = 3, .total = 3 },
		{ .name = "e", .end = 6, .depth = 1, .self = 1, .total = 1 },
		{ .name = "f", .end = 7, .depth = 1, .self = 2, .total = 2 },
	};
	struct hd_call_tree t = { .nodes = nodes, .n = HD_COUNT(nodes), .max_depth = 1 };
	struct hd_flamegraph_layout l;

	lay_out(&l, &t, 100, 5, 100, 100);
	EXPECT_INT(l.n, 4);
	EXPECT_INT(l.blocks, 2);
	EXPECT(l.frames[1].hidden == 2 && l.frames[1].start == 0 && l.frames[1].weight == 6);
	EXPECT(l.frames[2].node == 3 && l.frames[2].start == 6);
	EXPECT(l.frames[3].hidden == 3 && l.frames[3].start == 94 && l.frames[3].weight == 6);
	hd_flamegraph_layout_release(&l);
	lay_out(&l, &t, 100, 7, 100, 100);
	EXPECT_INT(l.n, 2);		/* the blocks that stand for several narrow frames are too narrow, too */
	hd_flamegraph_layout_release(&l);
}

TEST(a_tree_without_weight_shows_its_root)
{
	struct hd_call_tree_node nodes[] = { { .name = "", .end = 2 }, { .name = "f", .end = 2, .depth = 1 } };
	struct hd_call_tree t = { .nodes = nodes, .n = 2, .max_depth = 1 };
	struct hd_flamegraph_layout l;

	lay_out(&l, &t, 100, 0.1, 100, 100);
	expect_laws(&l, &t);
	EXPECT_INT(l.n, 1);
	hd_flamegraph_layout_release(&l);
}

TEST_MAIN(RUN(every_frame_lies_in_its_caller_and_none_overlap),
	  RUN(no_more_frames_than_allowed_and_the_widest_stay),
	  RUN(when_all_are_wide_the_deepest_go),
	  RUN(the_weight_of_dropped_frames_counts_once),
	  RUN(narrow_neighbours_are_one_block_of_their_width),
	  RUN(a_tree_without_weight_shows_its_root))
