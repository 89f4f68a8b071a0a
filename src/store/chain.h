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
 * `t5:hello`, `b2:..` with the length in bytes.
 */
#ifndef HD_STORE_CHAIN_H
#define HD_STORE_CHAIN_H

#include "base/sha256.h"
#include "store/db.h"

#define HD_CHAIN_START "0000000000000000000000000000000000000000000000000000000000000000"

/* Of run.id = run. */
int hd_chain_content(struct hd_db *db, int64_t run, char hex[HD_SHA256_HEX], struct hd_err *err);
void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash, char hex[HD_SHA256_HEX]);

/*
 * Walk all chains from their starts.  0 when every hash is what its run says and every
 * link holds, else HD_ENO with the first that does not.  *runs: how many were looked at.
 */
int hd_chain_verify(struct hd_db *db, int64_t *runs, struct hd_err *err);

#endif
