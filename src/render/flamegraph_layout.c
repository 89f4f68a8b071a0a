/*
 * flamegraph_layout.c - see flamegraph_layout.h
 */
#include "render/flamegraph_layout.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Estimate of a frame's SVG text: FRAME_BYTES without the name, which occurs NAME_TIMES times (tooltip and label). */
enum { FRAME_BYTES = 190, NAME_TIMES = 2 };

struct chooser {
	struct hd_flamegraph_layout *l;
	const struct hd_call_tree *t;
	double min_weight;
	uint32_t max_rows;
	struct hd_flamegraph_frame *frames;	/* NULL: only count */
	/* indexed by node: where the next child of the node starts; NULL: only count the frames */
	uint64_t *cursor;
	/* the current block of siblings that are not drawn; there is none if block.hidden is 0 */
	struct hd_flamegraph_frame block;
	uint32_t block_parent;
	size_t drawn, blocks, bytes;
};

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void end_block(struct chooser *c)
{
	if (c->block.hidden && c->block.weight > 0 && (double)c->block.weight >= c->min_weight) {
		if (c->frames)
			c->frames[c->drawn] = c->block;
		c->drawn++;
		c->blocks++;
		c->bytes += FRAME_BYTES;
	}
	c->block.hidden = 0;
}

/* Do not draw the subtree of node i: add it to the block of undrawn siblings before it, or begin a new block. */
static void hide(struct chooser *c, uint32_t i, uint64_t start, bool deep)
{
	const struct hd_call_tree_node *n = &c->t->nodes[i];
	uint32_t nodes = n->end - i + n->omitted;

	if (c->block.hidden && (c->block_parent != n->parent || c->block.deep != deep))
		end_block(c);
	if (!c->block.hidden) {
		c->block = (struct hd_flamegraph_frame){ .node = i, .start = start, .deep = deep };
		c->block_parent = n->parent;
	}
	c->block.hidden += nodes;
	c->block.weight = add_sat(c->block.weight, n->total);
	if (deep) {
		c->l->deep += nodes;
		c->l->deep_weight += n->total;
	} else {
		c->l->narrow += nodes;
		c->l->narrow_weight += n->total;
	}
}

/* Select the frames and blocks to draw: those that are wide enough and not too deep, in preorder. */
static void choose(struct chooser *c)
{
	const struct hd_call_tree *t = c->t;

	c->l->narrow = c->l->narrow_weight = c->l->deep = c->l->deep_weight = 0;
	for (uint32_t i = 0; i < t->n;) {
		const struct hd_call_tree_node *n = &t->nodes[i];
		uint64_t start = 0;

		if (c->cursor) {
			start = t->starts ? t->starts[i] : i ? c->cursor[n->parent] : 0;
			c->cursor[i] = add_sat(start, n->self);
			if (i)
				c->cursor[n->parent] = add_sat(start, n->total);
		}
		if (n->depth >= c->max_rows || (i > 0 && (n->total == 0 || (double)n->total < c->min_weight))) {
			hide(c, i, start, n->depth >= c->max_rows);
			i = n->end;
			continue;
		}
		end_block(c);
		if (c->frames)
			c->frames[c->drawn] =
				(struct hd_flamegraph_frame){ .node = i, .start = start, .weight = n->total };
		c->drawn++;
		c->bytes += FRAME_BYTES + NAME_TIMES * strlen(n->name);
		i++;
	}
	end_block(c);
}

static bool fits(struct hd_flamegraph_layout *l, const struct hd_call_tree *t,
	const struct hd_flamegraph_limits *limits)
{
	struct chooser c = { .l = l, .t = t, .max_rows = l->max_rows,
		.min_weight = l->minwidth * (double)t->nodes[0].total / limits->width_px };

	choose(&c);
	return c.drawn <= limits->max_frames && (!limits->max_bytes || c.bytes <= limits->max_bytes);
}

void hd_flamegraph_layout_init(struct hd_flamegraph_layout *l, const struct hd_call_tree *t,
	const struct hd_flamegraph_limits *limits)
{
	struct chooser c = { .l = l, .t = t };
	struct hd_flamegraph_frame *preorder;
	size_t *next;

	*l = (struct hd_flamegraph_layout){ .minwidth = limits->minwidth_px, .max_rows = limits->max_rows };
	/*
	 * While there are too many frames, first increase the minimum width until it is at least 2 px, which is hardly
	 * visible, then reduce the number of rows.  This takes at most about fifty passes.
	 */
	while (!fits(l, t, limits) && l->max_rows > 1) {
		if (l->minwidth < 2)
			l->minwidth = l->minwidth < 0.01 ? 0.01 : l->minwidth * 1.25;
		else if (l->max_rows > t->max_depth)
			l->max_rows = t->max_depth;
		else
			l->max_rows -= (l->max_rows + 3) / 4;
	}
	preorder = hd_new_array(struct hd_flamegraph_frame, 2 * t->n);
	c.cursor = hd_new_array(uint64_t, t->n);
	c.frames = preorder;
	c.max_rows = l->max_rows;
	c.min_weight = l->minwidth * (double)t->nodes[0].total / limits->width_px;
	choose(&c);
	l->n = c.drawn;
	l->blocks = c.blocks;
	free(c.cursor);

	/* Preorder visits each row from left to right, so a stable counting sort by depth gives the rows. */
	for (size_t i = 0; i < l->n; i++)
		if (t->nodes[preorder[i].node].depth >= l->nrows)
			l->nrows = t->nodes[preorder[i].node].depth + 1;
	l->rows = hd_new_array(size_t, l->nrows + 1);
	next = hd_new_array(size_t, l->nrows + 1);
	for (size_t i = 0; i < l->n; i++)
		next[t->nodes[preorder[i].node].depth + 1]++;
	for (size_t d = 0; d < l->nrows; d++) {
		next[d + 1] += next[d];
		l->rows[d + 1] = next[d + 1];
	}
	l->frames = hd_new_array(struct hd_flamegraph_frame, l->n);
	for (size_t i = 0; i < l->n; i++)
		l->frames[next[t->nodes[preorder[i].node].depth]++] = preorder[i];
	free(next);
	free(preorder);
}

void hd_flamegraph_layout_release(struct hd_flamegraph_layout *l)
{
	free(l->frames);
	free(l->rows);
	*l = (struct hd_flamegraph_layout){ 0 };
}
