/*
 * chain.h - the chains of hashes that make changes of the past visible
 *
 * Each database has a chain of runs with a random name, the origin.  merge adds the chains of other databases.  A
 * run is a place of its chain, with a number `seq` from 1 on.  A pruned run leaves a tombstone at its place.
 *
 *     content_hash = SHA-256 of the rows of the run and of the names that they refer to, without ids, which
 *                    differ between databases
 *     run_hash     = SHA-256("hotdrift chain 1\n" origin "\n" seq "\n" prev_hash "\n" content_hash "\n")
 *
 * prev_hash is the run_hash of place seq - 1 of the same origin; 64 zeros for the first run.  hd_chain_content()
 * hashes the rows as they are stored, so writing and verifying use the same code.
 *
 * The hashed text has forms (run.form, content_hash.h).  Every form begins with "hotdrift run FORM\n".  The tables
 * follow in a fixed order, each as "TABLE\n" and its rows in the order of their key.  A cell is a line: `-` NULL,
 * `i123`, `d%.17g`, `t5:hello`, `b2:..` with the length in bytes.
 *
 *     form 1   a row is its cells.  The tables "run 2", "event 2" and "event 3" hold columns of later schemas;
 *              if all of these are NULL, the table and its name are omitted.
 *     form 2   a row is its cells that are not NULL, each after its column number (0, 1, ...), and an empty
 *              line; a table without rows is omitted with its name.
 *
 * The id of a run consists of its time, its commit and the start of its run_hash, so verify can recompute it.
 */
#ifndef HD_TRUST_CHAIN_H
#define HD_TRUST_CHAIN_H

#include "base/sha256.h"
#include "db/db.h"

enum { HD_CHAIN_NAME = 160 };

#define HD_CHAIN_START "0000000000000000000000000000000000000000000000000000000000000000"

/* Compute the content hash of the run with run.id = run.  HD_ENO: the form is unknown. */
int hd_chain_content(struct hd_db *db, int64_t run, int64_t form, char hex[HD_SHA256_HEX], struct hd_err *err);
/* Compute a run_hash. */
void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash,
	char hex[HD_SHA256_HEX]);

/* One place of a chain: a run, or the tombstone of one. */
struct hd_chain_place {
	int64_t id;			/* run.id; 0 for a tombstone */
	int64_t seq, form;		/* form: how the content was hashed (content_hash.h); 0 for a tombstone */
	int64_t pruned;			/* 1 for a tombstone, else 0 */
	char *name, *origin, *content, *prev, *hash;	/* name: the run's id; NULL only in a damaged database */
	/* the start that `name` must have, computed from the run's time and commit; NULL for a tombstone */
	char *stem;
};

/*
 * Iterate over the places of one chain by seq.  Call hd_chain_places(), then hd_chain_next() until it returns 0 (end)
 * or < 0, then hd_db_end().  If hd_chain_next() returns 1, the caller releases *p.
 */
int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err);
int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err);
/* Return true if none of name, origin and the three hashes is NULL. */
bool hd_chain_place_whole(const struct hd_chain_place *p);
void hd_chain_place_release(struct hd_chain_place *p);

/* The head (newest place) of a chain, as stored in table `chain`. */
struct hd_chain_head {
	char *origin, *kind, *hash;	/* hash: of the newest place; NULL: none yet */
	int64_t seq;			/* of the newest place; 0: none yet */
};
struct hd_chain_heads {
	struct hd_chain_head *items;
	size_t n;
};

/*
 * Look up the head of this database's own chain of runs, of its journal, or of the chain `origin`.  1, 0 if there is
 * none (*h is unchanged), < 0.
 */
int hd_chain_local_head(struct hd_chain_head *h, struct hd_db *db, struct hd_err *err);
int hd_chain_journal_head(struct hd_chain_head *h, struct hd_db *db, struct hd_err *err);
int hd_chain_head(struct hd_chain_head *h, struct hd_db *db, const char *origin, struct hd_err *err);
/*
 * All heads: the local chain first, then by kind ("runs" before "journal") and origin.  Release the list in any
 * case.
 */
int hd_chain_heads(struct hd_chain_heads *list, struct hd_db *db, struct hd_err *err);
bool hd_chain_head_is_of(const struct hd_chain_head *h, const char *kind);
void hd_chain_head_release(struct hd_chain_head *h);
void hd_chain_heads_release(struct hd_chain_heads *list);

/* Begin a chain of this kind ("runs", "journal") with a random name. */
int hd_chain_create(struct hd_db *db, const char *kind, bool local, struct hd_err *err);
/* Set the head of a chain, inside the transaction that adds the run. */
int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err);

/*
 * Check the number of places of each chain without computing hashes, which is fast.  HD_EIO unless
 * each chain has as many places as its head says, each run belongs to a chain, and each gate result
 * and acknowledgement has an entry in the journal.
 *
 * Commands that select runs call this first.  It detects a run that was inserted by hand, and a run
 * that was deleted.
 */
int hd_chain_count(struct hd_db *db, struct hd_err *err);

/* The result of a successful verification. */
struct hd_chain_walk {
	int64_t chains, runs;
	int64_t pruned;			/* tombstones */
	char anchor[HD_CHAIN_NAME];	/* id of the run with the hash `anchor`; "" without an anchor */
	int64_t after;			/* places that follow it in its chain */
};

/*
 * Verify all chains from their starts, and the journal.  0 if every hash fits its run, every link holds and every chain
 * ends at its head; else HD_ENO with the first run that was altered, removed or inserted.
 *
 * An attacker who can write the database can also recompute all hashes.  A hash that was stored elsewhere protects
 * against that: some run must have a run_hash that begins with `anchor` (8 digits or more; may be NULL), else
 * HD_ENO.  Then no run up to that one was changed since the hash was stored.
 */
int hd_chain_verify(struct hd_db *db, const char *anchor, struct hd_chain_walk *found, struct hd_err *err);

#endif
