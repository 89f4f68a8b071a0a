/*
 * flamegraph_diff.h - the parts of a differential flamegraph: colours, tooltips and data that compare with the base
 *
 * Used by flamegraph.c only.  If `d` is NULL, hd_flamegraph_diff_data() must not be called, and the others do nothing.
 */
#ifndef HD_RENDER_FLAMEGRAPH_DIFF_H
#define HD_RENDER_FLAMEGRAPH_DIFF_H

#include "base/buf.h"
#include "gate/difference.h"

struct hd_flamegraph_diff {
	const struct hd_difference *d;	/* from the base to the drawn profile; NULL: no base */
	double most;				/* largest absolute change, in points, of a frame below the root */
	double gone; /* share of the base's weight, in per cent, in stacks that the drawn profile does not have */
	size_t gone_frames;
};

void hd_flamegraph_diff_init(struct hd_flamegraph_diff *b, const struct hd_difference *d);
/* Store the CSS class of a node's frame. Returns false if there is no base. */
bool hd_flamegraph_diff_class(const struct hd_flamegraph_diff *b, char class[4], uint32_t node);
/* Append the base's part of a tooltip: `, base 12.34%, +1.20 points`. */
void hd_flamegraph_diff_text(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node);
void hd_flamegraph_diff_data(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node);
/* Append to the note how many frames exist in the base only. */
void hd_flamegraph_diff_note(struct hd_buf *out, const struct hd_flamegraph_diff *b);

#endif
