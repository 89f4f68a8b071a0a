/*
 * git_commit.h - which commit a checkout is at
 *
 * Runs git (git_command.h) without the programs that the configuration of a checkout can name; filter drivers are
 * overridden and submodules are not entered.  A missing git, checkout or first commit is not an error: the fields
 * stay NULL.
 */
#ifndef HD_HISTORY_GIT_COMMIT_H
#define HD_HISTORY_GIT_COMMIT_H

#include "base/err.h"
#include "base/log.h"

struct hd_git_commit {
	/* Strings are owned, NULL when not known. */
	char *sha;		/* full */
	char *parents;		/* shas with blanks between, "" for a root commit */
	char *committed_utc;
	char *subject;		/* first line of the message, raw bytes */
	char *branch;		/* NULL when HEAD is on none */
	int dirty;		/* 1: tracked files differ from the commit; 0: they do not; -1: not known */
};

/*
 * Of the checkout that holds folder `dir` ("." is usual).  rev: NULL for HEAD with branch
 * and dirty, or the commit to describe, as 4 to 64 hexadecimal digits; one that this
 * checkout does not know keeps its sha and nothing else.
 *
 * Files with a filter (Git LFS) whose index entry is out of date are not checked: dirty is then -1, and "git.not-checked"
 * is warned of.  Warns "git.refused" when git does not trust the checkout's owner, "git.failed"
 * for other trouble.  Returns < 0 only for a rev that is no commit name.
 */
int hd_git_commit_read(struct hd_git_commit *g, const char *dir, const char *rev, struct hd_log *log,
	struct hd_err *err);
void hd_git_commit_release(struct hd_git_commit *g);

#endif
