/*
 * trend_find.h - which symbols of a database a name means
 *
 * A function is (object, normalised name): what a compiler appends (.isra.0, a hash)
 * differs from build to build, and its entries are one function through time.  A name
 * is looked for as the normalised, then as the displayed, then as the linkage name.
 */
#ifndef HD_COMPARE_TREND_FIND_H
#define HD_COMPARE_TREND_FIND_H

#include "store/db.h"

enum { HD_TREND_FOUND_MAX = 20 };	/* functions that a name is listed with when it means several */

struct hd_trend_function {
	char *object, *name;		/* raw bytes; object NULL: none */
	int64_t *ids;			/* of symbol */
	size_t n, cap;
};

/*
 * object: NULL, or the only one that counts.  HD_EFORMAT when there is none, with names
 * that hold this text, or several, with their objects.
 */
int hd_trend_find(struct hd_trend_function *f, struct hd_db *db, const char *name, const char *object, struct hd_err *err);
void hd_trend_function_release(struct hd_trend_function *f);

#endif
