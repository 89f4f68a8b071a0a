/*
 * stored_function.h - which symbols of a database a name means
 *
 * A function is (object, normalised name): what a compiler appends (.isra.0, a hash)
 * differs from build to build, and its entries are one function through time.  A name
 * is looked for as the normalised, then as the displayed, then as the linkage name.
 */
#ifndef HD_HISTORY_STORED_FUNCTION_H
#define HD_HISTORY_STORED_FUNCTION_H

#include "db/db.h"

enum { HD_STORED_FUNCTION_LISTED = 20 };	/* functions that a name is listed with when it means several */

struct hd_stored_function {
	char *object, *name;		/* raw bytes; object NULL: none */
	int64_t *ids;			/* of symbol */
	size_t n, cap;
};

/*
 * object: NULL, or the only one that counts.  HD_EFORMAT when there is none, with names
 * that hold this text, or several, with their objects.
 */
int hd_stored_function_find(struct hd_stored_function *f, struct hd_db *db, const char *name, const char *object,
	struct hd_err *err);
void hd_stored_function_release(struct hd_stored_function *f);

#endif
