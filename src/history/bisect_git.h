/*
 * bisect_git.h - the git operations of a bisection
 *
 * Commits are built in a separate worktree, `hotdrift-bisect/tree` in the repository's git folder, which is removed
 * when the bisection ends.  The user's files, index and HEAD do not change.  A lock file beside it allows one
 * bisection at a time; the next bisection reuses what an interrupted one has left.  git runs without hooks, and
 * without the environment variables that would redirect it.
 */
#ifndef HD_HISTORY_BISECT_GIT_H
#define HD_HISTORY_BISECT_GIT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct hd_bisect_git {
	char *repo;		/* a folder of the user's checkout */
	char *place;		/* GITDIR/hotdrift-bisect */
	char *tree;		/* the worktree, absolute */
	int lock;		/* descriptor of the lock file; -1: not locked */
};

/* Lock the repository that contains the folder `repo`; HD_EIO if there is none, or if another bisection runs. */
int hd_bisect_git_open(struct hd_bisect_git *g, const char *repo, struct hd_err *err);
/* Remove the worktree and release the lock.  Accepts *g that was not opened (lock: -1). */
void hd_bisect_git_close(struct hd_bisect_git *g);

/* Resolve a revision to a full sha, which the caller frees.  HD_EFORMAT: git knows no such commit. */
int hd_bisect_git_commit(const struct hd_bisect_git *g, char **sha, const char *rev, struct hd_err *err);
/* Return 1 if `old` is an ancestor of `young`, 0 if not, < 0 on error. */
int hd_bisect_git_is_ancestor(const struct hd_bisect_git *g, const char *old, const char *young, struct hd_err *err);
/* Return the first line of the commit message, which the caller frees; "" if git fails. */
char *hd_bisect_git_subject(const struct hd_bisect_git *g, const char *sha);

struct hd_shas {
	char **items;
	size_t n, cap;
};
void hd_shas_add(struct hd_shas *s, const char *sha);
bool hd_shas_have(const struct hd_shas *s, const char *sha);
void hd_shas_release(struct hd_shas *s);

/*
 * Append the commits that are reachable from `bad` and from none of `good`, best bisection points first; `bad` is one
 * of them.  Only the last 100 commits of `good` are used.
 */
int hd_bisect_git_candidates(const struct hd_bisect_git *g, struct hd_shas *out, const char *bad,
	const struct hd_shas *good, struct hd_err *err);

/* Check out a commit in the worktree.  Untracked files are kept, so that builds are incremental, unless `clean`. */
int hd_bisect_git_checkout(struct hd_bisect_git *g, const char *sha, bool clean, struct hd_err *err);

/*
 * Run a command in the worktree, with its output on stderr and an empty standard input.  Returns its exit status, 127
 * if it cannot be executed, 128 + the signal that killed it, or < 0 if no process can be created.  env: "NAME=value"
 * strings to add, terminated by NULL.
 */
int hd_bisect_git_run(const struct hd_bisect_git *g, char *const *argv, const char *const *env, struct hd_err *err);

#endif
