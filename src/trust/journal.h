/*
 * journal.h - maintain a hash chain over the rows that do not belong to a run
 *
 * Acknowledgements, expectations, results of gates, subjects of commits, tombstones, chains and applied schema
 * files do not belong to a run.  Commands print them, and a gate may pass because of them.  A function that writes
 * one of these rows calls hd_journal_note() after it in the same transaction, which adds an entry:
 *
 *     content_hash = SHA-256("hotdrift journal 1\n", then for each part (the row, then the rows that belong to it)
 *                            its number 0, 1 or 2 "\n" and its rows as in form 2 of chain.h)
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
	/* number: id of the gate result.  The entry covers the result, its runs and its findings */
	HD_JOURNAL_GATE,
	HD_JOURNAL_EXPECTATION,		/* name: target as stored.  The entry covers all expectations of the target */
};

/*
 * Begin a transaction that writes only rows that the journal covers, not runs.  On a server, such transactions exclude
 * each other and those that add a commit, but no other transaction that adds a run.
 */
int hd_journal_begin(struct hd_db *db, struct hd_err *err);
/* Add an entry to the journal about a row that was written, changed or deleted, inside the same transaction. */
int hd_journal_note(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err);

/*
 * Add an entry in two steps: queries that the caller starts before hd_journal_entry_finish() need no round trip of
 * their own.  On a server, hd_journal_entry_start() also locks the head of the journal, which a transaction locks after
 * the heads of other chains.  `name` is borrowed.  hd_journal_entry_release() must be called in any case.
 */
enum { HD_JOURNAL_PARTS = 3 };
struct hd_journal_entry {
	struct hd_db *db;
	enum hd_journal_kind kind;
	const char *name;
	int64_t number;
	struct hd_db_rows parts[HD_JOURNAL_PARTS], head;
};
int hd_journal_entry_start(struct hd_journal_entry *n, struct hd_db *db, enum hd_journal_kind kind, const char *name,
	int64_t number, struct hd_err *err);
int hd_journal_entry_finish(struct hd_journal_entry *n, struct hd_err *err);
void hd_journal_entry_release(struct hd_journal_entry *n);
/*
 * Compare a row with its newest entry in the journal.  Returns 1 if they match, 0 if not, < 0 on error.  The caller has
 * checked the types of the journal and of the row's table (hd_db_check_types()), else an entry could hide from SQL.
 */
int hd_journal_holds(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err);
/*
 * Bring a database to the schema of this program (hd_schema_apply).  In the same transaction, recompute symbol.normal,
 * create the journal if it is missing and, in a new database, a chain of runs, and add entries for all rows that have
 * none.
 */
int hd_journal_apply_schema(struct hd_db *db, struct hd_err *err);
/*
 * Verify the hash chain of the journal, and each row against its newest entry.  Returns HD_ENO if one does not match;
 * the message names the first.
 *
 * since: may be NULL.  If it has a head of the journal, the entry there must still have its hash.  Entries up to it are
 * not read, nor are rows whose newest entry is one of them.  *unread is set to the number of these entries.
 */
struct hd_verified_heads;		/* verified_heads.h */
int hd_journal_check(struct hd_db *db, const struct hd_verified_heads *since, int64_t *unread, struct hd_err *err);

#endif
