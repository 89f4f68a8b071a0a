/*
 * series_stats.h - summaries of the columns of a CSV file
 *
 * Columns that measure something are summarised (stats/summary.h); row numbers, times and flags only if they are
 * requested by name.
 *
 * A line is fitted to each column whose form says what it depends on:
 *
 *     latency   wall_time_us and kernel_time_us against seq_len if that varies (cost by length), else against
 *               sample_id (drift during the run)
 *     memory    each column against timestamp_us, relative to the first row: a leak is a slope
 *     power     watts against timestamp_us
 *
 * Rows that lack one of the two values are excluded from the fit.
 *
 * A form requires a number in each column, so a column that was not measured is 0 in all rows.  A class of memory that
 * was never used is 0 in all rows as well; the two cases cannot be distinguished.  If these columns are 0 in all rows,
 * they count as not measured:
 *
 *     latency   kernel_time_us, seq_len
 *     memory    kv_cache_bytes, activation_bytes, temp_buffer_bytes
 *     sweep     kv_cache_reduction, energy_reduction, p95_latency_us, accuracy
 *
 * In the other columns (wall time, resident memory, coherence_delta, peak_mem_reduction) 0 is a plausible measurement.
 */
#ifndef HD_SERIES_SERIES_STATS_H
#define HD_SERIES_SERIES_STATS_H

#include "base/string_list.h"
#include "series/series.h"
#include "stats/summary.h"
#include "stats/fit.h"

struct hd_series_stats_column {
	const struct hd_series_column *column;
	struct hd_summary sum;		/* n is 0 if there is no value */
	const char *against;		/* name of the column that the line is a function of; NULL: no line */
	bool not_measured;		/* all rows are 0, which in this column means not measured */
	struct hd_fit fit;		/* valid if `against` is not NULL */
};

struct hd_series_stats {
	const struct hd_series *series;
	struct hd_series_stats_column *columns;
	size_t n;
	/* Only for the memory form: maximum and mean of peak_rss_bytes, and the sums of two columns over all rows. */
	bool is_memory;
	double peak_rss, mean_rss, kv_cache_total, activation_total;
};

/*
 * Summarise the columns named in `only`; if it is empty, all columns that measure something.  `out` borrows `s`.
 * HD_EFORMAT if a column of `only` does not exist or is text, or if no chosen column has a number.  HD_EIO if memory is
 * exhausted.  Warning: stats.mixed, if rows of several sources or devices are summarised together.  The caller releases
 * `out` in any case.
 */
int hd_series_stats_make(struct hd_series_stats *out, const struct hd_series *s, const struct hd_string_list *only,
	struct hd_log *log, struct hd_err *err);
void hd_series_stats_release(struct hd_series_stats *st);

#endif
