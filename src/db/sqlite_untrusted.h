/*
 * sqlite_untrusted.h - read the tables of an untrusted SQLite file row by row
 *
 * The file may be hostile.  The protections are:
 *
 *   - sqlite_fd_vfs.h: SQLite can read only this file, and can write no file.
 *   - hd_sqlite_harden() disables triggers, extensions and, unless its caller permits them, views; it limits values and
 *     statements.
 *   - A schema with virtual tables is rejected.
 *   - The size of the file limits the number of steps of all statements together, because a cycle of pages would repeat
 *     rows without end.
 *
 * Hotdrift's own databases (sqlite_open.c) differ in three points: SQLite opens them by name, because they are
 * written; they have views, and larger values; a deadline bounds their statements instead of a number of steps.
 *
 * Error messages begin with the path.  Not thread-safe: one thread uses a file.
 */
#ifndef HD_DB_SQLITE_UNTRUSTED_H
#define HD_DB_SQLITE_UNTRUSTED_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct hd_sqlite_limits {
	int cell_bytes;			/* maximum size of a value or row */
	int sql_bytes;			/* maximum length of a statement; 0: SQLite's default */
	bool views;			/* the schema may have views */
};

/* Disable everything in a connection that a hostile schema could use, and set the limits. */
void hd_sqlite_harden(sqlite3 *sq, const struct hd_sqlite_limits *limits);

/* Return true if the file PATH-wal, with changes that may not be in the database PATH yet, exists and is not empty. */
bool hd_sqlite_has_wal(const char *path);

struct hd_sqlite_untrusted_kind {
	const char *what;		/* what the file is, for messages: "an export of Nsight Systems" */
	const char *repair;		/* advice for messages about a damaged file, for example to export it again */
	struct hd_sqlite_limits limits;
};

struct hd_sqlite_untrusted;

/* fd, path and kind are borrowed until the file is closed.  Returns 0, HD_EFORMAT or HD_EIO. */
int hd_sqlite_untrusted_open(struct hd_sqlite_untrusted **out, int fd, const char *path,
	const struct hd_sqlite_untrusted_kind *kind, struct hd_err *err);
/* The caller finalizes all statements before this call.  Accepts NULL. */
void hd_sqlite_untrusted_close(struct hd_sqlite_untrusted *db);
/* Return true if the file has a write-ahead log.  Its changes are not read, because only the file itself is. */
bool hd_sqlite_untrusted_lacks_wal(const struct hd_sqlite_untrusted *db);
bool hd_sqlite_untrusted_has_table(struct hd_sqlite_untrusted *db, const char *table);

/*
 * Prepare a scan of a table.  Column 0 of each row is its rowid; column i + 1 is columns[i], or NULL if the table lacks
 * it.  `rest` is "" or a clause such as "WHERE id = ?1".  At most 24 columns.
 *
 * Returns the number of `columns` that the table has.  Returns 0 and sets *out to NULL if the table has none of them,
 * does not exist, has no rowids, or is a view.  The caller finalizes *out.
 */
int hd_sqlite_untrusted_scan(struct hd_sqlite_untrusted *db, sqlite3_stmt **out, const char *table,
	const char *const *columns, size_t n, const char *rest);
/* Return 1 if there is a row, 0 at the end, HD_EFORMAT with the reason if the table cannot be read. */
int hd_sqlite_untrusted_step(struct hd_sqlite_untrusted *db, sqlite3_stmt *st, const char *table, struct hd_err *err);

#endif
