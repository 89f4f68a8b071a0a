/*
 * git_commit.h - read the commit of a git checkout
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
	/* Strings are owned; NULL if unknown. */
	char *sha;		/* full, or `rev` as the caller wrote it if the checkout does not have that commit */
	char *parents;		/* shas with blanks between, "" for a root commit */
	char *committed_utc;
	char *subject;		/* first line of the message, raw bytes */
	char *branch;		/* NULL if HEAD is detached */
	int dirty;		/* 1: tracked files differ from the commit; 0: they do not; -1: unknown */
};

/*
 * Read a commit of the checkout that contains the folder `dir`.  rev: NULL for HEAD, which also sets branch and dirty;
 * or the commit to read, as 4 to 64 hexadecimal digits.  If the checkout does not have that commit, only sha is set.
 *
 * Files with a filter (Git LFS) whose index entry is out of date are not checked.  Then dirty is -1, with the warning
 * "git.not-checked", unless another file has changed.  Other warnings: "git.refused" if git does not trust the owner of
 * the checkout, "git.failed" if git fails.  Returns HD_EUSAGE if rev is not a commit name, else 0.  The caller releases
 * *g.
 */
int hd_git_commit_read(struct hd_git_commit *g, const char *dir, const char *rev, struct hd_log *log,
	struct hd_err *err);
void hd_git_commit_release(struct hd_git_commit *g);

#endif
