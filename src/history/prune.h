/*
 * prune.h - delete old runs without breaking the hash chains
 *
 *     rc = hd_prune_find(db, &opts, &list, err);	select runs by the options
 *     rc = hd_prune_do(db, &list, reason, err);	delete them in one transaction
 *
 * A deleted run leaves a tombstone with its place in the hash chain and its hashes, so `verify` reports it as pruned
 * and not as removed.  These runs are kept in any case:
 *   - the newest run of each commit, target and mode, and the newest of them with status ok;
 *   - runs that a finding (drift_event) refers to;
 *   - runs of a commit with an acknowledgement;
 *   - the runs with which the newest gate of each target and mode compared: those of its base, and those of the pinned
 *     release (a fixed second baseline, `gate --pin`).
 * Stacks and CSV files that no run refers to any more are deleted, too; symbols and objects are kept.
 */
#ifndef HD_HISTORY_PRUNE_H
#define HD_HISTORY_PRUNE_H

#include "db/db.h"

struct hd_prune_opts {
	unsigned keep;			/* number of newest runs that are kept for each target and mode */
	const char *target;		/* prune this target (visible form) only; NULL: all */
	const char *before_utc;		/* prune only runs that were recorded before this time; NULL: any */
};

struct hd_prune_run {
	int64_t id;
	char *run_id, *recorded_utc, *target, *mode;	/* target: visible form */
	const char *stays;		/* why the run is kept although the rules select it; NULL: it will be deleted */
};

struct hd_prune_list {
	struct hd_prune_run *items;	/* the selected runs, by target and mode, newest first */
	size_t n, cap;
	size_t going;			/* how many of the items will be deleted */
	size_t all;			/* runs of the database that were considered */
};

/* Select runs.  The list must be released in any case. */
int hd_prune_find(struct hd_db *db, const struct hd_prune_opts *o, struct hd_prune_list *list, struct hd_err *err);
/* Delete the listed runs whose `stays` is NULL.  `reason` is stored in their tombstones. */
int hd_prune_do(struct hd_db *db, const struct hd_prune_list *list, const char *reason, struct hd_err *err);
void hd_prune_release(struct hd_prune_list *list);

#endif
