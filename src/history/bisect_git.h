/*
 * bisect_git.h - what a bisection asks of git and leaves in a checkout
 *
 * Commits are built in a worktree of its own, `hotdrift-bisect/tree` in the repository's git folder, which is
 * there until the bisection ends: neither the user's files nor their index nor HEAD change.  A lock beside it lets one
 * bisection run at a time, and one that was cut off leaves nothing that the next does not find again.
 * git runs without hooks and without what of our environment would send it elsewhere.
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
	int lock;		/* -1: none */
};

int hd_bisect_git_open(struct hd_bisect_git *g, const char *repo, struct hd_err *err);
/* The worktree goes, if it was made, and the lock. */
void hd_bisect_git_close(struct hd_bisect_git *g);

/* The commit that a user means, in full, yours. */
int hd_bisect_git_commit(const struct hd_bisect_git *g, char **sha, const char *rev, struct hd_err *err);
/* 1 when `old` is an ancestor of `young`, 0, or < 0. */
int hd_bisect_git_is_ancestor(const struct hd_bisect_git *g, const char *old, const char *young, struct hd_err *err);
/* The first line of its message; "" when git does not tell.  Yours. */
char *hd_bisect_git_subject(const struct hd_bisect_git *g, const char *sha);

struct hd_shas {
	char **items;
	size_t n, cap;
};
void hd_shas_add(struct hd_shas *s, const char *sha);
bool hd_shas_have(const struct hd_shas *s, const char *sha);
void hd_shas_release(struct hd_shas *s);

/* What may be the first bad one: reachable from `bad` and from none of `good`; those that halve them best come first, `bad` among them. */
int hd_bisect_git_candidates(const struct hd_bisect_git *g, struct hd_shas *out, const char *bad,
	const struct hd_shas *good, struct hd_err *err);

/* The worktree is at this commit; files that git does not know stay, so that builds go on from there.  clean: they go. */
int hd_bisect_git_checkout(struct hd_bisect_git *g, const char *sha, bool clean, struct hd_err *err);

/*
 * Run a command in the worktree, its output on our stderr.  Returns its exit status, 128 + the signal that ended it, or < 0
 * when it could not be started.  env: "NAME=value" strings, ended by NULL.
 */
int hd_bisect_git_run(const struct hd_bisect_git *g, char *const *argv, const char *const *env, struct hd_err *err);

#endif
