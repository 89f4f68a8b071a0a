/*
 * palette.h - the colours of a call tree, light and dark
 *
 * Hue says what kind of frame it is, the shade within comes from a hash of the
 * name alone: one function has one colour in every picture, so two graphs side
 * by side can be compared by eye.  Suffixes that compilers add (.isra.0,
 * .constprop.1, .cold) do not count.
 *
 * A shade is a CSS class made of the kind's letter and a number, never of the
 * name: u3, k0.
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
	HD_PALETTE_KIND_GPU,		/* operations of a GPU, and the boundary before them */
	HD_PALETTE_KIND_UNKNOWN,
	HD_PALETTE_KIND_GROUP,		/* the root and the level of thread names */
	HD_PALETTE_KIND_GREW,		/* in a differential picture the change is the kind: */
	HD_PALETTE_KIND_SHRANK,		/* five shades each, by how much (hd_palette_change) */
	HD_PALETTE_KIND_SAME,
	HD_PALETTE_KINDS,
};

/* The kind of a node with these flags (enum hd_call_tree_node_flags). */
enum hd_palette_kind hd_palette_kind_of(uint32_t node_flags);
const char *hd_palette_kind_name(enum hd_palette_kind kind);	/* "user", "kernel", ...; a constant */

/* The class of a name of this kind, e.g. "u7", into a buffer of 4. */
void hd_palette_class(char class[4], enum hd_palette_kind kind, const char *name);

/* The class of a change: `points` of at most `most`, or one that chance explains. */
void hd_palette_change(char class[4], double points, double most, bool chance);

/* The class that stands for the kind in a legend. */
void hd_palette_legend_class(char class[4], enum hd_palette_kind kind);

/*
 * The style sheet: `.u7{fill:...}` for every shade, and `--bg` and the other
 * colours of the page, for `.hd-flame` in light, in dark by the reader's
 * preference, and in what data-theme="light|dark" says.
 */
void hd_palette_css(struct hd_buf *out);

#endif
