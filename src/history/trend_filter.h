/*
 * trend_filter.h - decide which runs of a target belong to a history, next to a given run
 *
 * They must be comparable (comparability.h).  A history may have ten thousand runs of a few kinds, so each kind is
 * judged once, by its first run.
 *
 *     hd_trend_filter_open(&k, db, &scope, err);
 *     for each row of a SELECT with HD_TREND_FILTER_COLUMNS from column c on:
 *             hd_trend_filter_row(&k, &rows, c, run, err)      1: comparable, 0: not
 */
#ifndef HD_HISTORY_TREND_FILTER_H
#define HD_HISTORY_TREND_FILTER_H

#include "base/strtab.h"
#include "history/run_set.h"
#include "history/trend.h"

/* Columns of tables r (run) and e (event, may be NULL) that distinguish the kinds of runs of one target. */
#define HD_TREND_FILTER_COLUMNS	\
	"r.mode, r.inline_mode, r.selection, r.side, COALESCE(r.machine_id, 0), COALESCE(r.config_id, 0), "	\
	"COALESCE(r.environment_id, 0), e.unit, e.frequency_hz, e.period, e.call_graph, r.command"

struct hd_trend_filter {
	struct hd_db *db;
	struct hd_run_set side;		/* runs[0] is the given run */
	const char *event;		/* raw bytes; "": the history is one of series, so events do not matter */
	struct hd_strtab *kinds;
	int8_t *verdict;		/* indexed by kind: 1 comparable, 0 not, -1 not decided yet */
	size_t cap;
	struct hd_buf key;
};

/* Prepare the filter for scope.like.  HD_EFORMAT if that run lacks the event. */
int hd_trend_filter_open(struct hd_trend_filter *k, struct hd_db *db, const struct hd_trend_scope *scope,
	struct hd_err *err);
/* Judge the run of the current row.  Returns 1, 0 or < 0. */
int hd_trend_filter_row(struct hd_trend_filter *k, const struct hd_db_rows *r, int column, int64_t run,
	struct hd_err *err);
void hd_trend_filter_release(struct hd_trend_filter *k);

#endif
