/*
 * journal.h - a chain of hashes over the rows that are not part of a run
 *
 * Some rows are not part of a run: acknowledgements, expectations, results of gates, subjects of commits, tombstones,
 * chains and applied schema files.  Commands print them, and a gate passes because of some of them.  Whoever writes
 * such a row calls hd_journal_note() after it in the same transaction:
 *
 *     content_hash = SHA-256("hotdrift journal 1\n", then the columns that are not NULL as in form 2 of content_hash.h)
 *     entry_hash   = SHA-256("hotdrift entry 1\n" origin "\n" seq "\n" prev_hash "\n" kind "\n" number "\n" length ":"
 *                            name "\n" content_hash "\n")
 *
 * The newest entry about a row must have the hash of the row as it is.  So a row that was inserted, altered or deleted
 * by hand does not fit, and the entries themselves are a chain whose head is signed like those of runs (anchor.h).
 *
 * The journal belongs to its database: merge does not copy entries, it notes the rows that it writes.
 */
#ifndef HD_TRUST_JOURNAL_H
#define HD_TRUST_JOURNAL_H

#include "db/db.h"

/* Which row an entry is about: by its name, its number, or both. */
enum hd_journal_kind {
	HD_JOURNAL_SCHEMA,		/* number: version */
	HD_JOURNAL_CHAIN,		/* name: origin */
	HD_JOURNAL_COMMIT,		/* name: sha */
	HD_JOURNAL_PRUNED,		/* name: origin; number: seq of the tombstone */
	HD_JOURNAL_ACKNOWLEDGEMENT,	/* number: id */
	HD_JOURNAL_GATE,		/* number: id; the result, its runs and its findings */
	HD_JOURNAL_EXPECTATION,		/* name: target as stored; all expectations of the target */
};

/* Note that this row was written, changed or deleted; in the transaction that did it. */
int hd_journal_note(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err);
/* Is the row as its newest entry says?  1, 0, or < 0. */
int hd_journal_holds(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err);
/*
 * Bring a database to the schema of this program (hd_schema_apply).  In the same transaction, recompute derived
 * columns, begin the chains "runs" and "journal" where there are none, and note all rows that have no entry.
 */
int hd_journal_apply_schema(struct hd_db *db, struct hd_err *err);
/* Check the journal's chain, and each row against its newest entry.  HD_ENO with the first that does not fit. */
int hd_journal_check(struct hd_db *db, struct hd_err *err);

#endif
