/*
 * blob.h - text kept compressed, once per content
 *
 * Table stack_blob: folded stacks of an event, the CSV of a series.  The key is the
 * SHA-256 of the text, so that equal texts of many runs are one row.
 */
#ifndef HD_DB_BLOB_H
#define HD_DB_BLOB_H

#include "base/sha256.h"
#include "db/db.h"

/* Inside a transaction.  sha256 gets the key. */
int hd_blob_add(struct hd_db *db, const char *text, size_t len, char sha256[HD_SHA256_HEX], struct hd_err *err);
/* The text of a key, checked against it.  1, 0 when there is none, or < 0. */
int hd_blob_get(struct hd_db *db, const char *sha256, struct hd_buf *text, struct hd_err *err);

#endif
