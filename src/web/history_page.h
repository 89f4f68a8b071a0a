/*
 * history_page.h - a history as one page that needs nothing else
 *
 *     struct hd_history_page *h = hd_history_page_new(chronicle);
 *     hd_history_page_add_tree(h, lane, slot, tree);       a call tree, to be drawn and compared
 *     hd_history_page_write(h, out, title);
 *
 * The page is src/web/html/: a skeleton, a style sheet, scripts; with them go the chart library
 * that was there at build time (its licence text too) and the data as JSON.
 * Nothing is fetched: a Content-Security-Policy forbids it, and lets run only the scripts whose
 * SHA-256 it names.  Same chronicle and trees, same bytes.
 *
 * The data, hotdrift.html version 1.  Texts are numbers into `s`, lists of one thing
 * per run or slot are columns, shares are thousandths of a per cent:
 *
 *     s        texts; 0 is "not known"
 *     runs     { id, t, commit, ct, subject, branch, status, config: [text...], dirty: [-1|0|1...] }
 *     symbols  [[name, object]...]              name 0: an address nobody names
 *     lanes    [{ target, mode, inline, machine, config, selection, cpu, event, unit: text,
 *                 run: [run...], w: [weight...], n: [samples...],
 *                 top: [symbol, share, ... five pairs a slot], -1 for none
 *                 cols: [{ sym, v, c, next } | { kind, name, unit, stat, v, c, next }...] }]
 *               v: per slot, a share or a number, null for none;
 *               c: [[slot, before, after, magnitude, p]...]
 *               next: [first slot, runs, low, high], what one more run may be, by so many of them; of few it is not there
 *     verdicts [[head run, base run or -1, event, symbol or -1, kind, verdict, base %, head %,
 *               change %, low, high, q, series]...]     series: text, and the first two are in its unit
 *     gates    [[head run, event, verdict, base, reason]...]     what was said of a run as a whole
 *     frames   [[name, class]...]               class: a colour of render/palette.h
 *     trees    [{ lane, slot, unit, cut, f: [frame, depth, total, self, ...] }...]
 *               parents first; cut: nodes too small to be there
 *     left     what there was no room for
 */
#ifndef HD_WEB_HISTORY_PAGE_H
#define HD_WEB_HISTORY_PAGE_H

#include "profile/call_tree.h"
#include "base/file.h"
#include "history/history_overview.h"

enum {
	HD_HISTORY_PAGE_NODES = 4000,			/* of one tree */
	HD_HISTORY_PAGE_TREE_BYTES = 24 * 1024 * 1024,	/* of all trees */
};

struct hd_history_page;
struct hd_history_page *hd_history_page_new(const struct hd_overview *c);	/* c must live on */
void hd_history_page_free(struct hd_history_page *h);				/* NULL is fine */

/* false: no room for more trees, and this one was left out and counted. */
bool hd_history_page_add_tree(struct hd_history_page *h, uint32_t lane, uint32_t slot, const struct hd_call_tree *t);

/* The data alone; what stands in the page's script block. */
void hd_history_page_json(struct hd_history_page *h, struct hd_buf *out, const char *title);

/* What the page is made of, for a word to the user. */
struct hd_history_page_sizes {
	uint64_t page, data, trees;
};
void hd_history_page_write(struct hd_history_page *h, struct hd_outfile *out, const char *title,
	struct hd_history_page_sizes *sizes);

/* Was there a chart library when hotdrift was built? */
bool hd_history_page_has_charts(void);
/* What to do when there was none. */
#define HD_HISTORY_PAGE_NO_CHARTS	"install libjs-dygraphs and build hotdrift again (make)"

#endif
