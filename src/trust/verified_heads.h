/*
 * verified_heads.h - the file of `verify --since`: where each hash chain ended when it was verified
 *
 * An auditor keeps the file where a writer of the database cannot write.  It has a line for each hash chain with at
 * least one entry:
 *
 *     hotdrift-head FORM KIND ORIGIN SEQ HASH
 *
 * FORM is 1.  KIND is "runs" or "journal".  SEQ is the number of the newest entry of the chain ORIGIN, and HASH its
 * run_hash or, in the journal, its entry_hash.  The hash covers all entries before it, so a later verification reads
 * only the entries after it (chain.h).  Empty lines and lines that begin with '#' are ignored.
 */
#ifndef HD_TRUST_VERIFIED_HEADS_H
#define HD_TRUST_VERIFIED_HEADS_H

#include "base/sha256.h"
#include "trust/anchor.h"

struct hd_verified_head {
	char origin[HD_ORIGIN_MAX];
	bool journal;			/* the chain is the journal (journal.h) */
	int64_t seq;			/* 1 or more */
	char hash[HD_SHA256_HEX];
	size_t line;			/* of the file */
};

/* The heads of a file, sorted by origin; hd_verified_heads_release() frees the list. */
struct hd_verified_heads {
	struct hd_verified_head *items;
	size_t n, cap;
	const char *path;		/* for messages; borrowed */
};

/*
 * Read a file from memory.  Returns HD_EFORMAT with the number of the line if a line is damaged or names a chain again.
 * The list must be released also after an error.
 */
int hd_verified_heads_parse(struct hd_verified_heads *list, const char *text, size_t len, const char *path,
	struct hd_err *err);
/* Read the file `path`.  Returns 1; 0 if there is no such file; < 0 on error. */
int hd_verified_heads_read(struct hd_verified_heads *list, const char *path, struct hd_err *err);
/* Return the head of this chain; NULL if the file does not have it. */
const struct hd_verified_head *hd_verified_heads_find(const struct hd_verified_heads *list, const char *origin,
	bool journal);
void hd_verified_heads_release(struct hd_verified_heads *list);

/*
 * Append the text of a file with these heads.  Returns HD_ENO if a hostile database has a chain whose name cannot be in
 * the file; db_name is for this message.
 */
int hd_verified_heads_text(struct hd_buf *out, const struct hd_chain_heads *heads, const char *db_name,
	struct hd_err *err);

#endif
