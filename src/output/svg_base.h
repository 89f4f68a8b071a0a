/*
 * svg_base.h - what a differential flamegraph says of a frame; what svg.c takes from svg_base.c
 *
 * Data for the script: `data-b` of a row, per frame the base's share in hundredths of a per cent.
 */
#ifndef HD_OUTPUT_SVG_BASE_H
#define HD_OUTPUT_SVG_BASE_H

#include "output/svg.h"

struct hd_svg_base {
	const struct hd_flame_base *base;	/* NULL: none, and nothing is said */
	double most;				/* the largest |points| of a frame below the root */
	double gone;				/* of the base's weight: in functions or stacks that are not there any more */
	size_t gone_frames;
};

void hd_svg_base_init(struct hd_svg_base *b, const struct hd_flame_base *base);
/* The class of a node's frame; false when there is no base. */
bool hd_svg_base_class(const struct hd_svg_base *b, char class[4], uint32_t node);
/* `, base 12.34%, +1.20 points`, for its title. */
void hd_svg_base_text(struct hd_buf *out, const struct hd_svg_base *b, uint32_t node);
void hd_svg_base_data(struct hd_buf *out, const struct hd_svg_base *b, uint32_t node);
/* For the line about what the picture lacks. */
void hd_svg_base_note(struct hd_buf *out, const struct hd_svg_base *b);

#endif
