/*
 * schema.h - create and upgrade the schema of a database
 *
 * The program contains the files schema/NNN_*.sql.  They are applied in the order of their numbers, each once; table
 * schema_version lists the applied ones.  An engine may have files of its own in a folder (schema/pg/): such a file
 * replaces the common one with the same number, if there is one.
 */
#ifndef HD_DB_SCHEMA_H
#define HD_DB_SCHEMA_H

#include "db/db.h"

/*
 * Called in the transaction in which schema files were applied, before it is committed.  fresh: the database was empty.
 */
typedef int hd_schema_after(struct hd_db *db, bool fresh, struct hd_err *err);
/*
 * Apply the missing schema files, then call `after`, both in one transaction.  If no file is missing, do nothing.
 * Returns HD_EIO if the database belongs to another program or to a newer hotdrift.  Most callers should call
 * hd_journal_apply_schema() instead.
 */
int hd_schema_apply(struct hd_db *db, hd_schema_after *after, struct hd_err *err);
/* Check that all schema files are applied.  Returns HD_EIO if not.  For commands that only read. */
int hd_schema_check(struct hd_db *db, struct hd_err *err);

/*
 * Check that all schema files are applied, in two steps, so that a server does that in one statement with other
 * queries.  hd_schema_finish() returns 1 if they are; 0 if not, and then hd_schema_apply() applies them or reports the
 * reason; < 0 on error.  If a server has no schema, the statement fails and hd_schema_is_missing() returns true.  The
 * caller ends *r with hd_db_end() in any case.
 */
int hd_schema_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err);
int hd_schema_finish(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err);
bool hd_schema_is_missing(const struct hd_db *db);
/* Return true if hd_schema_apply() succeeded, or hd_schema_finish() found that all schema files are applied. */
bool hd_schema_is_applied(const struct hd_db *db);

/*
 * Apply to the empty database `into` the schema files that are applied in `from`, in the same order.  Files that only
 * the engine of `from` has are skipped.  versions: a query for the numbers of these files in that order.  The query
 * depends on the engine, which stores the order in its own way.
 */
int hd_schema_replay(struct hd_db *into, struct hd_db *from, const char *versions, struct hd_err *err);

/*
 * Compare the objects of two schemas.  Each query returns (type, name, table, definition), sorted by the bytes of type
 * and name.  Definitions are compared without comments, quotes around plain names, and blanks that do not separate
 * words.  Returns HD_ENO with the first difference.
 */
int hd_schema_compare(struct hd_db *db, const char *objects, struct hd_db *expected, const char *wanted,
	struct hd_err *err);

/*
 * Return the number of the newest schema file that this program has for the engine of the database.  db NULL: the
 * newest of the files that all engines have in common.
 */
int hd_schema_version(const struct hd_db *db);

#endif
