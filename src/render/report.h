/*
 * report.h - one recording on one page: text, Markdown or JSON
 *
 * Without keys: what was recorded, its quality, then per event the symbols,
 * objects and commands by self cost.  With keys: one table by those keys.
 *
 * JSON: {"format":"hotdrift.report","version":1,"by":[...],"inline","events":[{event,unit,
 * samples,weight}],"rows":[{"rank","event",KEYS...,"self","self_pct","samples"}]};
 * self in the event's unit, self_pct of the event's weight.  A field is a number or a string, an address the string
 * "0x...", null where the sample has none; a cgroup whose name is not known is its number, with "unknown":true.
 */
#ifndef HD_RENDER_REPORT_H
#define HD_RENDER_REPORT_H

#include "profile/group.h"
#include "base/buf.h"
#include "base/file.h"
#include "render/table.h"
#include "render/top.h"

enum { HD_REPORT_ROWS = 20 };	/* a table of the page, unless said */

struct hd_report_opts {
	enum hd_format format;
	unsigned by;		/* enum hd_by; 0: the whole page */
	unsigned limit;		/* rows a table; 0: all */
	double percent_limit;	/* rows with a smaller share of the event are dropped */
	bool full_names;
	bool inlined;		/* self cost is that of inlined functions (profile/functions.h) */
	const struct hd_tops *tops;	/* as hd_top_opts has it, for the page */
};

/* Is the row within the limits? */
bool hd_report_keeps_row(const struct hd_report_opts *o, const struct hd_profile *p, const struct hd_group_row *r);
void hd_report(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_opts *o);
/*
 * Initialise `t` and add the rows of one event of `g`, from g->rows[from] on.  Returns the index of the next event's
 * first row.
 */
size_t hd_report_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_groups *g, size_t from,
	const struct hd_report_opts *o);
/* The same as a report into a file, and never all of a table with a hundred thousand rows in memory. */
void hd_report_write(struct hd_outfile *file, const struct hd_profile *p, const struct hd_report_opts *o);

#endif
