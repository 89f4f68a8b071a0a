/*
 * report_page.h - write one profile as a self-contained page: flame graph, callers and callees, time, tables, quality
 *
 * The page consists of the shell (page.h), files of src/web/html/, and the data.  A script of the page adds up the
 * samples of the selected time, threads and event, so that every view follows the selection.  The page fetches
 * nothing.  The same profile gives the same bytes.
 *
 * The data, hotdrift.report_page version 1, is JSON: {"format","version","hotdrift","title","input","inlined",
 * "packed":"..."}.  packed is base64 of one gzip member.  Its bytes are numbers in LEB128 (unsigned; z: zigzag, signed)
 * and texts (length, bytes in UTF-8; the visible form of base/encode.h).  A list begins with its length.
 *
 *     info       text: hotdrift.info (render/info.h)          advice   text: what `hotdrift info` prints
 *     code       text: [SYMBOL...], the hottest functions with source and instructions (render/annotation.h)
 *     texts      list of text; 0 is ""
 *     functions  list of { name: text, 0 if unknown; object: text; classes: 2 x { letter, digit } }
 *                the classes of render/palette.h: of a frame that was called, and of one that was inlined
 *     nodes      list of { depth: z, difference to the node before; 2 * function + inlined }     see page_stacks.h
 *     cut        number of nodes that the page has no room for
 *     lines      list of { file: text, line }                 line 0 is "unknown"
 *     threads    list of { comm: text, pid + 1, tid + 1 }     0: not recorded
 *     events     list of { name: text, unit: text, samples, weight, rows, clock, first, times }
 *         rows   list of { node: z, difference to the row before; self: function; line; thread; weight; samples }
 *         clock  ns per tick; 0: the samples have no times, and `first` and `times` are absent
 *         first  ns of the recording's clock at tick 0
 *         times  list of { ticks since the item before; row: index in `rows`; weight: z, difference to the item before;
 *                samples - 1 }
 *
 * The events follow one another.  Every other list is stored by column: the first number of all items, then the second
 * number of all items, and so on.  The samples of one row in one tick are one item of `times`.  If there are more than
 * HD_REPORT_PAGE_TIMES items in all events together, the ticks are made longer until the items fit.
 */
#ifndef HD_WEB_REPORT_PAGE_H
#define HD_WEB_REPORT_PAGE_H

#include "annotate/annotation.h"
#include "base/file.h"
#include "profile/profile.h"

enum {
	HD_REPORT_PAGE_NODES = 200000,
	HD_REPORT_PAGE_TIMES = 1000000,	/* limit for the items of `times` of all events together */
	HD_REPORT_PAGE_CODE = 20,	/* number of annotated functions; see hd_annotate_opts.limit */
};

struct hd_report_page_opts {
	const char *title;	/* NULL: the name of the input */
	/* true: self cost of inlined code belongs to the inlined function, not to its container; see functions.h */
	bool inlined;
	const struct hd_annotations *code;	/* NULL: none */
	size_t most_nodes, most_times;	/* limits for tests; 0: the limits above */
};

void hd_report_page_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_report_page_opts *o);

/* Append the content of the member `packed` before compression and base64. */
void hd_report_page_pack(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_page_opts *o);

#endif
