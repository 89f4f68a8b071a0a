/*
 * git_revision.h - resolve names of commits and look up their ancestors
 *
 * Runs git as git_commit.h does.  A missing git, checkout or commit, and a history that a shallow clone cuts off,
 * are not errors: the functions return false or 0.
 */
#ifndef HD_HISTORY_GIT_REVISION_H
#define HD_HISTORY_GIT_REVISION_H

#include <stdbool.h>
#include <stddef.h>

enum { HD_GIT_REVISION_SHA = 65 };		/* bytes of a full sha, with the NUL */

/* Resolve a name (branch, tag, sha or its start, HEAD~2) in the checkout that contains `dir`. */
bool hd_git_revision_resolve(const char *dir, const char *name, char sha[HD_GIT_REVISION_SHA]);
/* Find the best common ancestor of two commits. */
bool hd_git_revision_merge_base(const char *dir, const char *a, const char *b, char sha[HD_GIT_REVISION_SHA]);
/* Find the first commit that the user marked good (or old) in the current `git bisect` of the checkout. */
bool hd_git_revision_bisect_good(const char *dir, char sha[HD_GIT_REVISION_SHA]);
/* List `sha`, its first parent, the first parent of that one, ..., at most n.  Returns how many. */
size_t hd_git_revision_first_parents(const char *dir, const char *sha, char (*list)[HD_GIT_REVISION_SHA], size_t n);

#endif
