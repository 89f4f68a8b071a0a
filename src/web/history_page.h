/*
 * history_page.h - write the history of a database as one self-contained page
 *
 *     struct hd_history_page *h = hd_history_page_new(overview);
 *     hd_history_page_add_tree(h, lane, slot, tree);       a call tree, to be drawn and compared
 *     hd_history_page_write(h, out, title, &sizes);
 *
 * A lane is a list of comparable runs (same target, mode, event, ...), and a slot is the position of a run in its lane;
 * see history/history_overview.h.
 *
 * The page consists of the shell (page.h), the body template, style sheet and scripts of src/web/html/, the chart
 * library that was found at build time with its licence text, and the data as JSON.  The page fetches nothing.  The
 * same overview and trees give the same bytes.
 *
 * The data has the format hotdrift.html, version 1.  A text is an index into `s`.  Lists with one element per run or
 * slot are stored by column.  Shares are in thousandths of a per cent in `v` and `top`, in per cent in `c`, `next` and
 * `verdicts`:
 *
 *     hotdrift the version of the program, as a string
 *     title    text
 *     s        texts; text 0 is "" and means unknown
 *     runs     { id, t, commit, ct, subject, branch, status, config: [text...], dirty: [-1|0|1...], work: [number...] }
 *     symbols  [[name, object]...]              name 0: an address without a name
 *     lanes    [{ target, mode, inline, machine, config, selection, cpu, event, stacks, unit: text,
 *                 run: [run...], e: [number of the event in its run...], w: [weight...], n: [samples...],
 *                 top: [symbol, share, ... five pairs a slot], -1 for none
 *                 cols: [{ sym, v, c, next } | { kind, name, unit, stat, v, c, next }...] }]
 *               v: per slot, a share (0 if unknown), or a value of a series (null if unknown);
 *               c: change points [[slot, before, after, magnitude, p]...]; if the change of the cost is known, each
 *               also has this change and the ends of its interval
 *               next: [first slot, runs, low, high], the prediction interval for one more run, computed from so
 *               many runs; missing if there are too few
 *     verdicts [[head run, base run or -1, event, symbol or -1, kind, verdict, base %, head %,
 *               change %, low, high, q, series]...]     series: text; then base and head are in its unit
 *     gates    [[head run, event, verdict, base, reason]...]     verdict on the run as a whole
 *     frames   [[name, class]...]               class: a colour of render/palette.h
 *     trees    [{ lane, slot, f: [frame, depth, total, self, ...], cut }...]
 *               parents first; cut: number of nodes that are too small to be included
 *     left     numbers of items that are missing because the page would be too large
 */
#ifndef HD_WEB_HISTORY_PAGE_H
#define HD_WEB_HISTORY_PAGE_H

#include "profile/call_tree.h"
#include "base/file.h"
#include "history/history_overview.h"

enum {
	HD_HISTORY_PAGE_NODES = 4000,			/* maximum number of nodes per tree */
	/* when the trees together are larger than this, in bytes, no more trees are added */
	HD_HISTORY_PAGE_TREE_BYTES = 24 * 1024 * 1024,
};

struct hd_history_page;
/* Return an empty page.  `c` is borrowed and must outlive it. */
struct hd_history_page *hd_history_page_new(const struct hd_overview *c);
void hd_history_page_free(struct hd_history_page *h);				/* accepts NULL */

/*
 * Add a call tree.  If the trees added so far exceed HD_HISTORY_PAGE_TREE_BYTES, it is not added and the result is
 * false; the page then prints how many trees are missing.
 */
bool hd_history_page_add_tree(struct hd_history_page *h, uint32_t lane, uint32_t slot, const struct hd_call_tree *t);

/* Append the JSON of the page's data block. */
void hd_history_page_json(struct hd_history_page *h, struct hd_buf *out, const char *title);

/* Sizes in bytes. */
struct hd_history_page_sizes {
	uint64_t page;		/* the whole page */
	uint64_t data;		/* the data of the page */
	uint64_t trees;		/* the call trees in the data */
};
void hd_history_page_write(struct hd_history_page *h, struct hd_outfile *out, const char *title,
	struct hd_history_page_sizes *sizes);

/* Return true if hotdrift was built with a chart library. */
bool hd_history_page_has_charts(void);
/* The fix to print if it was built without one. */
#define HD_HISTORY_PAGE_NO_CHARTS	"install libjs-dygraphs and build hotdrift again (make)"

#endif
