/*
 * flamegraph_diff.h - what a differential flamegraph says of a frame; what flamegraph.c takes from flamegraph_diff.c
 *
 * Data for the script: `data-b` of a row, per frame the base's share in hundredths of a per cent.
 */
#ifndef HD_RENDER_FLAMEGRAPH_DIFF_H
#define HD_RENDER_FLAMEGRAPH_DIFF_H

#include "base/buf.h"
#include "gate/difference.h"

struct hd_flamegraph_diff {
	const struct hd_difference *d;	/* of the base and this profile; NULL: there is no base */
	double most;				/* the largest |points| of a frame below the root */
	double gone; /* of the base's weight: in functions or stacks that are not there any more */
	size_t gone_frames;
};

void hd_flamegraph_diff_init(struct hd_flamegraph_diff *b, const struct hd_difference *d);
/* The class of a node's frame; false when there is no base. */
bool hd_flamegraph_diff_class(const struct hd_flamegraph_diff *b, char class[4], uint32_t node);
/* `, base 12.34%, +1.20 points`, for its title. */
void hd_flamegraph_diff_text(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node);
void hd_flamegraph_diff_data(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node);
/* For the line about what the picture lacks. */
void hd_flamegraph_diff_note(struct hd_buf *out, const struct hd_flamegraph_diff *b);

#endif
