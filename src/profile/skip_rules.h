/*
 * skip_rules.h - assign the self cost of a sample to the innermost frame of the user's own code
 *
 *     main;parse;std::vector::push_back;operator new;malloc       self: parse
 *
 * The innermost frame of an allocation is always malloc, and that of a waiting thread is a system call.  Such a self
 * cost is not useful.  A frame is skipped if a pattern (base/glob.h) matches its name without parameters, its name in
 * the symbol table or the last part of its object's path.  The default patterns match the allocators, the C, C++, Rust
 * and Go runtimes, locks and the loader.  Kernel frames are skipped, too.  The default patterns never skip a function
 * of the C++ library that only calls a function or lambda of the user, such as those of std::thread and std::function:
 * the compiler usually inlines the user's code into it.  A pattern that begins with `!` names frames that are never
 * skipped.  If all frames of a stack are skipped, the innermost one keeps the cost.  The stacks themselves do not
 * change.  In rows whose cost was moved, hd_sample_row.inner is not 0.
 *
 *     struct hd_skip_rules k;
 *     hd_skip_rules_init(&k, p, NULL, true);    the default patterns, as for heap recordings
 *     hd_skip_rules_apply(&k, &row);              before the row is added to the profile
 *     hd_skip_rules_release(&k);
 */
#ifndef HD_PROFILE_SKIP_RULES_H
#define HD_PROFILE_SKIP_RULES_H

#include "base/string_list.h"
#include "profile/profile.h"

#include <stdbool.h>

struct hd_skip_rules {
	struct hd_profile *p;		/* borrowed */
	bool on;
	struct hd_string_list patterns;	/* in addition to the default ones */
	char *text;			/* owns the text of `patterns` */
	uint8_t *of_symbol;		/* cache, indexed by symbol: 0 not tested yet, else see skip_rules.c */
	size_t n;
};

/*
 * Initialise *k for the profile p, and set p->recording.skips.  p may be NULL: then only hd_skip_rules_match() may be
 * used.
 *
 * rules: patterns, separated by commas or newlines, which are added to the default patterns.  "default": only the
 * default patterns.  "none": skip nothing.  NULL: the default patterns if by_default, else skip nothing.
 */
void hd_skip_rules_init(struct hd_skip_rules *k, struct hd_profile *p, const char *rules, bool by_default);
/* Set row->self and row->inner by the rules.  Call this before `row` is added to the profile. */
void hd_skip_rules_apply(struct hd_skip_rules *k, struct hd_sample_row *row);
void hd_skip_rules_release(struct hd_skip_rules *k);

/* The names of a function with which patterns are compared.  "" is unknown. */
struct hd_skip_rules_names {
	const char *name, *linkage;
	const char *object;		/* the last part of its path */
	bool kernel;
	/*
	 * The caller lists functions by their own cost and does not assign it to others.  The default patterns then
	 * keep templates of the C++ and Rust libraries that were compiled into the user's objects, such as std::sort's.
	 */
	bool own_cost;
};
/* Return true if the rules skip a function with these names.  Thread-safe. */
bool hd_skip_rules_match(const struct hd_skip_rules *k, const struct hd_skip_rules_names *names);

#endif
