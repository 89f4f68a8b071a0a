/*
 * report.h - print a recording as a page or as one table, in text, Markdown or JSON
 *
 * Without keys, the page has the contents and quality of the recording, warnings, tables of a GPU capture, and for each
 * event the symbols, objects and commands by self cost.  With keys (enum hd_by), there is one table by these keys for
 * each event.
 *
 * JSON: {"format":"hotdrift.report","version":1,"by":[...],"inline","events":[{event,unit,samples,weight}],
 * "rows":[{"rank","event",KEYS...,"self","self_pct","samples"}]}
 *
 * JSON has no page: without keys, its rows are by comm, object and symbol.
 *
 * self is in the event's unit, self_pct is per cent of the event's weight.  A sample field is a number or a string, an
 * address is the string "0x...", and null means that the sample does not have the field.  A row has "unknown":true if
 * its object, symbol or source line is unknown, or if a field such as a cgroup is a number because its name is unknown.
 * If weights are estimates, a row also has self_sd_pct, the standard deviation of `self` in per cent of it.  "samples"
 * is null for stored runs.
 */
#ifndef HD_RENDER_REPORT_H
#define HD_RENDER_REPORT_H

#include "profile/group.h"
#include "base/buf.h"
#include "base/file.h"
#include "render/table.h"
#include "render/top.h"

enum { HD_REPORT_ROWS = 20 };	/* default number of rows per table */

struct hd_report_opts {
	enum hd_format format;
	unsigned by;		/* enum hd_by bits; 0: the whole page */
	unsigned limit;		/* maximum rows per table; 0: all */
	double percent_limit;	/* rows with a smaller share of the event, in per cent, are dropped */
	bool full_names;
	/* if true, self cost is attributed to inlined functions, not to the functions that contain them */
	bool inlined;
	const struct hd_tops *tops;	/* precomputed lists for the page; see hd_top_opts */
};

/* Return true if the row is within the limits of `o`. */
bool hd_report_keeps_row(const struct hd_report_opts *o, const struct hd_profile *p, const struct hd_group_row *r);
void hd_report(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_opts *o);
/*
 * Initialise `t`, a table for one event, and add the rows of this event, which begin at g->rows[from].  Returns the
 * index of the first row of the next event.
 */
size_t hd_report_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_groups *g, size_t from,
	const struct hd_report_opts *o);
/* Write the report to a file.  JSON is written in pieces of about 32 KiB, so its text is never in memory as a whole. */
void hd_recording_report_write(struct hd_outfile *file, const struct hd_profile *p, const struct hd_report_opts *o);

#endif
