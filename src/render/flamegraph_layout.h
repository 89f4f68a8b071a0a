/*
 * flamegraph_layout.h - which frames a picture of a call tree shows, and where
 *
 * Every frame spans [start, start + total) of the root's weight: children from
 * their parent's start on, in order, its own cost behind them.
 *
 * Owns:  the arrays.
 * Holds: a drawn frame's parent is drawn; drawn frames stand by depth, then by
 *        start.  drawn + narrow + deep = all nodes.  Frames beyond max_frames go by
 *        width up to 2 px, then by depth.
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
	size_t *rows;			/* frames of depth d: rows[d] .. rows[d + 1] */
	size_t nrows;
	double minwidth;		/* what the limits came to: in px, */
	uint32_t max_rows;		/* and in rows */
	uint64_t narrow, narrow_weight;	/* frames left out for their width */
	uint64_t deep, deep_weight;	/* and for their depth */
};

void hd_flamegraph_layout_init(struct hd_flamegraph_layout *l, const struct hd_call_tree *t, uint32_t width_px,
	double minwidth_px, size_t max_frames, uint32_t max_rows);
void hd_flamegraph_layout_release(struct hd_flamegraph_layout *l);

#endif
