/*
 * snapshot.h - several connections to a server that see one state of the database
 *
 * One connection begins a transaction that only reads (hd_db_begin_reading()) and exports its snapshot.  Others are
 * opened with it, also in other threads:
 *
 *     rc = hd_db_export_snapshot(db, id, err);
 *     rc = hd_db_open_snapshot(&other, db, id, &stop, err);		in another thread
 *
 * The snapshot can be opened until the transaction of `db` ends.
 */
#ifndef HD_DB_SNAPSHOT_H
#define HD_DB_SNAPSHOT_H

#include "db/db.h"

#include <stdatomic.h>

enum { HD_DB_SNAPSHOT = 80 };

/*
 * Export the snapshot of the transaction that `db` is in.  Returns 1; 0 if the engine has none, as for a file; < 0 if
 * the server refuses.  The transaction has then failed and can only be rolled back.
 */
int hd_db_export_snapshot(struct hd_db *db, char id[HD_DB_SNAPSHOT], struct hd_err *err);
/*
 * Open another connection and begin a transaction in it that only reads and sees the snapshot `id` of `db`.  Returns
 * HD_EIO if that is impossible, for example because the server has too many clients.  A connection pool may not answer
 * before another client ends its transaction; if *stop becomes true meanwhile, the function returns HD_EIO.  The caller
 * closes *out.  Another thread may use `db` during the call.
 */
int hd_db_open_snapshot(struct hd_db **out, const struct hd_db *db, const char *id, const atomic_bool *stop,
	struct hd_err *err);

#endif
