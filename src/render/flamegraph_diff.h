/*
 * flamegraph_diff.h - the parts of a differential flamegraph: tree, colours, tooltips and data that compare with a base
 *
 * Used by flamegraph*.c only.  If there is no base (hd_flamegraph_diff.d is NULL), hd_flamegraph_diff_data() must not
 * be called.  The other functions then ignore the comparison, and append nothing.
 */
#ifndef HD_RENDER_FLAMEGRAPH_DIFF_H
#define HD_RENDER_FLAMEGRAPH_DIFF_H

#include "base/buf.h"
#include "gate/difference.h"
#include "profile/call_tree.h"

struct hd_flamegraph_base;

struct hd_flamegraph_diff {
	const struct hd_difference *d;	/* difference between the base and the drawn profile; NULL: no base */
	struct hd_call_tree *tree;	/* the tree to draw; see hd_flamegraph_diff_init() */
	uint32_t *at;			/* indexed by node of `tree`: its index in d->nodes */
	double most;				/* largest change in points; an insignificant change is ignored */
	double gone; /* percentage of the base's weight whose stacks do not exist in the drawn profile */
	size_t gone_frames;		/* number of frames that only the base has */
	bool drawn_gone, negate;
};

/*
 * Prepare the comparison.  `head` is the call tree of the drawn profile; the caller draws b->tree instead.  Unless
 * base->no_gone is set, b->tree also has the frames that only the base has.  Names are borrowed from the profiles.
 */
void hd_flamegraph_diff_init(struct hd_flamegraph_diff *b, const struct hd_flamegraph_base *base,
	const struct hd_call_tree *head);
void hd_flamegraph_diff_release(struct hd_flamegraph_diff *b);
/* Return the weight of the drawn profile, which does not include the frames that only the base has. */
uint64_t hd_flamegraph_diff_weight(const struct hd_flamegraph_diff *b, const struct hd_call_tree *t);
/* Store the CSS class of a node's frame. Returns false if there is no base. */
bool hd_flamegraph_diff_class(const struct hd_flamegraph_diff *b, char class[4], uint32_t node);
/* Return the weight of a node in the drawn profile.  If there is no base, return `total`. */
uint64_t hd_flamegraph_diff_total(const struct hd_flamegraph_diff *b, uint32_t node, uint64_t total);
/*
 * Append the base's part of a tooltip: `, base 12.34%, +1.20 points`, and the name in the base if it differs, or
 * whether the frame is new or only in the base.
 */
void hd_flamegraph_diff_text(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node);
/* Append `total,self` of the head and of the base. */
void hd_flamegraph_diff_data(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node);
/* Append to the note how many frames exist in the base only. */
void hd_flamegraph_diff_note(struct hd_buf *out, const struct hd_flamegraph_diff *b);

#endif
