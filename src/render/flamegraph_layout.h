/*
 * flamegraph_layout.h - select the frames of a flamegraph and compute their positions
 *
 * A frame spans [start, start + total) of the root's weight.  Children begin at the start of their parent, in order;
 * the self cost of the parent follows them.
 *
 * Ownership: the layout owns its arrays; hd_flamegraph_layout_release() frees them.
 * Invariant: the parent of a drawn frame is drawn.  Frames are sorted by depth, then by start.
 *            Each node is drawn, narrow or deep.
 * Limit:     if more than max_frames remain, the minimum width is increased up to 2 px, then the depth is reduced.
 */
#ifndef HD_RENDER_FLAMEGRAPH_LAYOUT_H
#define HD_RENDER_FLAMEGRAPH_LAYOUT_H

#include "profile/call_tree.h"

#include <stddef.h>
#include <stdint.h>

struct hd_flamegraph_frame {
	uint32_t node;
	uint64_t start;
};

struct hd_flamegraph_layout {
	struct hd_flamegraph_frame *frames;
	size_t n;
	size_t *rows;			/* the frames of depth d are frames[rows[d]] .. frames[rows[d + 1] - 1] */
	size_t nrows;
	double minwidth;		/* limits that were applied: width in px, */
	uint32_t max_rows;		/* and number of rows */
	uint64_t narrow, narrow_weight;	/* frames that were dropped because of their width, and their weight */
	uint64_t deep, deep_weight;	/* frames that were dropped because of their depth, and their weight */
};

void hd_flamegraph_layout_init(struct hd_flamegraph_layout *l, const struct hd_call_tree *t, uint32_t width_px,
	double minwidth_px, size_t max_frames, uint32_t max_rows);
void hd_flamegraph_layout_release(struct hd_flamegraph_layout *l);

#endif
