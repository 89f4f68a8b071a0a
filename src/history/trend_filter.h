/*
 * trend_filter.h - decide which runs of a target belong to the same history as a given run
 *
 * These runs must be comparable with the given run (comparability.h).  Runs that are equal in all columns that matter
 * for this are of one kind.  A history may have ten thousand runs, but they are of a few kinds, so each kind is tested
 * once, with its first run.
 *
 *     hd_trend_filter_open(&k, db, &scope, err);
 *     for each row of a SELECT whose last columns are HD_TREND_FILTER_COLUMNS:
 *             kind[i] = hd_trend_filter_kind(&k, &rows, run);
 *     hd_trend_filter_judge(&k, err);
 *     for each row:
 *             hd_trend_filter_has(&k, kind[i])      is the run comparable?
 */
#ifndef HD_HISTORY_TREND_FILTER_H
#define HD_HISTORY_TREND_FILTER_H

#include "base/strtab.h"
#include "history/run_set.h"
#include "history/trend.h"

/*
 * Columns of a run (alias r) and its event (alias e, may be NULL).  Runs of a target that are equal in all of them are
 * of one kind: all or none of them are comparable with a given run.
 */
#define HD_TREND_FILTER_COLUMNS	\
	"r.mode, r.inline_mode, r.selection, r.side, COALESCE(r.machine_id, 0), COALESCE(r.config_id, 0), "	\
	"COALESCE(r.environment_id, 0), e.unit, e.frequency_hz, e.period, e.call_graph, r.command"

struct hd_trend_filter {
	struct hd_db *db;
	struct hd_run_set side;		/* runs[0] is the given run */
	const char *event;		/* raw bytes; "": the history is about a series, so events do not matter */
	struct hd_strtab *kinds;
	/* Indexed by kind.  Runs with equal filter columns are of one kind. */
	int64_t *first;			/* run.id of the first run of the kind; 0: none */
	bool *comparable;		/* set by hd_trend_filter_judge() */
	size_t n, cap;
	struct hd_buf key;
};

/*
 * Prepare a filter for runs that are comparable with the run scope.like.  scope->event is borrowed.  HD_EFORMAT if that
 * run lacks the event; HD_EIO if there is no such run.  The caller releases *k, except on failure.
 */
int hd_trend_filter_open(struct hd_trend_filter *k, struct hd_db *db, const struct hd_trend_scope *scope,
	struct hd_err *err);
/* Return the kind of the run in the current row of `r`; run: its run.id. */
uint32_t hd_trend_filter_kind(struct hd_trend_filter *k, const struct hd_db_rows *r, int64_t run);
/* Test all kinds, with one query for many kinds. */
int hd_trend_filter_judge(struct hd_trend_filter *k, struct hd_err *err);
bool hd_trend_filter_has(const struct hd_trend_filter *k, uint32_t kind);
void hd_trend_filter_release(struct hd_trend_filter *k);

#endif
