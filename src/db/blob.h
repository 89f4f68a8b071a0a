/*
 * blob.h - store texts compressed, equal texts once
 *
 * Table stack_blob holds the folded stacks of events and the CSV files of series.  The key of a text is its SHA-256.
 */
#ifndef HD_DB_BLOB_H
#define HD_DB_BLOB_H

#include "base/sha256.h"
#include "db/db.h"

/* Store a text inside a transaction and set `sha256` to its key.  HD_EFORMAT if it is too long (1 GiB). */
int hd_blob_add(struct hd_db *db, const char *text, size_t len, char sha256[HD_SHA256_HEX], struct hd_err *err);
/* Replace *text by the text of a key, and verify its hash.  1, 0 if there is none, HD_EIO if it is damaged. */
int hd_blob_get(struct hd_db *db, const char *sha256, struct hd_buf *text, struct hd_err *err);

#endif
