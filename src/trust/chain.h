/*
 * chain.h - hash chains over the stored runs, which reveal runs that were changed, removed or inserted later
 *
 * An SQLite file has a chain of runs with a random name, the origin.  A server has one for each machine that adds runs
 * (chain_writer.h).  merge adds the chains of other databases.  The entries of a chain have the numbers (`seq`)
 * 1, 2, ...  An entry is a run or, after the run was pruned, its tombstone.
 *
 *     content_hash = SHA-256 of the rows of the run and of the names that they refer to, without ids, which
 *                    differ between databases
 *     run_hash     = SHA-256("hotdrift chain 1\n" origin "\n" seq "\n" prev_hash "\n" content_hash "\n")
 *
 * prev_hash is the run_hash of entry seq - 1 of the same origin; 64 zeros for the first run.  hd_chain_content()
 * hashes the rows as they are stored, so writing and verifying use the same code.
 *
 * The hashed text has forms (run.form, content_hash.h).  Every form begins with "hotdrift run FORM\n".  The tables
 * follow in a fixed order, each as "TABLE\n" and its rows in the order of their key.  A cell is a line: `-` NULL,
 * `i123`, `d%.17g`, `t5:hello`, `b2:..` with the length in bytes.
 *
 *     form 1   a row is its cells.  The tables with a number ("run 2", "event 3", ...) hold columns of later
 *              schemas; such a table without rows is omitted with its name.
 *     form 2   a row is its cells that are not NULL, each after its column number (0, 1, ...), and an empty
 *              line; a table without rows is omitted with its name.
 *
 * The id of a run consists of its time, its commit and the start of its run_hash, so verify can recompute it.
 */
#ifndef HD_TRUST_CHAIN_H
#define HD_TRUST_CHAIN_H

#include "base/sha256.h"
#include "db/db.h"
#include "trust/content_hash.h"

enum { HD_CHAIN_NAME = 160 };

#define HD_CHAIN_START "0000000000000000000000000000000000000000000000000000000000000000"

/*
 * Compute the content hash of the run with run.id = run.  form: how the rows are hashed (see above); HD_ENO: unknown
 * form.
 */
int hd_chain_content(struct hd_db *db, int64_t run, int64_t form, char hex[HD_SHA256_HEX], struct hd_err *err);
/*
 * Compute the content hashes of n runs of the same form, sorted by run.id.  The number of SQL statements does not
 * depend on n.
 */
int hd_chain_contents(struct hd_db *db, const int64_t *runs, size_t n, int64_t form, char (*hex)[HD_SHA256_HEX],
	struct hd_err *err);
/* Compute the run_hash of an entry of a chain. */
void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash,
	char hex[HD_SHA256_HEX]);

/* One entry of a chain: a run, or the tombstone of one. */
struct hd_chain_place {
	int64_t id;			/* run.id; 0 for a tombstone */
	int64_t seq, form;		/* form: how the content was hashed (content_hash.h); 0 for a tombstone */
	int64_t pruned;			/* 1 for a tombstone, else 0 */
	char *name, *origin, *content, *prev, *hash;	/* name: the run's id; NULL only in a damaged database */
	/* the text with which the run's id must begin, made from its time and commit; NULL for a tombstone */
	char *stem;
};

/*
 * Iterate over the entries of one hash chain by seq.  Call hd_chain_places(), then hd_chain_next() until it returns 0
 * (end) or < 0, then hd_db_end().  If hd_chain_next() returns 1, the caller releases *p.
 */
int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err);
/*
 * Like hd_chain_places(), for several chains of runs, ordered by origin and seq: those that have this is_local and an
 * origin from `first` to `last`.
 */
struct hd_chain_range {
	const char *first, *last;	/* borrowed */
	int64_t is_local;
	int64_t from, to;		/* from <= seq < to; -1: no limit */
};
int hd_chain_range_places(struct hd_db_rows *r, struct hd_db *db, const struct hd_chain_range *range,
	struct hd_err *err);
