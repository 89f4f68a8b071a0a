/*
 * merge.h - copy the runs of one database to another
 *
 * A run keeps its run_id, its place in the hash chain and its hashes; only the row ids by which rows refer to each
 * other change.  Each run is copied in one transaction, and runs that exist already are skipped.  So a merge can be
 * repeated, or resumed after an interruption.
 *
 * The source is untrusted.  The content of each run is hashed again from the rows that were written.  If the hash
 * differs or the run does not follow the run before it, the run is rejected and the merge ends with HD_EFORMAT.  If
 * the destination has another hash for the same place of the chain, one of the two histories was rewritten, and the
 * result is HD_EFORMAT, too.
 *
 * An anchor is a signature of the head of a hash chain (trust/anchor.h).  With a key, the anchors that were signed
 * with it are copied.  Other anchors are not copied: without their key, a valid anchor cannot be distinguished from
 * one that was forged to make a sound history look altered.
 *
 * Acknowledgements, expectations and the results of gates with their drift events are not copied.
 */
#ifndef HD_HISTORY_MERGE_H
#define HD_HISTORY_MERGE_H

#include "trust/anchor.h"

struct hd_merge {
	const struct hd_signing_key *key;	/* set by the caller; may be NULL */
	int64_t added, known;		/* runs that were copied; runs that the destination had already */
	int64_t pruned;			/* tombstones that were copied */
	int64_t anchors;		/* anchors that were copied */
};

/*
 * Copy the runs of all hash chains of `from` to `into`.  The caller sets the counts in `m` to 0 before; they are valid
 * also after an error.  The databases are borrowed.  HD_EFORMAT: see above; other codes for database errors.
 */
int hd_merge(struct hd_db *into, struct hd_db *from, struct hd_merge *m, struct hd_err *err);

#endif
