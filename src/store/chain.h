/*
 * chain.h - the hashes that make a change of the past visible
 *
 *     content_hash = SHA-256 of what the run says: every row of it and the names it
 *                    refers to, as they are stored (not the ids, which differ between
 *                    databases, and not what git can tell of the commit again)
 *     run_hash     = SHA-256("hotdrift chain 1\n" origin "\n" seq "\n" prev_hash "\n" content_hash "\n")
 *
 * prev_hash is the run_hash of seq - 1 of the same origin, and 64 zeros for the first.
 * The content is hashed from the rows read back, so that checking is the same code.
 *
 * The text that is hashed: "hotdrift run 1\n", then for each table in a fixed order, by
 * its key, "TABLE\n" and for each row its columns, one a line: `-` NULL, `i123`, `d%.17g`,
 * `t5:hello`, `b2:..` with the length in bytes.  Tables "run 2", "event 2" and "event 3" are columns that later schemas
 * added; where all of them are NULL they are left out, with their name.
 */
#ifndef HD_STORE_CHAIN_H
#define HD_STORE_CHAIN_H

#include "base/sha256.h"
#include "store/db.h"

enum { HD_CHAIN_NAME = 160 };

#define HD_CHAIN_START "0000000000000000000000000000000000000000000000000000000000000000"

/* Of run.id = run. */
int hd_chain_content(struct hd_db *db, int64_t run, char hex[HD_SHA256_HEX], struct hd_err *err);
void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash, char hex[HD_SHA256_HEX]);

/* One place of a chain: a run, or the tombstone of one. */
struct hd_chain_place {
	int64_t id;			/* run.id; 0 of a tombstone */
	int64_t seq;
	bool pruned;
	char *name, *origin, *content, *prev, *hash;	/* NULL: the database lacks it, as ours never does */
};

/* The places of one chain in order: _places, then _next (1 a place, yours to release; 0 the end) and hd_db_end. */
int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err);
int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err);
bool hd_chain_place_whole(const struct hd_chain_place *p);	/* has it all five texts? */
void hd_chain_place_release(struct hd_chain_place *p);

/* The chain's newest run is this one now; in the transaction that adds it. */
int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err);

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