/* SQL that is true for a row of the range, of a table with origin and seq; and the five values of the statement. */
#define HD_CHAIN_IN_RANGE(table) \
	table ".origin >= $1 AND " table ".origin <= $2 AND EXISTS (SELECT 1 FROM chain h WHERE h.origin = " table \
	".origin AND h.kind = 'runs' AND h.is_local = $3) AND (" table ".seq >= $4 OR $4 IS NULL) AND (" table \
	".seq < $5 OR $5 IS NULL)"
#define HD_CHAIN_RANGE_VALUES(range) \
	"ttioo", (range)->first, (range)->last, (range)->is_local, (range)->from, (range)->to
/*
 * Like hd_chain_range_places(), on a server only, for chains of runs with different first entries.  origins, seqs: SQL
 * arrays of the same length, such as "{a1b2,c3d4}" and "{7,12}": of chain a1b2 the entries from 7 on.
 */
int hd_chain_list_places(struct hd_db_rows *r, struct hd_db *db, const char *origins, const char *seqs,
	struct hd_err *err);
/* SQL that joins a table with origin and seq to the arrays. */
#define HD_CHAIN_IN_LIST(table) \
	"JOIN unnest(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) s (origin, seq) ON " table ".origin = s.origin AND " \
	table ".seq >= s.seq"
int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err);
/* Return true if none of name, origin and the three hashes is NULL. */
bool hd_chain_place_whole(const struct hd_chain_place *p);
void hd_chain_place_release(struct hd_chain_place *p);

/* The head (newest entry) of a chain, as stored in table `chain`. */
struct hd_chain_head {
	char *origin, *kind, *hash;	/* hash: the run_hash of the newest entry; NULL: no entry yet */
	int64_t seq;			/* number of the newest entry; 0: no entry yet */
	int64_t is_local;		/* 1: this database appends to the chain */
};
struct hd_chain_heads {
	struct hd_chain_head *items;
	size_t n;
};

/*
 * Look up the head (newest entry) of a hash chain: of the journal, or of the chain `origin`.  Returns 1, and the caller
 * releases *h; 0 if there is no such chain; < 0 on error.
 */
int hd_chain_journal_head(struct hd_chain_head *h, struct hd_db *db, struct hd_err *err);
int hd_chain_head(struct hd_chain_head *h, struct hd_db *db, const char *origin, struct hd_err *err);
/*
 * Read the heads of all chains: the local chains first, then by kind ("runs" before "journal") and origin.  The caller
 * releases the list in any case.
 */
int hd_chain_heads(struct hd_chain_heads *list, struct hd_db *db, struct hd_err *err);
bool hd_chain_head_is_of(const struct hd_chain_head *h, const char *kind);
void hd_chain_head_release(struct hd_chain_head *h);
void hd_chain_heads_release(struct hd_chain_heads *list);

/*
 * The queries for the content hash of a new run and for the head of its chain.  On a server, the head is locked until
 * the end of the transaction.  Call hd_chain_end_start(), then hd_chain_end_finish(), which returns 1; 0 if there is no
 * such chain; < 0 on error.  Queries that are started between them need no round trip of their own.  The struct must be
 * zeroed first.  hd_chain_end_release() must be called in any case.
 */
struct hd_chain_end_query {
	struct hd_db_rows parts[HD_CONTENT_HASH_PARTS], head;
	/* set by hd_chain_end_finish(): number of hotspots of the run whose symbol and object are there */
	size_t hotspots;
};
int hd_chain_end_start(struct hd_chain_end_query *e, struct hd_db *db, int64_t run, const char *origin,
	struct hd_err *err);
int hd_chain_end_finish(struct hd_chain_end_query *e, const struct hd_db *db, int64_t run, char (*hex)[HD_SHA256_HEX],
	struct hd_chain_head *h, struct hd_err *err);
void hd_chain_end_release(struct hd_chain_end_query *e);
/*
 * Look up the head of the journal in the same way.  hd_chain_journal_end_finish() returns 1; 0 if there is no journal;
 * < 0 on error.  The caller ends *r.
 */
int hd_chain_journal_end_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err);
int hd_chain_journal_end_finish(struct hd_chain_head *h, struct hd_db_rows *r, struct hd_err *err);

