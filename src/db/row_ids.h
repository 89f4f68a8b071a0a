/*
 * row_ids.h - look up the ids of many rows by their keys, with few queries
 *
 *     place = hd_row_ids_want(k, key);	for each row; the index of the key, equal for equal keys
 *     rc = hd_row_ids_find(k, err);	looks up all keys that were added since the last call
 *     id = hd_row_ids_id(k, place);	0: no row has this key
 *
 * hd_row_ids_assign() gives the next free id to a row that the caller inserts.
 */
#ifndef HD_DB_ROW_IDS_H
#define HD_DB_ROW_IDS_H

#include "db/writers.h"

struct hd_row_ids;

/*
 * find: the start of a query for the ids of keys, such as "SELECT key, id FROM symbol WHERE key IN"; the list of keys
 * is appended to it.  It must be a string literal.
 * fresh: the queries for new ids; borrowed; NULL if neither hd_row_ids_start() nor hd_row_ids_assign() is called.
 */
struct hd_row_ids *hd_row_ids_new(struct hd_db *db, const char *find, const struct hd_new_ids *fresh);
void hd_row_ids_free(struct hd_row_ids *k);			/* accepts NULL */

uint32_t hd_row_ids_want(struct hd_row_ids *k, const char *key);
size_t hd_row_ids_count(const struct hd_row_ids *k);		/* number of distinct keys */
int hd_row_ids_find(struct hd_row_ids *k, struct hd_err *err);
/*
 * hd_row_ids_find() in two steps, so that a server can look up keys of several tables with one statement.  On a server,
 * hd_row_ids_finish() also gets new ids for the keys without a row.  With a file, hd_row_ids_start() does nothing, and
 * hd_row_ids_finish() looks up the keys.
 */
int hd_row_ids_start(struct hd_row_ids *k, struct hd_err *err);
int hd_row_ids_finish(struct hd_row_ids *k, struct hd_err *err);
int64_t hd_row_ids_id(const struct hd_row_ids *k, uint32_t place);
/* Look up all keys again that hd_row_ids_assign() gave an id to.  Another writer may have inserted their rows first. */
int hd_row_ids_find_again(struct hd_row_ids *k, struct hd_err *err);
/* Give the next free id to the key with this index.  Call this inside a transaction. */
int hd_row_ids_assign(struct hd_row_ids *k, uint32_t place, int64_t *id, struct hd_err *err);
const char *hd_row_ids_key(const struct hd_row_ids *k, uint32_t place);

/* Compare two ids of rows (int64_t), for qsort() and bsearch(). */
int hd_row_id_order(const void *a, const void *b);

#endif
