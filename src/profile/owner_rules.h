/*
 * owner_rules.h - find the owner of a function, by rules over names and paths
 *
 *     parser = src/pars*, Parser::*
 *     math   = libm.so*, *_kernel
 *
 * A pattern (base/glob.h; a * also matches slashes) with a slash is compared with the paths of the function's source
 * file and object.  It must match from one of the folders to the end: src/pars* matches /home/me/app/src/parser/a.c.
 * A pattern that begins with a slash must match the whole path.  A pattern without a slash must match the function's
 * name without parameters, its name in the symbol table, or the last component of one of these paths.  Rules are
 * tested in their order; the first rule that matches wins.
 *
 * Not thread-safe while rules are added.
 */
#ifndef HD_PROFILE_OWNER_RULES_H
#define HD_PROFILE_OWNER_RULES_H

#include "base/err.h"
#include "base/string_list.h"

#include <stdbool.h>

enum { HD_OWNER_PATTERN_MAX = 256 };	/* bytes of one pattern */

struct hd_owner_rules {
	struct hd_owner_rule *items;
	size_t n, cap;
	bool paths;			/* at least one pattern has a slash, so the paths of source files are needed */
};

/* The names of a function.  A member is NULL if it is unknown. */
struct hd_owner_names {
	const char *name, *linkage;
	const char *object, *source;	/* paths */
};

/*
 * Add a rule; both texts are copied.  patterns: separated by commas or newlines, but not by commas within <>.  Returns
 * 0, or HD_EFORMAT if there is no pattern or one is too long; `where` begins the message.
 */
int hd_owner_rules_add(struct hd_owner_rules *r, const char *owner, const char *patterns, const char *where,
	struct hd_err *err);
void hd_owner_rules_release(struct hd_owner_rules *r);	/* accepts a zeroed struct */

/* Return the owner of a function; the string is borrowed from `r`.  NULL if no rule matches. */
const char *hd_owner_rules_find(const struct hd_owner_rules *r, const struct hd_owner_names *names);

#endif
