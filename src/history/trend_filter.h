/*
 * trend_filter.h - which runs of a target stand beside a given one in a history
 *
 * The notion of likeness is that of comparability.h, which gates use.  A history has ten thousand runs of a handful of
 * kinds, so each kind is judged once, by the first run that is met of it.
 *
 *     hd_trend_filter_open(&k, db, &scope, err);
 *     for each row of a SELECT with HD_TREND_FILTER_COLUMNS from column c on:
 *             hd_trend_filter_row(&k, &rows, c, run, err)      1: it is alike, 0: it is not
 */
#ifndef HD_HISTORY_TREND_FILTER_H
#define HD_HISTORY_TREND_FILTER_H

#include "base/strtab.h"
#include "history/run_set.h"
#include "history/trend.h"

/* Of tables r (run) and e (event, the one that is compared, or none): what tells kinds of runs of one target apart. */
#define HD_TREND_FILTER_COLUMNS	\
	"r.mode, r.inline_mode, r.selection, r.side, COALESCE(r.machine_id, 0), COALESCE(r.config_id, 0), "	\
	"COALESCE(r.environment_id, 0), e.unit, e.frequency_hz, e.period, e.call_graph, r.command"

struct hd_trend_filter {
	struct hd_db *db;
	struct hd_run_set side;		/* of runs[0]: the run that others are to be like */
	const char *event;		/* raw; "": of series alone, where events do not matter */
	struct hd_strtab *kinds;
	int8_t *verdict;		/* by kind: 1 alike, 0 not, -1 not asked yet */
	size_t cap;
	struct hd_buf key;
};

/* HD_EFORMAT when the run that is scope.like has not that event. */
int hd_trend_filter_open(struct hd_trend_filter *k, struct hd_db *db, const struct hd_trend_scope *scope,
	struct hd_err *err);
int hd_trend_filter_row(struct hd_trend_filter *k, const struct hd_db_rows *r, int column, int64_t run,
	struct hd_err *err);
void hd_trend_filter_release(struct hd_trend_filter *k);

#endif
