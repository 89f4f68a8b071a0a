/*
 * gitask.h - run git with one command and collect its output
 *
 * git is started without a shell, without optional locks and without the programs that the configuration of the
 * checkout can name: hooks, file system monitors, signature checks, remote helpers.  Output and time are bounded.
 * Filter drivers are the exception: gitinfo.c looks their names up and overrides them through `config`.
 */
#ifndef HD_STORE_GITASK_H
#define HD_STORE_GITASK_H

#include "base/buf.h"

#include <stdbool.h>

enum { HD_GITASK_LIMIT_MS = 20000, HD_GITASK_NO_GIT = 127 };

struct hd_gitask {
	int status;			/* exit status of git; -1: it was killed; HD_GITASK_NO_GIT: not installed */
	struct hd_buf out, err;		/* at most about 64 KiB each */
	bool cut;			/* git wrote more than that */
};

struct hd_gitask_opts {
	const char *const *config;	/* nconfig pairs of key and value, which override every configuration file */
	size_t nconfig;
	const struct hd_buf *input;	/* standard input; NULL: empty */
	bool no_repository;		/* read the system and global configuration only */
};

/* Run `git -C dir WORDS...`; words end with NULL; opts may be NULL. */
void hd_gitask(struct hd_gitask *a, const char *dir, const char *const *words, const struct hd_gitask_opts *opts);
void hd_gitask_release(struct hd_gitask *a);

#endif