/*
 * Begin a hash chain of this kind ("runs", "journal") with a random name.  local: the chain of runs to which this
 * machine appends; on a server, nothing is created if the machine has one already.
 */
int hd_chain_create(struct hd_db *db, const char *kind, bool local, struct hd_err *err);
/*
 * Lock the head of the journal until the end of the transaction, before it is read and advanced.  On a server, the
 * request is only sent; a failure is reported by the next call that waits for a result.  On a file it does nothing,
 * because the transaction has the write lock already.  A transaction that locks several heads locks its own chain first
 * and the journal last.
 */
int hd_chain_lock_journal(struct hd_db *db, struct hd_err *err);
/* Set the head (newest entry) of a hash chain, in the transaction that adds this entry. */
int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err);

/*
 * Check the places of each hash chain without computing hashes, which is fast.  Returns HD_EIO unless each chain has
 * as many entries as its head says, each run belongs to a chain, and each gate result and acknowledgement has an entry
 * in the journal.  On a server with long chains, only the newest places of each chain are counted, so that the cost
 * does not grow with the number of runs.
 *
 * Commands that select runs call this first.  It detects a run that was inserted by hand, and a run that was deleted;
 * on a server with long chains, not the deletion of an older run, which hd_chain_verify() finds.
 */
int hd_chain_count(struct hd_db *db, struct hd_err *err);
/* hd_chain_count() in two steps, so that a server does that in one statement with other queries. */
int hd_chain_count_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err);
int hd_chain_count_finish(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err);

/* What a verification covers. */
struct hd_verified_heads;		/* verified_heads.h */
struct hd_chain_verify_opts {
	/* the begin of a run_hash that was stored elsewhere, 8 digits or more; NULL: none */
	const char *anchor;
	/*
	 * where a verification before ended; NULL: none.  Entries up to there are not read.  May not be combined with
	 * `anchor`
	 */
	const struct hd_verified_heads *since;
	/* number of connections to a server, each with a thread; 0: one for each CPU.  With a file, one is used */
	unsigned threads;
	/* receives the heads of all chains in the verified state, which the caller releases; NULL: not needed */
	struct hd_chain_heads *heads;
};

/* The result of a successful verification. */
struct hd_chain_walk {
	int64_t chains;			/* of runs */
	int64_t runs;			/* that were read */
	int64_t pruned;			/* tombstones that were read */
	int64_t unread;			/* entries of chains of runs up to the heads of `since` */
	int64_t unread_journal;		/* entries of the journal up to its head of `since` */
	/* id of the run whose hash begins with `anchor` of hd_chain_verify_opts; "" if that was NULL */
	char anchor[HD_CHAIN_NAME];
	int64_t after;			/* number of entries that follow this run in its chain */
};

/*
 * Verify a whole database: schema, structure and types of values (db.h), all hash chains from their starts, the order
 * of the ids of runs, derived columns (derived_columns.h), the journal, and references.  Returns 0 if every hash fits
 * its run, every link holds, every chain ends at its head, and the rest is right.  Otherwise returns HD_ENO; the
 * message names the first fault, such as the run that was altered, removed or inserted.  Result and message do not
 * depend on the number of threads.  `o` may be NULL for no options.
 *
 * An attacker who can write the database can also recompute all hashes.  A hash that was stored elsewhere protects
 * against that: some run must have a run_hash that begins with o->anchor, else HD_ENO.  Then no run up to that one was
 * changed since the hash was stored.
 *
 * With o->since, the entry at each of these heads must still have its hash, and only the rest is read: the entries
 * after the heads, chains without a head, the rows that new runs and entries of the journal refer to.  The entries of
 * all chains are counted (hd_chain_count()).  Not read are the entries before and what belongs only to them, and the
 * structure and references of a file.
 *
 * If a server does not share a snapshot or accepts fewer connections, fewer threads are used.  If the caller has begun
 * a transaction, one thread is used.
 */
int hd_chain_verify(struct hd_db *db, const struct hd_chain_verify_opts *o, struct hd_chain_walk *found,
	struct hd_err *err);

#endif
