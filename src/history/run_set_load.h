/*
 * run_set_load.h - runs as sides have them, out of the store; what run_set.c, run_set_base.c share
 */
#ifndef HD_HISTORY_RUN_SET_LOAD_H
#define HD_HISTORY_RUN_SET_LOAD_H

#include "history/run_set.h"

/* Append run.id = row. */
int hd_run_set_load_run(struct hd_run_set *s, struct hd_db *db, int64_t row, const char *event, struct hd_err *err);
/* Append all runs of a commit, oldest first; none of one that the database does not know. */
int hd_run_set_load_commit(struct hd_run_set *s, struct hd_db *db, const char *sha, const char *event,
	struct hd_err *err);
int hd_run_set_load_session(struct hd_run_set *s, struct hd_db *db, const char *session, const char *event,
	struct hd_err *err);

#endif
