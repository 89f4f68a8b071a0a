/*
 * anchor.h - heads of chains, signed with a key that is kept elsewhere
 *
 * Whoever can write a database can change a run and compute all hashes again.  An anchor for the new hash
 * needs the key.  There are two forms:
 *
 *     1   mac = HMAC-SHA-256(secret, "hotdrift anchor 1\n" origin "\n" seq "\n" run_hash "\n" signed_utc "\n")
 *     2   mac = Ed25519(private key, "hotdrift anchor 2\n" origin "\n" seq "\n" run_hash "\n" signed_utc "\n" key_id "\n")
 *
 * An anchor says that the chain had this run at this place, and so all runs before it.  An auditor who checks form 1 has
 * the secret and could sign as well; for form 2 the public key is enough.  Anchors are rows of table `anchor`, and lines
 * of a file that is kept where a writer of the database cannot write:
 *
 *     hotdrift-anchor FORM ORIGIN SEQ RUN_HASH SIGNED_UTC KEY_ID MAC
 *
 * Anchors in the database can be deleted with it, or go back to an older day with it; those of a
 * file tell that the chain has become shorter.  docs/trust.md has what follows from that.
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

/* Anchors of a file, in its order. */
struct hd_anchors {
	struct hd_anchor *items;
	size_t n, cap;
};

/* Every line must be an anchor, blank, or begin with '#'; HD_EFORMAT names the line. */
int hd_anchors_parse(struct hd_anchors *list, const char *text, size_t len, const char *path, struct hd_err *err);
int hd_anchors_read(struct hd_anchors *list, const char *path,
	struct hd_err *err); /* one that is not there yet is empty */
void hd_anchors_release(struct hd_anchors *list);
void hd_anchor_line(struct hd_buf *out, const struct hd_anchor *a);

/* Sign this place of a chain; in the transaction that put it there, or with the database as it is. */
int hd_anchor_add(struct hd_db *db, const struct hd_signing_key *key, const char *origin, int64_t seq, const char *hash,
	struct hd_anchor *made, struct hd_err *err);
bool hd_anchor_holds(const struct hd_signing_key *key, const struct hd_anchor *a);
/* All anchors of a chain under this key, by seq; a list that was loaded is released in any case. */
int hd_anchors_load(struct hd_anchors *list, struct hd_db *db, const struct hd_signing_key *key, const char *origin,
	struct hd_err *err);
/* The anchor of this place under this key: 1, 0 when there is none. */
int hd_anchor_find(struct hd_db *db, const struct hd_signing_key *key, const char *origin, int64_t seq,
	struct hd_anchor *a, struct hd_err *err);
/* Before a chain is signed again: does it still have what was signed last?  HD_ENO if not. */
int hd_anchor_check_last(struct hd_db *db, const struct hd_signing_key *key, const char *origin, struct hd_err *err);

#define HD_ANCHOR_JOURNAL "journal"	/* the name of each place of the journal, which has no runs */

/* What is known of one chain after a check. */
struct hd_anchor_chain {
	char *origin, *run;		/* run: the newest that is anchored, NULL: none is */
	char signed_utc[HD_UTC_TEXT];
	int64_t seq, head;		/* of that run; of the chain's newest */
	bool journal;			/* the chain is the journal (journal.h), run is HD_ANCHOR_JOURNAL */
};

struct hd_anchor_report {
	struct hd_anchor_chain *chains;	/* the local one first */
	size_t n, cap;
	int64_t anchors;		/* of this key that were checked */
};

/*
 * Check all anchors of this key, those of the database and those of `more` (or NULL), against the
 * chains.  HD_ENO: an anchor was altered, or a chain does not have what was signed, and the first such
 * place of it; HD_ENOBASE: there is none of this key at all.  found is to be released in any case.
 */
int hd_anchor_check(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	struct hd_anchor_report *found, struct hd_err *err);
void hd_anchor_report_release(struct hd_anchor_report *found);

/*
 * Sign the heads of all chains.  Nothing that does not hold is signed: all is verified first, with the
 * anchors there are.  A head that was signed before is not signed again.  `made` gets the new anchors,
 * and of heads that were signed before those that `more` lacks, when it is given.
 */
int hd_anchor_sign(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	struct hd_anchors *made, struct hd_err *err);

/*
 * What `from` has that was signed with this key goes to `into`, where the chain has the same run at that
 * place; *taken counts.  For history/merge.c.
 */
int hd_anchor_copy(struct hd_db *into, struct hd_db *from, const struct hd_signing_key *key, const char *origin,
	int64_t *taken, struct hd_err *err);

#endif
