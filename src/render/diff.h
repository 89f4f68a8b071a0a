/*
 * diff.h - what changed between two profiles, on paper
 *
 * Text, Markdown, CSV (kind symbol or stack; names in their visible form) and JSON:
 * {"format":"hotdrift.diff","version":1,"base":{"input","event","unit","weight","samples"},"head":{...},"moved_points","cost_of",
 *  "size_change_pct","symbol":null|NAME,"symbols":[{"symbol","base_name","head_name","base_pct","head_pct","base_total_pct","head_total_pct",
 *  "points","share_change_pct","base_cost","head_cost","change_pct","ci":[lo,hi],"p","q","significant","state":"both|new|gone"}],"stacks":[{"stack":[...],"base_pct",...}]}
 * Shares are per cent of the side's weight, costs are in the event's unit, change_pct is of cost; ci [null,null]: not known; samples null: not known, and then there is no p.
 */
#ifndef HD_RENDER_DIFF_H
#define HD_RENDER_DIFF_H

#include "base/buf.h"
#include "gate/difference.h"

enum hd_diff_format { HD_DIFF_TEXT, HD_DIFF_MARKDOWN, HD_DIFF_JSON, HD_DIFF_CSV };

struct hd_diff_report {
	const struct hd_difference *d;
	const char *name[2];		/* of the inputs, raw bytes */
	const struct hd_profile *p[2];
	uint32_t event[2];
	uint32_t through;		/* only stacks through this name; UINT32_MAX: all */
	size_t limit;			/* rows of a table, 0: all that changed */
	bool significant;		/* only rows that are */
};

void hd_diff_write(struct hd_buf *out, const struct hd_diff_report *w, enum hd_diff_format format);

#endif
