/*
 * grid_report.h - print a grid, the measurements of a program with different settings, as CSV, text, Markdown and JSON
 *
 * results.csv has the columns of the CSV form `sweep` (track/form.h) and a row per setting with status ok, the baseline
 * first.  A value that was not measured is 0, because this form requires a number in each column.
 *
 *     results-ci.csv   setting,p95_change,COLUMN_lo,COLUMN_hi,...     95 % intervals of the columns of results.csv and
 *                                                                     of p95_change; a bound that is unknown is empty
 *
 * JSON: {"format":"hotdrift.grid","version":1,"folder","verdict","need":"every|one","meets_all":null|NAME,
 *  "criteria":[{"criterion","rule":"at most|at least","limit","outcome","judged","missed","worst":null|NAME}],
 *  "settings":[{"setting","lambda","tau","status","run","samples","p50_latency_us","kv_cache_bytes","peak_rss_bytes",
 *    "joules_per_sample",VALUE,...,"ci":{VALUE:[lo,hi],...}}],"not_measured":[VALUE,...]}
 *
 * verdict and outcome: met, missed, not measured, incomplete.  Unknown values are null.
 */
#ifndef HD_RENDER_GRID_REPORT_H
#define HD_RENDER_GRID_REPORT_H

#include "base/buf.h"
#include "bench/grid.h"

struct hd_grid_report {
	const char *folder;
	const struct hd_grid *grid;
	const struct hd_grid_criterion *criteria;
	size_t ncriteria;
	bool need_one;
	enum hd_grid_outcome verdict;
	const struct hd_grid_setting *one;	/* the first setting that meets all criteria; NULL: none does */
};

const char *hd_grid_outcome_name(enum hd_grid_outcome outcome);	/* "met", "missed", ... */

void hd_grid_results_csv(struct hd_buf *out, const struct hd_grid *g);
void hd_grid_intervals_csv(struct hd_buf *out, const struct hd_grid *g);
void hd_grid_report_text(struct hd_buf *out, const struct hd_grid_report *r, bool markdown);
void hd_grid_report_json(struct hd_buf *out, const struct hd_grid_report *r);

#endif
