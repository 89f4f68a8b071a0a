/*
 * stats.h - summaries of series, as tables or JSON
 *
 * Text: a row a column of the file, in the unit of its name, six digits; a second
 * table with the intervals; a line for each fit.
 *
 * JSON: {"format":"hotdrift.stats","version":1,"file","form","rows","skipped","columns":{NAME:{"n","mean","std","p50",
 * "p95","p99","min","max","outliers","ci":{"mean":[lo,hi],"std","p50","p95","p99"},"sum","q1","q3","fence_low",
 * "fence_high","empty","lost"}}} with 17 significant digits; an end of an interval that does not exist is null; a column with a fit has "r2","slope","intercept","against";
 * a memory file has peak_rss, mean_rss, kv_cache_total, activation_total beside "columns".
 */
#ifndef HD_RENDER_STATS_H
#define HD_RENDER_STATS_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "series/series_stats.h"
#include "stats/bootstrap.h"

void hd_stats_text(struct hd_buf *out, const struct hd_series_stats *st, bool markdown);
void hd_stats_json(struct hd_buf *out, const struct hd_series_stats *st);

/* "ci":{"mean":[lo,hi],...}, empty without values. */
void hd_json_intervals(struct hd_jsonw *w, const struct hd_summary *s);

#endif
