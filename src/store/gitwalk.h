/*
 * gitwalk.h - commits by name, and what came before them
 *
 * Asks the git of the machine as gitinfo.h does.  No git, no checkout, a name that it
 * does not know, a history that a shallow clone cut off: no errors, but no answer.
 */
#ifndef HD_STORE_GITWALK_H
#define HD_STORE_GITWALK_H

#include <stdbool.h>
#include <stddef.h>

enum { HD_GITWALK_SHA = 65 };		/* bytes, with the NUL */

/* The commit that a name (branch, tag, sha or its start, HEAD~2) means in the checkout that holds `dir`. */
bool hd_gitwalk_commit(const char *dir, const char *name, char sha[HD_GITWALK_SHA]);
/* The best common ancestor. */
bool hd_gitwalk_merge_base(const char *dir, const char *a, const char *b, char sha[HD_GITWALK_SHA]);
/* The commit that the bisection under way in the checkout was told first to be good (or old). */
bool hd_gitwalk_bisect_good(const char *dir, char sha[HD_GITWALK_SHA]);
/*
 * sha, its first parent, that one's first parent, ...: n of them at most, each into list[i].
 * Returns how many.
 */
size_t hd_gitwalk_first_parents(const char *dir, const char *sha, char (*list)[HD_GITWALK_SHA], size_t n);

#endif
