/*
 * config_diff.h - in which fields two configurations differ
 *
 * Both are read from their canonical texts, so that neither order nor spelling is a difference.
 * Objects are compared member by member, arrays element by element; what is on one side only
 * is one row, however much hangs on it.
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
	char *path; /* members by a dot, elements by [n]; a key that is no word is in JSON quotes; "" is the whole */
	char *a, *b;			/* as canonical JSON; NULL: absent */
};

struct hd_config_diff {
	struct hd_config_field *items;	/* in the order of a's text, then b's */
	size_t n, cap;
};

int hd_config_diff(struct hd_config_diff *diff, const struct hd_config *a, const struct hd_config *b,
	struct hd_err *err);
void hd_config_diff_release(struct hd_config_diff *diff);

/* One that the database keeps, by the start of its fingerprint.  None, or more than one, is HD_EFORMAT. */
int hd_config_load(struct hd_config *c, struct hd_db *db, const char *start, struct hd_err *err);

#endif
