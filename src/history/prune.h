/*
 * prune.h - deleting old runs, so that the history stays whole
 *
 *     rc = hd_prune_find(db, &opts, &list, err);	what the rule says of each run, newest first
 *     rc = hd_prune_do(db, &list, reason, err);	those that go, in one transaction
 *
 * A run that goes leaves a tombstone: its place in the chain and its hashes, so that verify says
 * "pruned" and not "removed".  Whatever the rule, these stay:
 *   - the last run of a commit, of each target and mode, and the last of it that was ok;
 *   - runs that a finding (drift_event) compares with or is about;
 *   - runs of a commit that somebody acknowledged a change of;
 *   - the base, and the pinned release, of the newest gate of each target and mode.
 * Stacks and series that no run refers to any more go with the last one; symbols and objects stay.
 */
#ifndef HD_HISTORY_PRUNE_H
#define HD_HISTORY_PRUNE_H

#include "db/db.h"

struct hd_prune_opts {
	unsigned keep;			/* so many of each target and mode stay, the newest */
	const char *target;		/* only of this one; NULL: all */
	const char *before_utc;		/* and only those recorded before it; NULL: any */
};

struct hd_prune_run {
	int64_t id;
	char *run_id, *recorded_utc, *target, *mode;	/* target: visible form */
	const char *stays;		/* why, though the rule says that it goes; NULL: it goes */
};

struct hd_prune_list {
	struct hd_prune_run *items;	/* that the rule says go */
	size_t n, cap;
	size_t going;			/* of them, after what stays whatever the rule */
	size_t all;			/* runs that were looked at */
};

int hd_prune_find(struct hd_db *db, const struct hd_prune_opts *o, struct hd_prune_list *list, struct hd_err *err);
int hd_prune_do(struct hd_db *db, const struct hd_prune_list *list, const char *reason, struct hd_err *err);
void hd_prune_release(struct hd_prune_list *list);

#endif
