/*
 * journal.h - a chain of hashes over the rows that do not belong to a run
 *
 * Acknowledgements, expectations, results of gates, subjects of commits, tombstones, chains and applied schema
 * files do not belong to a run.  Commands print them, and a gate may pass because of them.  A function that writes
 * such a row calls hd_journal_note() after it in the same transaction, which adds an entry:
 *
 *     content_hash = SHA-256("hotdrift journal 1\n", then the columns that are not NULL as in form 2 of content_hash.h)
 *     entry_hash   = SHA-256("hotdrift entry 1\n" origin "\n" seq "\n" prev_hash "\n" kind "\n" number "\n" length ":"
 *                            name "\n" content_hash "\n")
 *
 * The newest entry about a row must contain the hash of the current row, which reveals rows that were inserted,
 * altered or deleted by hand.  The entries form a chain whose head is signed like those of runs (anchor.h).
 *
 * Each database has a journal.  merge does not copy entries; it adds entries for the rows that it writes.
 */
#ifndef HD_TRUST_JOURNAL_H
#define HD_TRUST_JOURNAL_H

#include "db/db.h"

/* The kinds of rows; a row is identified by a name, a number, or both. */
enum hd_journal_kind {
	HD_JOURNAL_SCHEMA,		/* number: version */
	HD_JOURNAL_CHAIN,		/* name: origin */
	HD_JOURNAL_COMMIT,		/* name: sha */
	HD_JOURNAL_PRUNED,		/* name: origin; number: seq of the tombstone */
	HD_JOURNAL_ACKNOWLEDGEMENT,	/* number: id */
	HD_JOURNAL_GATE,		/* number: id; the result, its runs and its findings */
	HD_JOURNAL_EXPECTATION,		/* name: target as stored; all expectations of the target */
};

/* Add an entry about a row that was written, changed or deleted, inside the same transaction. */
int hd_journal_note(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err);
/* Compare a row with its newest entry: 1 if they match, 0 if not, < 0. */
int hd_journal_holds(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err);
/*
 * Bring a database to the schema of this program (hd_schema_apply).  In the same transaction, recompute derived
 * columns, create the chains "runs" and "journal" if they are missing, and add entries for all rows that have none.
 */
int hd_journal_apply_schema(struct hd_db *db, struct hd_err *err);
/* Verify the chain of entries, and each row against its newest entry.  HD_ENO with the first mismatch. */
int hd_journal_check(struct hd_db *db, struct hd_err *err);

#endif
