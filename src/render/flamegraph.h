/*
 * flamegraph.h - draw a call tree as an interactive SVG flamegraph
 *
 * The output is one self-contained file.  Without scripts it is a complete picture of fixed width with a tooltip on
 * every frame.  With scripts (flame.js is embedded) it adapts to the window, zooms, searches, flips, changes colours,
 * can be used from the keyboard and stores its state in the address.
 *
 * Structure, outermost element first:
 *
 *     svg.hd-flame            data-*: geometry and units, for the script
 *       g.hd-graph            the frames
 *         g.r  data-f=...     one row per depth; per frame `gap,total,samples,self`,
 *                             gap: weight between this frame and the end of the frame before it
 *           g                 a frame: title (name, newline, numbers), rect, and
 *                             text if there is room for it
 *       g.hd-head             title, subtitle, legend, and a note about frames that are not drawn
 *
 * Names occur in title and text elements only, encoded (base/encode.h), so a name cannot add elements.  A name longer
 * than 1000 bytes is cut and followed by a hash of the whole name.  Frames that are too narrow to be seen are not
 * drawn; the note counts them.  The same tree and options give the same bytes.
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
 * The base of a differential flamegraph, which draws the head.
 *
 * Widths are shares in the drawn profile.  The colour of a frame shows how much its share, including callees, differs
 * from its share in the base.  Frames whose change is not significant are grey.
 */
struct hd_flamegraph_base {
	/* the difference with the drawn profile as head; place[HD_HEAD] is indexed by the nodes of the drawn tree */
	const struct hd_difference *d;
	const char *name;		/* name of the base input, raw bytes */
};

struct hd_flamegraph_opts {
	const char *title;	/* NULL: the names of the input and of the event */
	const char *filter;	/* text of the selection (`comm app`) for the subtitle; NULL: no selection */
	bool icicle;		/* draw the root at the top */
	enum hd_flamegraph_theme theme;
	uint32_t width;		/* width of the picture without scripts, in px; 0: HD_FLAMEGRAPH_WIDTH */
	double minwidth;	/* frames narrower than this, in px at `width`, are not drawn */
	const struct hd_flamegraph_base *base;	/* NULL: frames are coloured by kind */
	/*
	 * if there are more, minwidth is increased, then the deepest frames are dropped; 0: HD_FLAMEGRAPH_MAX_FRAMES
	 */
	size_t max_frames;
};

#define HD_FLAMEGRAPH_DEFAULTS { .minwidth = HD_FLAMEGRAPH_MINWIDTH }

/* Write the file. HD_EUSAGE if width or minwidth is out of range. hd_outfile_commit() reports failed writes. */
int hd_flamegraph_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
		 const struct hd_flamegraph_opts *o, struct hd_err *err);

/*
 * Append the svg element without XML declaration, style and script, for a page with several flamegraphs.
 *
 * The page must contain hd_flamegraph_css() once and, after the last flamegraph, the asset flame.js, which finds the
 * flamegraphs by their class.
 */
int hd_flamegraph_fragment(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
			  const struct hd_flamegraph_opts *o, struct hd_err *err);
void hd_flamegraph_css(struct hd_buf *out);

#endif
