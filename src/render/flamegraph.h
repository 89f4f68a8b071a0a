/*
 * flamegraph.h - draw a call tree as an interactive SVG flamegraph
 *
 * The output is one self-contained file.  Without scripts it is a complete picture of fixed width with a tooltip on
 * every frame.  With scripts (flame.js is embedded) it adapts to the window, zooms, searches, flips, changes colours,
 * can be used from the keyboard and stores its state in the URL.
 *
 * Structure, outermost element first:
 *
 *     svg.hd-flame            data-*: geometry and units, for the script
 *       g.hd-graph            the frames
 *         g.r  data-f=...     one row per depth; per frame `gap,total,samples,self`,
 *                             gap: weight between this frame and the end of the frame before it
 *              data-b=...     with a base; per frame `total,self` of the head and of the base
 *           g                 a frame: title (name, newline, numbers), rect, and
 *                             text if there is room for it.  With a link it is an element `a`
 *       g.hd-head             title, subtitle, legend, and a note about frames that are not drawn
 *       metadata.hd-data      the stacks (flame_data.h), for the script and for readers of the file
 *
 * Names of functions are only in title and text elements, encoded (base/encode.h), and compressed in metadata.hd-data,
 * so a name cannot add elements.  A name longer than 1000 bytes is cut and followed by a hash of the whole name.
 * Adjacent frames that are too narrow to be seen are one grey block if they are wide enough together; the note counts
 * them.  Without options for the geometry, frames have the positions and widths that flamegraph.pl gives them at the
 * same --width.  The same tree and options give the same bytes.
 */
#ifndef HD_RENDER_FLAMEGRAPH_H
#define HD_RENDER_FLAMEGRAPH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "profile/call_tree.h"
#include "profile/profile.h"
#include "render/flamegraph_options.h"

/* Return HD_EUSAGE if a size, colour or font is invalid.  Call this before any input is read. */
int hd_flamegraph_check(const struct hd_flamegraph_opts *o, struct hd_err *err);

/*
 * A function for hd_call_tree_opts.least: return the weight of the lightest nodes whose callees a flamegraph with the
 * options `o` needs.  Use it only if the weight of the root is not changed after the tree was built, and if there is no
 * base.
 */
uint64_t hd_flamegraph_least(const void *o, const uint64_t *totals, size_t n);

/*
 * Write the flamegraph of a profile as a complete SVG file.  Returns HD_EUSAGE in the cases of hd_flamegraph_check().
 * Failed writes are reported by hd_outfile_commit().
 */
int hd_flamegraph_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
		 const struct hd_flamegraph_opts *o, struct hd_err *err);

/*
 * Append the svg element without XML declaration, style and script, for a page with several flamegraphs.
 *
 * The page must contain hd_flamegraph_css() once and, after the last flamegraph, hd_flamegraph_js(), which finds the
 * flamegraphs by their class.
 */
int hd_flamegraph_fragment(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
			  const struct hd_flamegraph_opts *o, struct hd_err *err);
void hd_flamegraph_css(struct hd_buf *out);
/* Append the CSS rules in which a style differs from the default.  hd_flamegraph_check() must have accepted it. */
void hd_flamegraph_style_css(struct hd_buf *out, const struct hd_flamegraph_style *style, bool fixed_colours);
/* Append the title of a picture in visible form (base/encode.h), without XML entities. */
void hd_flamegraph_title_text(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
	const struct hd_flamegraph_opts *o);
void hd_flamegraph_js(struct hd_buf *out);	/* append the script, which consists of all files flame*.js */

#endif
