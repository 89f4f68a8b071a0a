/*
 * schema.h - create and upgrade the schema of a database
 *
 * The program contains the files schema/NNN_*.sql.  They are applied in the order of their numbers, each once; table
 * schema_version lists the applied ones.
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
/* Check that all schema files are applied, for readers; HD_EIO if not. */
int hd_schema_check(struct hd_db *db, struct hd_err *err);

/*
 * Apply the schema files that `from` lists to the empty database `into`, in the order of `from`.
 * versions: a query for the numbers of the files in that order, since engines store the order differently.
 */
int hd_schema_replay(struct hd_db *into, struct hd_db *from, const char *versions, struct hd_err *err);

/*
 * Compare the objects of two schemas.  Each query returns (type, name, table, definition), sorted by the bytes of type
 * and name.  Definitions are compared without blanks, comments and quotes.  HD_ENO with the first difference.
 */
int hd_schema_compare(struct hd_db *db, const char *objects, struct hd_db *expected, const char *wanted,
	struct hd_err *err);

/* The number of the newest schema file of this program. */
int hd_schema_version(void);

#endif
