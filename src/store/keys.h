/*
 * keys.h - the numbers that many rows go under in a database, by their keys, in few questions
 *
 *     place = hd_keys_want(k, key);            for each row, again for the same: the same place
 *     rc = hd_keys_find(k, err);               asks for all that were not asked for yet
 *     number = hd_keys_number(k, place);       0: the database has none
 *
 * A row that is put there gets the next free number from hd_keys_give.
 */
#ifndef HD_STORE_KEYS_H
#define HD_STORE_KEYS_H

#include "store/db.h"

struct hd_keys;

/* find: "SELECT key, id FROM symbol WHERE key IN"; next: "SELECT MAX(id) + 1 FROM symbol". */
struct hd_keys *hd_keys_new(struct hd_db *db, const char *find, const char *next);
void hd_keys_free(struct hd_keys *k);			/* NULL is fine */

uint32_t hd_keys_want(struct hd_keys *k, const char *key);
size_t hd_keys_count(const struct hd_keys *k);		/* that were wanted */
int hd_keys_find(struct hd_keys *k, struct hd_err *err);
int64_t hd_keys_number(const struct hd_keys *k, uint32_t place);
/* The next free number goes to the key at this place; inside a transaction. */
int hd_keys_give(struct hd_keys *k, uint32_t place, int64_t *number, struct hd_err *err);
const char *hd_keys_text(const struct hd_keys *k, uint32_t place);

#endif
