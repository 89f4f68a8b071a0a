/*
 * row_ids.h - the numbers that many rows go under in a database, by their keys, in few questions
 *
 *     place = hd_row_ids_want(k, key);            for each row, again for the same: the same place
 *     rc = hd_row_ids_find(k, err);               asks for all that were not asked for yet
 *     number = hd_row_ids_id(k, place);       0: the database has none
 *
 * A row that is put there gets the next free number from hd_row_ids_assign.
 */
#ifndef HD_DB_ROW_IDS_H
#define HD_DB_ROW_IDS_H

#include "db/db.h"

struct hd_row_ids;

/* find: "SELECT key, id FROM symbol WHERE key IN"; next: "SELECT MAX(id) + 1 FROM symbol". */
struct hd_row_ids *hd_row_ids_new(struct hd_db *db, const char *find, const char *next);
void hd_row_ids_free(struct hd_row_ids *k);			/* NULL is fine */

uint32_t hd_row_ids_want(struct hd_row_ids *k, const char *key);
size_t hd_row_ids_count(const struct hd_row_ids *k);		/* that were wanted */
int hd_row_ids_find(struct hd_row_ids *k, struct hd_err *err);
int64_t hd_row_ids_id(const struct hd_row_ids *k, uint32_t place);
/* The next free number goes to the key at this place; inside a transaction. */
int hd_row_ids_assign(struct hd_row_ids *k, uint32_t place, int64_t *number, struct hd_err *err);
const char *hd_row_ids_key(const struct hd_row_ids *k, uint32_t place);

#endif
