/*
 * merge.h - copy the runs of one database to another
 *
 * A run keeps its id, its chain and its hashes; only the ids by which rows refer to each other change.  Each run is
 * copied in one transaction, and runs that exist already are skipped.  So a merge can be repeated, or resumed after
 * an interruption.
 *
 * The source is untrusted.  The content of each run is hashed again from the rows that were written.  If the hash
 * differs or the run does not follow the run before it, the run is rejected and the merge ends with HD_EFORMAT.  If
 * a place of a chain exists with another hash, one of the two histories was rewritten: HD_EFORMAT, too.
 *
 * With a key, anchors that were signed with it are copied (trust/anchor.h).  Other anchors are not: without their
 * key, a valid anchor cannot be distinguished from one that was forged to make a sound history look altered.
 *
 * Acknowledgements, expectations and drift events are not copied.
 */
#ifndef HD_HISTORY_MERGE_H
#define HD_HISTORY_MERGE_H

#include "trust/anchor.h"

struct hd_merge {
	const struct hd_signing_key *key;	/* set by the caller; may be NULL */
	int64_t added, known;		/* runs that were copied; runs that existed */
	int64_t pruned;			/* tombstones that were copied */
	int64_t anchors;		/* anchors that were copied */
};

/* Merge all chains of runs.  The counts are valid also after an error. */
int hd_merge(struct hd_db *into, struct hd_db *from, struct hd_merge *m, struct hd_err *err);

#endif
