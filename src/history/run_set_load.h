/*
 * run_set_load.h - load runs into a run set; used by run_set_select.c, run_set_base.c and trend_filter.c
 */
#ifndef HD_HISTORY_RUN_SET_LOAD_H
#define HD_HISTORY_RUN_SET_LOAD_H

#include "history/run_set.h"

/*
 * Append run.id = row.  event: raw name of the event to compare; NULL, or missing in the run: the first with samples.
 */
int hd_run_set_load_run(struct hd_run_set *s, struct hd_db *db, int64_t row, const char *event, struct hd_err *err);
/* Append all runs of a commit, oldest first.  An unknown commit has none. */
int hd_run_set_load_commit(struct hd_run_set *s, struct hd_db *db, const char *sha, const char *event,
	struct hd_err *err);
/* Append all runs of a session that have no commit, oldest first. */
int hd_run_set_load_session(struct hd_run_set *s, struct hd_db *db, const char *session, const char *event,
	struct hd_err *err);

#endif
