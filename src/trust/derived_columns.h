/*
 * derived_columns.h - columns that are computed from other columns
 *
 * The hash of a run covers the names of its symbols and objects.  Comparisons find a symbol by symbol.id,
 * symbol.key and symbol.normal, and a text by its SHA-256, which are all computed from these names and texts.  So
 * the hash does not need to cover them, and verify computes them again.
 */
#ifndef HD_TRUST_DERIVED_COLUMNS_H
#define HD_TRUST_DERIVED_COLUMNS_H

#include "base/sha256.h"
#include "db/db.h"

/* Compute the key of an object (path, build-id), a symbol (object, linkage name) or the rest; kind: "object", "symbol", "rest". */
void hd_derived_columns_key(const char *kind, const char *a, const char *b, char key[HD_SHA256_HEX]);
/* HD_ENO with the first row whose derived columns are wrong, or with a text that a row refers to and that is missing. */
int hd_derived_columns_check(struct hd_db *db, struct hd_err *err);
/* Compute symbol.normal again, in the caller's transaction: an older program may have had other rules (base/symbol_name.h). */
int hd_derived_columns_refresh(struct hd_db *db, struct hd_err *err);
/* Do the key and the names fit?  Columns of the row from `at` on: key, object, object_raw, linkage, linkage_raw, name, ... */
bool hd_derived_columns_match_symbol(const struct hd_db_rows *r, int at);
/* Columns of the row from `at` on: key, path, path_raw, build_id. */
bool hd_derived_columns_match_object(const struct hd_db_rows *r, int at);

#endif
