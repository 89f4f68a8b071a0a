/*
 * merge.h - runs of one database into another, unchanged
 *
 * A run keeps its id, its chain and its hashes; only the numbers by which rows refer to each
 * other are given anew.  What is there already is passed over, so that a merge can be done
 * again, or went on with after it was cut off: a run is one transaction.
 *
 * Nothing is believed: each run's content is hashed again from the rows that were written, and
 * must follow the run before it, or the run is not taken and the merge ends (HD_EFORMAT).
 * A run that is there under the same place of the same chain with another hash is HD_EFORMAT, too:
 * one of the two histories was written anew.
 *
 * With a key the anchors that were signed with it come along (trust/anchor.h), and no other: who has not the
 * key cannot tell a good one from one that was put there to make a sound history look altered.
 *
 * Acknowledgements, expectations and drift events are the affair of the database that they
 * were made in, and stay there.
 */
#ifndef HD_HISTORY_MERGE_H
#define HD_HISTORY_MERGE_H

#include "trust/anchor.h"

struct hd_merge {
	const struct hd_signing_key *key;	/* in; or NULL */
	int64_t added, known;		/* runs */
	int64_t pruned;			/* tombstones that were taken */
	int64_t anchors;		/* that were taken */
};

/* The counts say how far it came, also when it fails. */
int hd_merge(struct hd_db *into, struct hd_db *from, struct hd_merge *m, struct hd_err *err);

#endif
