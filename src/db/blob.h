/*
 * blob.h - store texts compressed, equal texts once
 *
 * Table stack_blob holds the folded stacks of events and the CSV files of series.  The key of a text is its SHA-256.
 */
#ifndef HD_DB_BLOB_H
#define HD_DB_BLOB_H

#include "base/buf.h"
#include "base/sha256.h"
#include "base/strtab.h"
#include "db/db.h"

/*
 * Store a text and set `sha256` to its key.  Must be called in a transaction.  HD_EFORMAT if the text has more than 1
 * GiB, or more than 200 MiB after compression.
 */
int hd_blob_add(struct hd_db *db, const char *text, size_t len, char sha256[HD_SHA256_HEX], struct hd_err *err);
/* Like hd_blob_add(), for a text whose key is known already.  If the text is stored already, do nothing. */
int hd_blob_put(struct hd_db *db, const char *text, size_t len, const char *sha256, struct hd_err *err);
/*
 * Replace *text by the text with this key, and verify its hash.  Returns 1, or 0 if there is no such text, or HD_EIO if
 * the text is damaged.
 */
int hd_blob_get(struct hd_db *db, const char *sha256, struct hd_buf *text, struct hd_err *err);
/*
 * A cache of texts, which loads many texts from a server with few statements.  hd_blobs_load() loads the texts with the
 * n keys; NULL keys are skipped.  Texts stay compressed in memory, up to 64 MiB.  hd_blobs_get() is like hd_blob_get().
 * It reads texts that are not in memory, such as all texts of an SQLite file, from the database.  The caller calls
 * hd_blobs_release() also after a failure.
 */
struct hd_blobs {
	struct hd_db *db;
	struct hd_strtab *keys;
	/* indexed by id in `keys` */
	struct hd_blob_packed { struct hd_buf zstd; int64_t bytes; bool kept; } *packed;
	uint32_t n;			/* number of keys, including id 0, the empty string */
	size_t kept;			/* bytes of all compressed texts in memory */
};
int hd_blobs_load(struct hd_blobs *b, struct hd_db *db, const char *const *keys, size_t n, struct hd_err *err);
int hd_blobs_get(const struct hd_blobs *b, const char *sha256, struct hd_buf *text, struct hd_err *err);
void hd_blobs_release(struct hd_blobs *b);

/* What hd_blob_check() found. */
enum hd_blob_state { HD_BLOB_MISSING, HD_BLOB_DAMAGED, HD_BLOB_WHOLE };
/*
 * Check n texts, 1 to HD_DB_LIST_MAX, with one statement.  state[i] becomes the state of the text with the key keys[i].
 */
int hd_blob_check(enum hd_blob_state *state, struct hd_db *db, const char *const *keys, size_t n, struct hd_err *err);

#endif
