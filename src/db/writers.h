/*
 * writers.h - transactions of several writers of one server at the same time
 *
 * An SQLite file has one writer at a time.  On a server, transactions of hd_db_begin_beside() run at the same time; a
 * transaction of hd_db_begin() waits for them, and they wait for it.  A transaction of hd_db_begin_beside()
 *
 *   - takes new ids from hd_new_ids_get();
 *   - inserts rows that it shares with others by INSERT ... ON CONFLICT (key) DO NOTHING, in the order of their
 *     keys.  If another writer has inserted a key meanwhile, the new id has no row, and a reference to it fails;
 *   - begins again if hd_db_met_writer() returns true after it failed.
 */
#ifndef HD_DB_WRITERS_H
#define HD_DB_WRITERS_H

#include "db/db.h"

/* Return true if several transactions can write this database at the same time. */
bool hd_db_has_writers(const struct hd_db *db);
/* Like hd_db_begin(), but on a server other transactions of this function may write at the same time. */
int hd_db_begin_beside(struct hd_db *db, struct hd_err *err);
/*
 * Return true if the last transaction that began failed only because another writer had changed the same rows, so that
 * it may succeed when it is repeated.
 */
bool hd_db_met_writer(const struct hd_db *db);
/*
 * Report a failure of this kind that the caller itself has detected: hd_db_met_writer() returns true from now on.
 * Returns HD_EIO.
 */
int hd_db_fail_met_writer(struct hd_db *db, struct hd_err *err);

/*
 * The queries for new ids of a table: for a file, and for a server, which has a sequence for the table.  find: a query
 * of a server for a list of keys, which returns each key, the id of its row or NULL, and a new id if there is no row.
 */
struct hd_new_ids {
	const char *file, *server, *find;
};
#define HD_NEW_IDS(table, key) HD_NEW_IDS_OF(table, key, "t.id", "nextval('" table "_ids')")
#define HD_NEW_IDS_OF(table, key, id, fresh)									\
	{ "SELECT MAX(id) + 1 FROM " table, "SELECT nextval('" table "_ids') FROM generate_series(1, $1)",	\
		"SELECT k.key, " id ", CASE WHEN t." key " IS NULL THEN " fresh " END FROM "			\
		"unnest(CAST($1 AS TEXT[])) k (key) LEFT JOIN " table " t ON t." key " = k.key" }

/* Get n ids that no row of the table has.  On a server, they may have gaps, and no other writer gets them. */
int hd_new_ids_get(struct hd_db *db, const struct hd_new_ids *of, int64_t *ids, size_t n, struct hd_err *err);

#endif
