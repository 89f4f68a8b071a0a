/*
 * environment.h - store and compare the environment variables that runs were recorded with
 *
 * The same build may behave differently if a variable that it reads has another value.  hotdrift.ini names such
 * variables for a target (key env); their values are stored, and runs whose values differ are not compared.  For other
 * variables, only the names are stored, because values can contain passwords and tokens.
 *
 * The stored text has one line per variable, sorted by name, with names and values in their visible form
 * (base/encode.h):
 *
 *     +NAME=VALUE     named and set; a long value is cut and its SHA-256 is appended
 *     -NAME           named and not set
 *      NAME           set; the value is not stored
 *
 * Two texts are compared variable by variable.  If a variable is named in one text, and the other one only lists it as
 * set (because hotdrift.ini named it later), the result is "unknown", neither equal nor different.
 */
#ifndef HD_HISTORY_ENVIRONMENT_H
#define HD_HISTORY_ENVIRONMENT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* limit for the variables that patterns name, and again for those that are stored by name only */
enum { HD_ENVIRONMENT_NAMES = 2000 };

/*
 * Append the text for `environ` (NULL-terminated NAME=VALUE strings; may be NULL).  named: n patterns of fnmatch(3), or
 * NAME=VALUE for a variable whose value is given instead of looked up.  others: also write the names of variables that
 * `named` does not select, except those that shells set for themselves (PWD, OLDPWD, SHLVL, _, LINES, COLUMNS).
 * Variables of `environ` with a name of more than 255 bytes are skipped.
 */
void hd_environment_write(struct hd_buf *out, char *const *environ, const char *const *named, size_t n, bool others);

/* Return true if a text, for example one read from a database, has at most 2 * HD_ENVIRONMENT_NAMES lines. */
bool hd_environment_is_bounded(const char *text);

/* One line of a text; the strings are not terminated. */
struct hd_environment_variable {
	const char *name, *value;	/* value: NULL if it is not set or not stored */
	size_t name_len, value_len;
	bool named;
};

/* Read the line at *at and advance.  Returns false at the end. */
bool hd_environment_next(const char **at, struct hd_environment_variable *v);

enum hd_environment_relation { HD_ENVIRONMENT_EQUAL, HD_ENVIRONMENT_UNKNOWN, HD_ENVIRONMENT_DIFFERENT };

/*
 * Compare variable v, which is from one text, with the same variable of the other text.  *other is set to its line in
 * the other text.  If that text has no such line, other->name is NULL; the variable was not set.  The result is UNKNOWN
 * if the variable was set in both texts but a value is not stored.
 */
enum hd_environment_relation hd_environment_relate(const struct hd_environment_variable *v, const char *text,
	struct hd_environment_variable *other);

/* Compare all variables that hotdrift.ini named for either text.  Returns the worst result; DIFFERENT is the worst. */
enum hd_environment_relation hd_environment_compare(const char *a, const char *b);

#endif
