/*
 * flamegraph.h - the flamegraph: a call tree as an interactive picture
 *
 * One self-contained file.  Without scripts it is a complete picture at its
 * own width, a tooltip on every frame; with them (flame.js inside) it follows
 * the window and zooms, searches, turns over, changes colours, obeys the
 * keyboard and keeps what is shown in the address.
 *
 * What is in it, outermost first:
 *
 *     svg.hd-flame            data-*: geometry and units, for the script
 *       g.hd-graph            the frames
 *         g.r  data-f=...     one row per depth; per frame `gap,total,samples,self`,
 *                             gap: weight between it and the frame before it
 *           g                 a frame: title (name, newline, numbers), rect, and
 *                             text when there is room for one
 *       g.hd-head             title, subtitle, legend, what was not drawn
 *
 * Names stand in title and text only, encoded (base/encode.h); the number of
 * elements does not depend on them.  A name beyond 1000 bytes is cut and
 * followed by a hash of the whole.  Frames too narrow to be seen are left out,
 * counted and told in the picture.  Same tree and options, same bytes.
 */
#ifndef HD_RENDER_FLAMEGRAPH_H
#define HD_RENDER_FLAMEGRAPH_H

#include "profile/call_tree.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "gate/difference.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_flamegraph_theme { HD_FLAMEGRAPH_THEME_AUTO, HD_FLAMEGRAPH_THEME_LIGHT, HD_FLAMEGRAPH_THEME_DARK };

#define HD_FLAMEGRAPH_WIDTH 1200
#define HD_FLAMEGRAPH_MINWIDTH 0.1
#define HD_FLAMEGRAPH_MAX_FRAMES 60000
#define HD_FLAMEGRAPH_MAX_ROWS 2000

/*
 * A picture of what changed: colours say by how much a frame's share (with what it calls) differs from that of
 * another profile, widths are those of this one. A frame that chance explains is grey.
 */
struct hd_flamegraph_base {
	const struct hd_difference *d;	/* of the base and this profile, its place[HD_HEAD] for this very tree */
	const char *name;		/* of the base, raw bytes */
};

struct hd_flamegraph_opts {
	const char *title;	/* NULL: the input's name and the event's */
	const char *filter;	/* what was selected (`comm app`), for the subtitle; NULL: everything */
	bool icicle;		/* the root on top */
	enum hd_flamegraph_theme theme;
	uint32_t width;		/* of the picture without scripts, in px; 0: HD_FLAMEGRAPH_WIDTH */
	double minwidth;	/* narrower frames are left out, in px at this width */
	const struct hd_flamegraph_base *base;	/* NULL: colours by kind */
	size_t max_frames;	/* more: minwidth grows, then the deepest go; 0: HD_FLAMEGRAPH_MAX_FRAMES */
};

#define HD_FLAMEGRAPH_DEFAULTS { .minwidth = HD_FLAMEGRAPH_MINWIDTH }

/* HD_EUSAGE for a width or minwidth out of range; a failed write is told by hd_outfile_commit. */
int hd_flamegraph_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
		 const struct hd_flamegraph_opts *o, struct hd_err *err);

/*
 * The same svg element for a page that holds several: no XML declaration, no
 * style, no script.  The page carries hd_flamegraph_css and the asset flame.js
 * once, behind the pictures; the script finds them by their class.
 */
int hd_flamegraph_fragment(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
			  const struct hd_flamegraph_opts *o, struct hd_err *err);
void hd_flamegraph_css(struct hd_buf *out);

#endif
