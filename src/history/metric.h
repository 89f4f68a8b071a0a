/*
 * metric.h - how a user names one figure of a series: KIND:NAME:STAT
 *
 *     latency:wall_time_us:p99     wall_time_us:p99     p99, peak_rss, joules, ...
 *
 * A column's name may hold colons: the last one parts the figure off, and what is before
 * the first is a kind when it is one of the words of `series.kind`.
 */
#ifndef HD_HISTORY_METRIC_H
#define HD_HISTORY_METRIC_H

#include "history/trend.h"

struct hd_metric {
	char *text;			/* as the user wrote it */
	char *kind, *name, *stat;	/* kind NULL: any */
};

/* HD_EUSAGE; command: for the message. */
int hd_metric_parse(struct hd_metric *f, const char *text, const char *command, struct hd_err *err);
void hd_metric_release(struct hd_metric *f);

/* The error of a figure that no run of t has, with those that there are. */
int hd_metric_absent(const struct hd_metric *f, struct hd_db *db, const struct hd_trend *t, struct hd_err *err);
/* Its unit, yours; NULL when there is none. */
int hd_metric_unit(const struct hd_metric *f, struct hd_db *db, char **unit, struct hd_err *err);

#endif
