/*
 * flamegraph_layout.c - see flamegraph_layout.h
 */
#include "render/flamegraph_layout.h"

#include "base/mem.h"

#include <stdlib.h>

/* Select every frame that is wide enough, in preorder; return their number. If `frames` is NULL, only count them. */
static size_t choose(struct hd_flamegraph_layout *l, const struct hd_call_tree *t, double min_weight, uint32_t max_rows,
		     struct hd_flamegraph_frame *frames, uint64_t *cursor)
{
	size_t drawn = 0;

	l->narrow = l->narrow_weight = l->deep = l->deep_weight = 0;
	for (size_t i = 0; i < t->n;) {
		const struct hd_call_tree_node *n = &t->nodes[i];
		uint64_t start = 0;

		if (cursor) {	/* start of the parent's next child */
			start = i ? cursor[n->parent] : 0;
			cursor[i] = start;
			if (i && __builtin_add_overflow(start, n->total, &cursor[n->parent]))
				cursor[n->parent] = UINT64_MAX;
		}
		if (n->depth >= max_rows) {
			l->deep += n->end - i;
			l->deep_weight += n->total;
			i = n->end;
		} else if (i > 0 && (n->total == 0 || (double)n->total < min_weight)) {
			l->narrow += n->end - i;
			l->narrow_weight += n->total;
			i = n->end;
		} else {
			if (frames)
				frames[drawn] = (struct hd_flamegraph_frame){ (uint32_t)i, start };
			drawn++;
			i++;
		}
	}
	return drawn;
}

void hd_flamegraph_layout_init(struct hd_flamegraph_layout *l, const struct hd_call_tree *t, uint32_t width_px,
	double minwidth_px, size_t max_frames, uint32_t max_rows)
{
	double per_px = (double)t->nodes[0].total / width_px;
	struct hd_flamegraph_frame *preorder;
	uint64_t *cursor = hd_new_array(uint64_t, t->n);
	size_t *next;

	*l = (struct hd_flamegraph_layout){ .minwidth = minwidth_px, .max_rows = max_rows };
	/*
	 * Too many frames: first increase the width up to 2 px, which is invisible, then reduce the depth. At most
	 * about fifty passes.
	 */
	while (choose(l, t, l->minwidth * per_px, l->max_rows, NULL, NULL) > max_frames && l->max_rows > 1) {
		if (l->minwidth < 2)
			l->minwidth = l->minwidth < 0.01 ? 0.01 : l->minwidth * 1.25;
		else if (l->max_rows > t->max_depth)
			l->max_rows = t->max_depth;
		else
			l->max_rows -= (l->max_rows + 3) / 4;
	}
	preorder = hd_new_array(struct hd_flamegraph_frame, t->n);
	l->n = choose(l, t, l->minwidth * per_px, l->max_rows, preorder, cursor);
	free(cursor);

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
