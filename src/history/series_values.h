/*
 * series_values.h - read statistics of the series of runs, from tables series and series_summary
 */
#ifndef HD_HISTORY_SERIES_VALUES_H
#define HD_HISTORY_SERIES_VALUES_H

#include "db/db.h"

/* Which statistics are read. */
enum hd_series_selection {
	/*
	 * all statistics that gate/judge_series.h compares, and those of the same names of other series of kind
	 * latency, memory or power
	 */
	HD_SERIES_GATED,
	/*
	 * the statistics that reports show: percentiles of latency; peak and mean of memory; energy, mean and peak of
	 * power; mean of others
	 */
	HD_SERIES_SHOWN,
};

struct hd_series_value {
	const char *kind;		/* such as "latency"; "" if unknown */
	const char *name;		/* such as "wall_time_us"; raw bytes; "" if unknown */
	const char *unit;		/* such as "us"; "" if unknown */
	const char *stat;		/* such as "p99" */
	const char *method;		/* how energy was measured, or the tool of a micro-benchmark; NULL: none */
	double value;
};

/*
 * Call take(context, i, value) for each selected statistic of the runs with run.id = runs[i], in the order of `runs`
 * and of the series.  The strings are valid during the call only.
 */
int hd_series_values_each(struct hd_db *db, const int64_t *runs, size_t n, enum hd_series_selection which,
	void (*take)(void *context, size_t i, const struct hd_series_value *value), void *context, struct hd_err *err);

#endif
