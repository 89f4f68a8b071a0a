/*
 * sqlite.h - types and functions that sqlite.c, sqlite_open.c and sqlite_check.c share
 *
 * pg_open.c also uses hd_sqlite_open_memory().
 */
#ifndef HD_DB_SQLITE_H
#define HD_DB_SQLITE_H

#include "db/backend.h"

#include <sqlite3.h>

/* State of the database files; it changes if another writer makes progress. */
struct hd_sqlite_file_state {
	int64_t mtime_ns[2], bytes[2];	/* times and sizes of the database and of its -wal file */
};

struct hd_sqlite {
	struct hd_db head;
	sqlite3 *sq;
	unsigned busy_ms, limit_ms;
	char *wal;			/* path of the -wal file */
	int64_t wait_start_ms;		/* when the current wait for another writer began */
	int64_t idle_since_ms;		/* time at which the files changed last during this wait */
	struct hd_sqlite_file_state last;	/* state of the files at the last attempt to get the lock */
	int64_t deadline_ms;		/* deadline of the running statement; the progress handler checks it */
};

extern const struct hd_backend hd_sqlite_backend;

int64_t hd_sqlite_now_ms(void);
/* sqlite_check.c: functions of backend.h. */
int hd_sqlite_complete(struct hd_db *db, struct hd_err *err);
int hd_sqlite_check(struct hd_db *db, struct hd_err *err);
int hd_sqlite_check_types(struct hd_db *db, const char *only, const char *except, struct hd_err *err);
int hd_sqlite_check_storage(struct hd_db *db, struct hd_err *err);
int hd_sqlite_check_references(struct hd_db *db, struct hd_err *err);
/* Open an empty database in memory, which the caller closes. */
int hd_sqlite_open_memory(struct hd_db **out, struct hd_err *err);

/* Set `err` to the error that the result code `rc` of SQLite means.  Returns HD_EIO. */
int hd_sqlite_fail(struct hd_sqlite *db, int rc, struct hd_err *err);

#endif
