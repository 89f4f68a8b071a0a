/*
 * run_set_load.h - load runs into a run set, for the other files of history/
 */
#ifndef HD_HISTORY_RUN_SET_LOAD_H
#define HD_HISTORY_RUN_SET_LOAD_H

#include "history/run_set.h"

/*
 * Append the run with run.id = row, if it exists.  event: raw name of the event to compare.  If it is NULL, or the run
 * lacks it, the first event with samples is used.
 */
int hd_run_set_load_run(struct hd_run_set *s, struct hd_db *db, int64_t row, const char *event, struct hd_err *err);
/* Append all runs of a commit, oldest first.  An unknown commit has none. */
int hd_run_set_load_commit(struct hd_run_set *s, struct hd_db *db, const char *sha, const char *event,
	struct hd_err *err);
/* Append the n runs with run.id = rows[0], rows[1], ... in this order.  Runs that do not exist are skipped. */
int hd_run_set_load_runs(struct hd_run_set *s, struct hd_db *db, const int64_t *rows, size_t n, const char *event,
	struct hd_err *err);
/* Append the runs of a target (raw bytes) that belong to one of n commits (commit_info.id), oldest first. */
int hd_run_set_load_commits(struct hd_run_set *s, struct hd_db *db, const int64_t *commits, size_t n,
	const char *target, const char *event, struct hd_err *err);
/* Append all runs of a session that have no commit, oldest first. */
int hd_run_set_load_session(struct hd_run_set *s, struct hd_db *db, const char *session, const char *event,
	struct hd_err *err);

#endif
