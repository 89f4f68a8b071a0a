/*
 * stats.h - print summaries of series as text, Markdown or JSON
 *
 * Text: a table with one row per column of the file, in the unit of the column, with six digits; a second table with
 * the confidence intervals; a line for each fit.
 *
 * JSON: {"format":"hotdrift.stats","version":1,"file","form","rows","skipped","not_measured":[NAME],
 * "columns":{NAME:{"n","mean","std","p50","p95","p99","min","max","outliers",
 * "ci":{"mean":[lo,hi],"std","p50","p95","p99"},"sum","q1","q3","fence_low","fence_high","empty","lost"}}}
 *
 * Numbers have the shortest digits that read back as the same double; an end that an interval does not have is null.  A
 * column with a fit also has "r2", "slope", "intercept" and "against".  A memory file has peak_rss, mean_rss,
 * kv_cache_total and activation_total next to "columns".  not_measured lists the columns that are 0 because the form
 * asks for a number (series/series_stats.h).
 */
#ifndef HD_RENDER_STATS_H
#define HD_RENDER_STATS_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "series/series_stats.h"
#include "stats/bootstrap.h"

void hd_stats_text(struct hd_buf *out, const struct hd_series_stats *st, bool markdown);
void hd_stats_json(struct hd_buf *out, const struct hd_series_stats *st);

/* Append "ci":{"mean":[lo,hi],...}; the object is empty if there are no values. */
void hd_json_intervals(struct hd_jsonw *w, const struct hd_summary *s);

#endif
