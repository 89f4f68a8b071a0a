/*
 * row_ids.h - look up the ids of many rows by their keys, with few queries
 *
 *     place = hd_row_ids_want(k, key);	for each row; equal keys have equal places
 *     rc = hd_row_ids_find(k, err);	looks up all keys that were added since the last call
 *     id = hd_row_ids_id(k, place);	0: no row has this key
 *
 * hd_row_ids_assign() gives the next free id to a row that the caller inserts.
 */
#ifndef HD_DB_ROW_IDS_H
#define HD_DB_ROW_IDS_H

#include "db/db.h"

struct hd_row_ids;

/*
 * Both are string literals.  find: "SELECT key, id FROM symbol WHERE key IN"; next: "SELECT MAX(id) + 1 FROM
 * symbol".
 */
struct hd_row_ids *hd_row_ids_new(struct hd_db *db, const char *find, const char *next);
void hd_row_ids_free(struct hd_row_ids *k);			/* accepts NULL */

uint32_t hd_row_ids_want(struct hd_row_ids *k, const char *key);
size_t hd_row_ids_count(const struct hd_row_ids *k);		/* of distinct keys */
int hd_row_ids_find(struct hd_row_ids *k, struct hd_err *err);
int64_t hd_row_ids_id(const struct hd_row_ids *k, uint32_t place);
/* Give the next free id to the key with this index.  Call this inside a transaction. */
int hd_row_ids_assign(struct hd_row_ids *k, uint32_t place, int64_t *id, struct hd_err *err);
const char *hd_row_ids_key(const struct hd_row_ids *k, uint32_t place);

#endif
