/*
 * config_diff.h - list the fields in which two configurations differ
 *
 * The canonical texts are compared, so the order of keys and the way a number or a string is written make no
 * difference.  Objects are compared member by member, arrays element by element, so the order of elements does.  A
 * value that only one configuration has is one row, even if it is an object or an array.
 *
 *     PATH               A        B
 *     lambda             0.1      0.25
 *     flags[2]           "-O2"    (absent)
 *     limits."a.b".max   3        null
 */
#ifndef HD_HISTORY_CONFIG_DIFF_H
#define HD_HISTORY_CONFIG_DIFF_H

#include "history/config.h"
#include "db/db.h"

struct hd_config_field {
	/*
	 * path of the value, such as flags[2] or limits."a.b".max; "" is the root; keys that are not words are in
	 * JSON quotes
	 */
	char *path;
	char *a, *b;			/* as canonical JSON; NULL: absent */
};

struct hd_config_diff {
	/* for each object, the members of a in the order of its text, then those that only b has */
	struct hd_config_field *items;
	size_t n, cap;
};

/* Compare two configurations.  *diff must be released in any case. */
int hd_config_diff(struct hd_config_diff *diff, const struct hd_config *a, const struct hd_config *b,
	struct hd_err *err);
void hd_config_diff_release(struct hd_config_diff *diff);

/*
 * Load the stored configuration whose fingerprint begins with `start`.  HD_EFORMAT: there is none, or more than one.
 * *c must be released in any case.
 */
int hd_config_load(struct hd_config *c, struct hd_db *db, const char *start, struct hd_err *err);

#endif
