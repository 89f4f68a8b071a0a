/*
 * git_revision.h - commits by name, and what came before them
 *
 * Asks the git of the machine as git_commit.h does.  No git, no checkout, a name that it
 * does not know, a history that a shallow clone cut off: no errors, but no answer.
 */
#ifndef HD_HISTORY_GIT_REVISION_H
#define HD_HISTORY_GIT_REVISION_H

#include <stdbool.h>
#include <stddef.h>

enum { HD_GIT_REVISION_SHA = 65 };		/* bytes, with the NUL */

/* The commit that a name (branch, tag, sha or its start, HEAD~2) means in the checkout that holds `dir`. */
bool hd_git_revision_resolve(const char *dir, const char *name, char sha[HD_GIT_REVISION_SHA]);
/* The best common ancestor. */
bool hd_git_revision_merge_base(const char *dir, const char *a, const char *b, char sha[HD_GIT_REVISION_SHA]);
/* The commit that the bisection under way in the checkout was told first to be good (or old). */
bool hd_git_revision_bisect_good(const char *dir, char sha[HD_GIT_REVISION_SHA]);
/*
 * sha, its first parent, that one's first parent, ...: n of them at most, each into list[i].
 * Returns how many.
 */
size_t hd_git_revision_first_parents(const char *dir, const char *sha, char (*list)[HD_GIT_REVISION_SHA], size_t n);

#endif
