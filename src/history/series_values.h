/*
 * series_values.h - the figures of a run's series: tables series and series_summary
 */
#ifndef HD_HISTORY_SERIES_VALUES_H
#define HD_HISTORY_SERIES_VALUES_H

#include "db/db.h"

/* Which figures are read. */
enum hd_series_selection {
	HD_SERIES_GATED,	/* what gate/judge_series.h compares */
	/* Percentiles of latency; peak and mean of memory; energy, mean and peak of power; the mean of other series. */
	HD_SERIES_SHOWN,
};

struct hd_series_value {
	const char *kind, *name, *unit;	/* "latency", "wall_time_us" (raw bytes), "us"; "" if unknown */
	const char *stat;		/* "p99" */
	const char *method;		/* how energy was measured; NULL: unknown */
	double value;
};

/*
 * Call take(context, value) for each selected figure of run.id = `run`, in the order of the series.  The strings are
 * valid during the call only.
 */
int hd_series_values_each(struct hd_db *db, int64_t run, enum hd_series_selection which,
	void (*take)(void *context, const struct hd_series_value *value), void *context, struct hd_err *err);

#endif
