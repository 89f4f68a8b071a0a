/*
 * diff.h - print the difference of two profiles
 *
 * Formats: text, Markdown, CSV (`kind` is symbol or stack; names are in their visible form) and JSON:
 *
 * {"format":"hotdrift.diff","version":1,"base":{"input","event","unit","weight","samples"},"head":{...},
 *  "moved_points","cost_of","size_change_pct","symbol":null|NAME,"symbols_changed",
 *  "symbols":[{"symbol","base_name","head_name","base_pct","head_pct","base_total_pct","head_total_pct","points",
 *    "share_change_pct","base_cost","head_cost","change_pct","ci":[lo,hi],"p","q","significant",
 *    "state":"both|new|gone"}],
 *  "stacks_changed","stacks":[{"stack":[...],"base_pct",...}]}
 *
 * Shares are per cent of the weight of base or head.  Costs are in the unit of their side's event.  If both sides have
 * different units, size_change_pct and the change_pct of functions of both sides are null.  change_pct is the change of
 * the cost beyond size_change_pct, the change of all functions together; -100 if the function is gone, null if it is
 * new.  `ci` is its 95 % interval, [null,null] if it is unknown.  `samples` is null if the number is unknown; then p
 * and q are null, too.  An entry of "symbols" also has "unknown":true if the symbol has no name.
 */
#ifndef HD_RENDER_DIFF_H
#define HD_RENDER_DIFF_H

#include "base/buf.h"
#include "gate/difference.h"

enum hd_diff_format { HD_DIFF_TEXT, HD_DIFF_MARKDOWN, HD_DIFF_JSON, HD_DIFF_CSV };

struct hd_diff_report {
	const struct hd_difference *d;
	const char *name[2];		/* names of the inputs, raw bytes */
	const struct hd_profile *p[2];
	uint32_t event[2];
	/* show only this function (an index of hd_difference.names) and the stacks with it; UINT32_MAX: show all */
	uint32_t through;
	size_t limit;			/* maximum rows per table; 0: all changed rows */
	bool significant;		/* show only rows with a significant change */
};

void hd_diff_write(struct hd_buf *out, const struct hd_diff_report *w, enum hd_diff_format format);

#endif
