/*
 * stored_function.h - look up the symbols of a function in the database
 *
 * A function is (object, normalised name).  Compiler suffixes (.isra.0, a hash) differ between builds, so a function
 * has several symbols over time.  A name is looked up as a normalised name, then as a displayed or linkage name, and
 * then it is normalised and looked up as a normalised name.
 */
#ifndef HD_HISTORY_STORED_FUNCTION_H
#define HD_HISTORY_STORED_FUNCTION_H

#include "db/db.h"

enum { HD_STORED_FUNCTION_LISTED = 20 };	/* candidates that an error message lists at most */

struct hd_stored_function {
	char *object, *name;		/* raw bytes; object NULL: unknown */
	int64_t *ids;			/* symbol.id */
	size_t n, cap;
};

/*
 * Find the function called `name`.  object: only functions of this object; NULL: any.  HD_EFORMAT if there is none
 * (the message lists similar names), or if several objects have it (the message lists them).  The caller releases
 * `f`.
 */
int hd_stored_function_find(struct hd_stored_function *f, struct hd_db *db, const char *name, const char *object,
	struct hd_err *err);
void hd_stored_function_release(struct hd_stored_function *f);

#endif
