/*
 * metric.h - parse the name of a metric, which is one statistic of a series: KIND:NAME:STAT
 *
 *     latency:wall_time_us:p99     all three parts
 *     wall_time_us:p99             a series of any kind
 *     p99, peak_rss, joules, ...   short names of frequent metrics
 *
 * NAME may contain colons: STAT follows the last colon, and the word before the first colon is a kind only if it is one
 * of the words of column series.kind.
 */
#ifndef HD_HISTORY_METRIC_H
#define HD_HISTORY_METRIC_H

#include "history/trend.h"

struct hd_metric {
	char *text;			/* the name as the user wrote it */
	char *kind, *name, *stat;	/* kind NULL: any */
};

/*
 * Parse the name of a metric; HD_EUSAGE if it is invalid.  `command`: name of the command, for messages.  The caller
 * releases *f.
 */
int hd_metric_parse(struct hd_metric *f, const char *text, const char *command, struct hd_err *err);
void hd_metric_release(struct hd_metric *f);

/*
 * Fail with HD_EFORMAT, because no run of trend t has this metric.  The message lists at most 40 metrics of the run of
 * the trend that was added last.
 */
int hd_metric_absent(const struct hd_metric *f, struct hd_db *db, const struct hd_trend *t, struct hd_err *err);
/* Look up the unit of a metric.  The caller frees *unit, which is NULL if the metric has none. */
int hd_metric_unit(const struct hd_metric *f, struct hd_db *db, char **unit, struct hd_err *err);

#endif
