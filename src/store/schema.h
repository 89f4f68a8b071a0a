/*
 * schema.h - bringing a database to the schema of this program
 *
 * The files schema/NNN_*.sql, carried inside the program, are applied in order, each
 * once; table schema_version names those that were.  All of it is one transaction.
 */
#ifndef HD_STORE_SCHEMA_H
#define HD_STORE_SCHEMA_H

#include "store/db.h"

/* Apply what is missing.  A database of something else, or of a newer program, is HD_EIO. */
int hd_schema_apply(struct hd_db *db, struct hd_err *err);
/* For reading: complain unless it is complete. */
int hd_schema_check(struct hd_db *db, struct hd_err *err);

/* What the pair of them call "up to date". */
int hd_schema_version(void);

#endif
