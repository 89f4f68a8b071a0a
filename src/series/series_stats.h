/*
 * series_stats.h - the summaries of a file's columns
 *
 * Which columns: those that measure something; row numbers and times only when they
 * are asked for by name.  What a summary is: stats/summary.h.
 *
 * A line is fitted where a form says what a column depends on:
 *
 *     latency   wall_time_us and kernel_time_us against seq_len when it varies, else against sample_id:
 *               cost by length, or else drift in the course of the run
 *     memory    each column against timestamp_us, from the first one: a leak is a slope
 *     power     watts against timestamp_us
 *
 * Rows without one of the two values are left out of it.
 */
#ifndef HD_SERIES_SERIES_STATS_H
#define HD_SERIES_SERIES_STATS_H

#include "base/string_list.h"
#include "series/series.h"
#include "stats/summary.h"
#include "stats/fit.h"

struct hd_series_stats_column {
	const struct hd_series_column *column;
	struct hd_summary sum;		/* n is 0 when there is no value */
	const char *against;		/* NULL: no line */
	struct hd_fit fit;
};

struct hd_series_stats {
	const struct hd_series *series;
	struct hd_series_stats_column *columns;
	size_t n;
	/* of the memory form: the largest and mean peak_rss_bytes, the sums of two columns over all rows */
	bool is_memory;
	double peak_rss, mean_rss, kv_cache_total, activation_total;
};

/* only: names of columns; none means all that measure. */
int hd_series_stats_make(struct hd_series_stats *out, const struct hd_series *s, const struct hd_string_list *only,
	struct hd_log *log, struct hd_err *err);
void hd_series_stats_release(struct hd_series_stats *st);

#endif
