/*
 * anchor.h - sign the heads (newest entries) of hash chains (chain.h) with a key that is stored elsewhere
 *
 * Anybody who can write a database can change a run and recompute all hashes.  An anchor for the new hash needs the
 * key.  There are two forms:
 *
 *     1   mac = HMAC-SHA-256(secret, "hotdrift anchor 1\n" origin "\n" seq "\n" run_hash "\n" signed_utc "\n")
 *     2   mac = Ed25519(private key,
 *                       "hotdrift anchor 2\n" origin "\n" seq "\n" run_hash "\n" signed_utc "\n" key_id "\n")
 *
 * An anchor proves that the chain had this run at this place, and therefore all runs before it.  To verify form 1, an
 * auditor needs the secret and could sign as well; form 2 needs only the public key.
 *
 * Anchors are rows of table `anchor`, and lines of a file that is stored where a writer of the database cannot write:
 *
 *     hotdrift-anchor FORM ORIGIN SEQ RUN_HASH SIGNED_UTC KEY_ID MAC
 *
 * Anchors in the database can be deleted or restored from a backup together with it.  Anchors in a file reveal that the
 * chain has become shorter.  docs/trust.md explains what each of them protects against.
 */
#ifndef HD_TRUST_ANCHOR_H
#define HD_TRUST_ANCHOR_H

#include "base/ed25519.h"
#include "base/sha256.h"
#include "base/utc.h"
#include "trust/chain.h"
#include "trust/signing_key.h"

enum {
	HD_ORIGIN_MAX = 65,
	HD_MAC_MAX = 2 * HD_ED25519_SIGNATURE + 1
};

struct hd_anchor {
	char origin[HD_ORIGIN_MAX];
	int64_t seq;
	char hash[HD_SHA256_HEX], signed_utc[HD_UTC_TEXT], key_id[HD_SIGNING_KEY_ID], mac[HD_MAC_MAX];
};

/* A list of anchors; hd_anchors_release() frees it. */
struct hd_anchors {
	struct hd_anchor *items;
	size_t n, cap;
};

/*
 * Append the anchors of a file to the list.  Every line must be an anchor, be empty, or begin with '#'.  Otherwise
 * the function returns HD_EFORMAT, and the message names the line.
 */
int hd_anchors_parse(struct hd_anchors *list, const char *text, size_t len, const char *path, struct hd_err *err);
/* Append the anchors of the file `path` to the list.  A file that does not exist has no anchors. */
int hd_anchors_read(struct hd_anchors *list, const char *path, struct hd_err *err);
void hd_anchors_release(struct hd_anchors *list);
/* Append the line of an anchor. */
void hd_anchor_line(struct hd_buf *out, const struct hd_anchor *a);

/*
 * Sign the run at place `seq` of the hash chain `origin`, and store the anchor.  May be called in the transaction that
 * adds the run, or outside of one.  made: receives the anchor; may be NULL.  Returns HD_EUSAGE if the key is a public
 * key, and HD_ENO if origin or hash is longer than a member of struct hd_anchor.
 */
int hd_anchor_add(struct hd_db *db, const struct hd_signing_key *key, const char *origin, int64_t seq, const char *hash,
	struct hd_anchor *made, struct hd_err *err);
/* Return true if the mac of the anchor is correct under this key. */
bool hd_anchor_holds(const struct hd_signing_key *key, const struct hd_anchor *a);
/* Load the anchors that this key made for a hash chain, by seq.  The list must be released also after an error. */
int hd_anchors_load(struct hd_anchors *list, struct hd_db *db, const struct hd_signing_key *key, const char *origin,
	struct hd_err *err);
/*
 * Look up the anchor that this key made for place `seq` of the hash chain `origin`.  Returns 1 if it was found, 0 if
 * not, < 0 on error.
 */
int hd_anchor_find(struct hd_db *db, const struct hd_signing_key *key, const char *origin, int64_t seq,
	struct hd_anchor *a, struct hd_err *err);
/* Check that a hash chain still has all runs that were signed with this key.  Returns HD_ENO if not. */
int hd_anchor_check_last(struct hd_db *db, const struct hd_signing_key *key, const char *origin, struct hd_err *err);

#define HD_ANCHOR_JOURNAL "journal"	/* the id that reports use for the entries of the journal */

/* The state of one chain after a check. */
struct hd_anchor_chain {
	char *origin;
	/* id of the newest anchored run, or HD_ANCHOR_JOURNAL in the journal; NULL: nothing is anchored */
	char *run;
	char signed_utc[HD_UTC_TEXT];	/* time at which the anchor of `run` was signed */
	int64_t seq;			/* place of `run` in the chain */
	int64_t head;			/* place of the last entry of the chain */
	bool journal;			/* the hash chain is the journal (journal.h) */
};

struct hd_anchor_report {
	struct hd_anchor_chain *chains;	/* the local ones first */
	size_t n, cap;
	int64_t anchors;		/* number of anchors of this key that were checked */
};

/*
 * Check all anchors of this key, from the database and from `more` (may be NULL), against the hash chains.
 * HD_ENO: an anchor was altered, or a chain does not have the run that was signed; the message names the first place.
 * HD_ENOBASE: there is no anchor of this key.  *found must be released in any case.
 */
int hd_anchor_check(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	struct hd_anchor_report *found, struct hd_err *err);
void hd_anchor_report_release(struct hd_anchor_report *found);

/*
 * Verify the database as hd_chain_verify(db, o, walk, err) does (walk may be NULL), and all anchors of this key, from
 * the database and from `more` (may be NULL).  Then sign the head (newest entry) of each chain, unless this key has
 * signed it already.  The new anchors are appended to `made`.  If `more` is not NULL, the existing anchor of a head is
 * appended as well, unless `more` contains it.
 */
int hd_anchor_sign(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	const struct hd_chain_verify_opts *o, struct hd_chain_walk *walk, struct hd_anchors *made, struct hd_err *err);

/*
 * Copy the valid anchors of this key and chain from the database `from` to `into`.  An anchor is copied only if the
 * chain in `into` has the same run (or its tombstone) at the anchor's place, and no anchor of this key for that place.
 * The number of copied anchors is added to *taken.  `from` and `into` may be the same database.
 */
int hd_anchor_copy(struct hd_db *into, struct hd_db *from, const struct hd_signing_key *key, const char *origin,
	int64_t *taken, struct hd_err *err);

#endif
