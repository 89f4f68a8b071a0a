/*
 * git_command.h - run one git command and collect its output
 *
 * git is started without a shell, without optional locks and without the programs that the configuration of the
 * checkout can name: hooks, file system monitors, signature checks, remote helpers.  Output and time are bounded.
 * Filter drivers are the exception: git_commit.c looks their names up and overrides them through `config`.
 */
#ifndef HD_HISTORY_GIT_COMMAND_H
#define HD_HISTORY_GIT_COMMAND_H

#include "base/buf.h"

#include <stdbool.h>

enum { HD_GIT_COMMAND_LIMIT_MS = 20000, HD_GIT_COMMAND_NOT_INSTALLED = 127 };

struct hd_git_command {
	/* exit status of git; HD_GIT_COMMAND_NOT_INSTALLED: it is not installed; -1: it was killed or not started */
	int status;
	struct hd_buf out, err;		/* at most about 64 KiB each */
	bool cut;			/* git wrote more, and the rest was dropped */
};

struct hd_git_command_opts {
	const char *const *config;	/* nconfig pairs of key and value, which override every configuration file */
	size_t nconfig;
	const struct hd_buf *input;	/* standard input; NULL: empty */
	bool no_repository;		/* read the system and global configuration only */
};

/*
 * Run `git -C dir WORDS...`; words end with NULL, and there are at most 21 of them; opts may be NULL.  The caller
 * releases *a.
 */
void hd_git_command(struct hd_git_command *a, const char *dir, const char *const *words,
	const struct hd_git_command_opts *opts);
void hd_git_command_release(struct hd_git_command *a);

#endif
