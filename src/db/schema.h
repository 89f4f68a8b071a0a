/*
 * schema.h - bringing a database to the schema of this program
 *
 * The files schema/NNN_*.sql, carried inside the program, are applied in order, each
 * once; table schema_version names those that were.  All of it is one transaction.
 */
#ifndef HD_DB_SCHEMA_H
#define HD_DB_SCHEMA_H

#include "db/db.h"

/* Called in the transaction that applied schema files, before it is committed; fresh: the database was empty. */
typedef int hd_schema_after(struct hd_db *db, bool fresh, struct hd_err *err);
/*
 * Apply the missing schema files, then call `after`, in one transaction; without missing files, do nothing.  HD_EIO:
 * the database belongs to another program or to a newer hotdrift.  Most callers want hd_journal_apply_schema().
 */
int hd_schema_apply(struct hd_db *db, hd_schema_after *after, struct hd_err *err);
/* For reading: complain unless it is complete. */
int hd_schema_check(struct hd_db *db, struct hd_err *err);

/*
 * Apply the schema files to the empty database `into` that `from` lists, in its order.
 * versions: the query for it, since engines differ in how they keep that order.
 */
int hd_schema_replay(struct hd_db *into, struct hd_db *from, const char *versions, struct hd_err *err);

/*
 * Compare the objects of two schemas.  Each query returns (type, name, table, definition) in the byte order of type and name;
 * definitions are compared without blanks, comments and quotes.  HD_ENO with the first object of db that is not expected.
 */
int hd_schema_compare(struct hd_db *db, const char *objects, struct hd_db *expected, const char *wanted,
	struct hd_err *err);

/* What the pair of them call "up to date". */
int hd_schema_version(void);

#endif
