/*
 * sqlite.h - what sqlite.c and sqlite_open.c share; nobody else includes this
 */
#ifndef HD_DB_SQLITE_H
#define HD_DB_SQLITE_H

#include "db/backend.h"

#include <sqlite3.h>

/* How its files look: other writers change that. */
struct hd_sqlite_file_state {
	int64_t mtime_ns[2], bytes[2];	/* of the database and its -wal */
};

struct hd_sqlite {
	struct hd_db head;
	sqlite3 *sq;
	unsigned busy_ms, limit_ms;
	char *wal;			/* path of the -wal */
	int64_t waits_since_ms, stuck_since_ms;	/* for another writer; since when none of them got anywhere */
	struct hd_sqlite_file_state look;
	int64_t deadline_ms;		/* of the running statement; the progress handler looks at it */
};

extern const struct hd_backend hd_sqlite_backend;

int64_t hd_sqlite_now_ms(void);
/* sqlite_check.c; as backend.h describes them. */
int hd_sqlite_complete(struct hd_db *db, struct hd_err *err);
int hd_sqlite_check(struct hd_db *db, struct hd_err *err);
int hd_sqlite_check_references(struct hd_db *db, struct hd_err *err);
/* A database in memory, to be closed like any other. */
int hd_sqlite_open_memory(struct hd_db **out, struct hd_err *err);

/* The sentence for a result code of SQLite. */
int hd_sqlite_fail(struct hd_sqlite *db, int rc, struct hd_err *err);

#endif
