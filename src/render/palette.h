/*
 * palette.h - the colours of a call tree, for light and dark pages
 *
 * The hue shows the kind of a frame; the shade within the hue is a hash of the name.  So a function has the same
 * colour in every picture, and two graphs can be compared by eye.  Suffixes that compilers add (.isra.0, .constprop.1,
 * .cold) do not change the shade.
 *
 * A shade is a CSS class: the letter of the kind and a number, such as u3 or k0.  It never contains the name.
 */
#ifndef HD_RENDER_PALETTE_H
#define HD_RENDER_PALETTE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum hd_palette_kind {
	HD_PALETTE_KIND_USER,
	HD_PALETTE_KIND_INLINED,
	HD_PALETTE_KIND_JIT,
	HD_PALETTE_KIND_KERNEL,
	HD_PALETTE_KIND_GPU,		/* operations of a GPU, and the frame [GPU] that calls them */
	HD_PALETTE_KIND_UNKNOWN,
	HD_PALETTE_KIND_GROUP,		/* the root and the level of thread names */
	/* GREW to GONE: kinds of frames in a differential flamegraph, by the direction of their change */
	HD_PALETTE_KIND_GREW,
	HD_PALETTE_KIND_SHRANK,		/* GREW and SHRANK: five shades, by size of the change */
	HD_PALETTE_KIND_SAME,
	HD_PALETTE_KIND_GONE,		/* a frame that only the base has */
	HD_PALETTE_KIND_REST,		/* several frames that are too narrow to be drawn one by one */
	HD_PALETTE_KINDS,
};

/* Return the kind of a node with these flags (enum hd_call_tree_node_flags). */
enum hd_palette_kind hd_palette_kind_of(uint32_t node_flags);
const char *hd_palette_kind_name(enum hd_palette_kind kind);	/* "user", "kernel", ...; static string */

/* Store the CSS class of a frame with this kind and name, for example "u7". */
void hd_palette_class(char class[4], enum hd_palette_kind kind, const char *name);

/*
 * Store the CSS class of a frame in a differential flamegraph.  points: the change of the frame's cost, in per cent of
 * the total cost of the base; most: the largest change in the picture; chance: the change is not significant.
 */
void hd_palette_change(char class[4], double points, double most, bool chance);

/* Store the class that represents the kind in a legend. */
void hd_palette_legend_class(char class[4], enum hd_palette_kind kind);

/*
 * Append the style sheet: `.u7{fill:...}` for every shade, and `--bg` and the other page colours for `.hd-flame`.
 * The dark colours apply if the reader prefers a dark scheme or an element has data-theme="dark"; data-theme="light"
 * overrides the preference.
 */
void hd_palette_css(struct hd_buf *out);

#endif
