/*
 * chain.h - the hashes that make a change of the past visible
 *
 *     content_hash = SHA-256 of the rows of the run and of the names that they refer to, without the
 *                    ids, which differ between databases
 *     run_hash     = SHA-256("hotdrift chain 1\n" origin "\n" seq "\n" prev_hash "\n" content_hash "\n")
 *
 * prev_hash is the run_hash of seq - 1 of the same origin, and 64 zeros for the first run.
 * hd_chain_content() hashes the rows as they are stored, so writing and checking are the same code.
 *
 * The text that content_hash is of has a form (run.form, content_hash.h).  All forms begin with "hotdrift run FORM\n"; then
 * follow the tables in a fixed order, each as "TABLE\n" and its rows in the order of their key.  A cell is a line:
 * `-` NULL, `i123`, `d%.17g`, `t5:hello`, `b2:..` with the length in bytes.
 *
 *     form 1   a row is its cells.  Tables "run 2", "event 2" and "event 3" hold the columns of later schemas; where all
 *              of them are NULL they are left out, with their name.
 *     form 2   a row is its cells that are not NULL, each after its number (0, 1, ...), and an empty line; a
 *              table without rows is left out, with its name.
 *
 * The id of a run is made of the time, the commit and the run_hash, so verify computes it again.
 */
#ifndef HD_TRUST_CHAIN_H
#define HD_TRUST_CHAIN_H

#include "base/sha256.h"
#include "db/db.h"

enum { HD_CHAIN_NAME = 160 };

#define HD_CHAIN_START "0000000000000000000000000000000000000000000000000000000000000000"

/* The content hash of the run with run.id = run.  An unknown form is HD_ENO. */
int hd_chain_content(struct hd_db *db, int64_t run, int64_t form, char hex[HD_SHA256_HEX], struct hd_err *err);
void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash,
	char hex[HD_SHA256_HEX]);

/* One place of a chain: a run, or the tombstone of one. */
struct hd_chain_place {
	int64_t id;			/* run.id; 0 for a tombstone */
	int64_t seq, form;		/* form: of the content; 0 for a tombstone */
	int64_t pruned;			/* 1 for a tombstone, else 0 */
	char *name, *origin, *content, *prev, *hash;	/* NULL: the database lacks it, as ours never does */
	char *stem;			/* the start of the name as its run makes it; NULL: a tombstone */
};

/* The places of one chain in order: _places, then _next (1 a place, yours to release; 0 the end) and hd_db_end. */
int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err);
int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err);
bool hd_chain_place_whole(const struct hd_chain_place *p);	/* has it all five texts? */
void hd_chain_place_release(struct hd_chain_place *p);

/* The end of a chain, as its row of table `chain` says. */
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
/* All heads: the local chain first, then by kind ("runs" before "journal") and origin.  Release the list in any case. */
int hd_chain_heads(struct hd_chain_heads *list, struct hd_db *db, struct hd_err *err);
bool hd_chain_head_is_of(const struct hd_chain_head *h, const char *kind);
void hd_chain_head_release(struct hd_chain_head *h);
void hd_chain_heads_release(struct hd_chain_heads *list);

/* Begin a chain of this kind ("runs", "journal") with a random name. */
int hd_chain_create(struct hd_db *db, const char *kind, bool local, struct hd_err *err);
/* The chain's newest run is this one now; in the transaction that adds it. */
int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err);

/*
 * Count the places of all chains: each chain has as many as its head says, each run belongs to one, and each gate and
 * acknowledgement has an entry of the journal.  This is cheap and computes no hash.  Commands that select runs call it first, so that they do not use a run that was inserted
 * beside the chains, nor miss one that was deleted.  HD_EIO if not.
 */
int hd_chain_count(struct hd_db *db, struct hd_err *err);

/* What a walk over all chains found to be in order. */
struct hd_chain_walk {
	int64_t chains, runs;
	int64_t pruned;			/* of which only the tombstone is left */
	char anchor[HD_CHAIN_NAME];	/* the run with the hash that was asked for, "" when none was */
	int64_t behind;			/* runs of its chain that came after it */
};

/*
 * Walk all chains from their starts.  0 when every hash is what its run says, every link
 * holds and every chain ends where its head says, else HD_ENO with the first run that was
 * altered, removed or inserted.
 *
 * Who can write the database can also compute all hashes again.  Against that helps only a
 * hash that was kept elsewhere: with `anchor` (at least 8 of its digits, else NULL) some run
 * must have it, else HD_ENO; then nothing up to that run was changed since.
 */
int hd_chain_verify(struct hd_db *db, const char *anchor, struct hd_chain_walk *found, struct hd_err *err);

#endif
