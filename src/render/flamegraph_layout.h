/*
 * flamegraph_layout.h - select the frames of a flamegraph and compute their positions
 *
 * A frame spans [start, start + weight) of the root's weight.  The self cost of a frame comes first, then its children
 * follow in order, as in the pictures of flamegraph.pl.
 *
 * Frames that are too narrow or too deep are not drawn.  Adjacent siblings that are not drawn become one block of the
 * width that they have together, if the block is wide enough.  So no frame moves because of a limit.
 *
 * Ownership: the layout owns its arrays; hd_flamegraph_layout_release() frees them.
 * Invariant: the parent of a drawn frame or block is drawn.  Frames are sorted by depth, then by start.
 *            Each node is either drawn, or counted as narrow or as deep; blocks consist of narrow or deep nodes.
 * Limit:     if more than max_frames remain, or more than max_bytes, the minimum width is increased until it is at
 *            least 2 px, then the depth is reduced.
 */
#ifndef HD_RENDER_FLAMEGRAPH_LAYOUT_H
#define HD_RENDER_FLAMEGRAPH_LAYOUT_H

#include "profile/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_flamegraph_frame {
	uint32_t node;			/* the node of a frame, or the first node of a block */
	uint32_t hidden;		/* number of frames in a block; 0: this is a frame, not a block */
	uint64_t start, weight;
	bool deep;			/* the frames of the block are not drawn because they are too deep */
};

struct hd_flamegraph_limits {
	uint32_t width_px;		/* width of the root's frame */
	double minwidth_px;
	size_t max_frames;
	size_t max_bytes;		/* limit for the estimated SVG text of the frames; 0: no limit */
	uint32_t max_rows;
};

struct hd_flamegraph_layout {
	struct hd_flamegraph_frame *frames;
	size_t n;			/* number of frames and blocks */
	size_t blocks;			/* number of blocks */
	size_t *rows;			/* the frames of depth d are frames[rows[d]] .. frames[rows[d + 1] - 1] */
	size_t nrows;
	double minwidth;		/* the minimum width that was applied, in px */
	uint32_t max_rows;		/* the limit for the number of rows that was applied */
	uint64_t narrow;		/* number of frames that were dropped because of their width */
	uint64_t narrow_weight;		/* sum of the total weights of the subtrees that these frames form */
	uint64_t deep;			/* number of frames that were dropped because of their depth */
	uint64_t deep_weight;		/* sum of the total weights of the subtrees that these frames form */
};

void hd_flamegraph_layout_init(struct hd_flamegraph_layout *l, const struct hd_call_tree *t,
	const struct hd_flamegraph_limits *limits);
void hd_flamegraph_layout_release(struct hd_flamegraph_layout *l);

#endif
