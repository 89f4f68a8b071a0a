/*
 * run_set_base.h - find the runs that precede the head: its baseline and its history
 */
#ifndef HD_HISTORY_RUN_SET_BASE_H
#define HD_HISTORY_RUN_SET_BASE_H

#include "history/comparability.h"
#include "history/run_set.h"

/* maximum number of earlier commits, or of earlier runs without a commit, that are searched */
enum { HD_RUN_SET_WALK = 200 };

/* Why hd_run_set_base() found a baseline or not. */
enum hd_base_status {
	HD_BASE_FOUND,
	HD_BASE_NO_MERGE_BASE,	/* git finds no merge base with `onto` */
	HD_BASE_NO_RUNS,	/* no earlier commit is known, or none has runs of this target and mode */
	HD_BASE_UNLIKE,		/* no run may be a baseline, and some runs of this target and mode are not comparable */
	HD_BASE_FAILED_GATES,	/* all runs of this target and mode are comparable, but they failed their gate */
};

struct hd_base_search {
	enum hd_base_status status;
	struct hd_comparability differs;	/* if UNLIKE: the fields in which the most similar run differs */
};

/*
 * Select the baseline of `head`: runs of the merge base of head's commit with the branch `onto`.
 *
 * If `onto` is NULL, the branches main, origin/main, master and origin/master are tried in this order.  If the merge
 * base has no run that may be a baseline, its first-parent ancestors are searched, up to HD_RUN_SET_WALK commits;
 * `out->how` then reports how many were skipped.  If head's commit is the merge base and its tree was not modified, the
 * search starts at its parent.  If git finds no merge base and `onto` is NULL, the search follows the parents in the
 * database, or else the time of the runs.
 *
 * Returns 0, HD_ENOBASE if there is no baseline, or another error.  `found->status` gives the reason.  The caller
 * releases `found->differs`; on failure `out` is released.
 */
int hd_run_set_base(struct hd_run_set *out, struct hd_base_search *found, struct hd_db *db,
	const struct hd_run_set *head, const char *onto, const struct hd_run_set_filter *filter, struct hd_err *err);

/*
 * Select runs before the base, oldest first, which are used together with it if a side is a single run.  Runs between
 * base and head are not among them: the program may have changed there.  For each of at most `most` commits before the
 * base's commit, the set gets the newest run that may be a baseline.  If the base's tree was modified, its commit is
 * the first of these commits.  If the base has no commit, the set gets at most `most` earlier runs of the same target,
 * by time.
 *
 * The history ends at a commit that has a failed run and none that may be a baseline, because earlier runs may be at
 * another level.  For a base without a commit, failed runs are only skipped.  An empty history is not an error.  The
 * caller releases `out`, except on failure.
 */
int hd_run_set_history(struct hd_run_set *out, struct hd_db *db, const struct hd_run_set *base,
	const struct hd_run_set_filter *filter, size_t most, struct hd_err *err);

/*
 * Select all runs that may be a baseline, from the newest `most` commits before the head's commit that have such runs.
 * The oldest commit is first, and so is the oldest run of each commit.  If the head has no commit, select from earlier
 * runs of the same target, oldest first.  The runs are used to estimate the variance between sessions.  The caller
 * releases `out`, except on failure.
 */
int hd_run_set_sessions(struct hd_run_set *out, struct hd_db *db, const struct hd_run_set *head,
	const struct hd_run_set_filter *filter, size_t most, struct hd_err *err);

#endif
