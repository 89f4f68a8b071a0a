/*
 * flamegraph_svg.h - the state while a flamegraph is written; private to flamegraph*.c
 */
#ifndef HD_RENDER_FLAMEGRAPH_SVG_H
#define HD_RENDER_FLAMEGRAPH_SVG_H

#include "base/file.h"
#include "profile/profile.h"
#include "render/flamegraph_diff.h"
#include "render/flamegraph_layout.h"
#include "render/flamegraph_options.h"

/* Lengths in px.  The SVG attribute data-geometry contains the lengths that the script needs. */
enum {
	HD_FLAMEGRAPH_PAD = 10,		/* margin on both sides of the picture, as in flamegraph.pl */
	HD_FLAMEGRAPH_TEXT_PAD = 4,	/* space on both sides of a name */
	HD_FLAMEGRAPH_MIN_TEXT = 30,	/* narrower frames have no name */
	HD_FLAMEGRAPH_HEAD = 112,	/* height of title, subtitle, legend and a line for the script */
	HD_FLAMEGRAPH_FOOT = 16,
};

enum { HD_FLAMEGRAPH_UNIT_BYTES = 40 };	/* maximum length of the unit's name, which is in every tooltip */

struct hd_flamegraph_svg {
	struct hd_buf *b;
	struct hd_outfile *out;		/* receives the content of `b` whenever `b` is full; NULL: `b` grows */
	const struct hd_profile *p;
	const struct hd_call_tree *t;
	const struct hd_event *event;
	const struct hd_flamegraph_opts *o;
	char unit[HD_FLAMEGRAPH_UNIT_BYTES + 1];
	struct hd_flamegraph_layout l;
	struct hd_flamegraph_diff base;
	uint32_t width;
	uint32_t row;			/* distance of two rows, in px */
	uint32_t bar;			/* height of a frame, in px */
	uint32_t baseline;		/* y of the text in a frame, in px */
	unsigned mono;			/* advance width of a character in a frame, in hundredths of a px */
	/* if true, weights are counts such as numbers of samples, so the number of samples is not printed as well */
	bool counted;
	struct hd_buf text, scratch;	/* text: a name in visible form; scratch: short texts */
	uint32_t number;		/* number of the next frame, for hd_flame_colours_get() */
};

/* Return a weight times the factor of the options. */
uint64_t hd_flamegraph_scaled(const struct hd_flamegraph_svg *s, uint64_t weight);
/* Append the title in visible form. */
void hd_flamegraph_title(const struct hd_flamegraph_svg *s, struct hd_buf *out);
void hd_flamegraph_head(struct hd_flamegraph_svg *s, const struct hd_buf *title);

#endif
