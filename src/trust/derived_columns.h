/*
 * derived_columns.h - compute and check the columns that are derived from other columns
 *
 * Comparisons look up symbols by symbol.key and symbol.normal.  These columns are computed from the names of the
 * symbol, and the hash of a run covers only the names.  Of a text (folded stacks, a CSV file), the hash of a run covers
 * only its key, the SHA-256 of the text.  So `verify` recomputes the keys and normalised names, and the SHA-256 of each
 * text.  It also recomputes the keys of environments, configurations and machines: otherwise a row that was inserted
 * by hand in advance would be used by the next run with its key.
 */
#ifndef HD_TRUST_DERIVED_COLUMNS_H
#define HD_TRUST_DERIVED_COLUMNS_H

#include "base/sha256.h"
#include "db/db.h"

/*
 * Compute the key of an object (path, build-id), of a symbol (object, linkage name) or of the row "rest"
 * (history/hotspot_rest.h).  kind: "object", "symbol", "rest".
 */
void hd_derived_columns_key(const char *kind, const char *a, const char *b, char key[HD_SHA256_HEX]);
/*
 * Compute fingerprint and key of a machine from the columns arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt,
 * source, memory_bytes, kernel, microcode, governor and hostname, in this order, before they are made visible.  NULL:
 * unknown.  The fingerprint covers the columns up to smt.
 */
enum { HD_MACHINE_COLUMNS = 12 };
void hd_derived_columns_machine(const char *const values[HD_MACHINE_COLUMNS], char fingerprint[HD_SHA256_HEX],
	char key[HD_SHA256_HEX]);
/*
 * Recompute all derived columns and compare them with the stored ones.  Returns HD_ENO if a row differs, or if a text
 * that a row refers to is missing.  The message names the first such row, or the SHA-256 of the first such text.
 */
int hd_derived_columns_check(struct hd_db *db, struct hd_err *err);
/* The same for the rows and texts that n runs (run.id) refer to. */
int hd_derived_columns_check_runs(struct hd_db *db, const int64_t *runs, size_t n, struct hd_err *err);
/*
 * Recompute symbol.normal, because an older program may have had other rules (base/symbol_name.h).  Must be called in a
 * transaction.
 */
int hd_derived_columns_refresh(struct hd_db *db, struct hd_err *err);
/*
 * Return true if the key of a symbol fits its names.  The columns from `at` on are: key, object, object_raw, linkage,
 * linkage_raw, name.
 */
bool hd_derived_columns_match_symbol(const struct hd_db_rows *r, int at);
/* Return true if the key of an object fits its names.  The columns from `at` on are: key, path, path_raw, build_id. */
bool hd_derived_columns_match_object(const struct hd_db_rows *r, int at);

#endif
