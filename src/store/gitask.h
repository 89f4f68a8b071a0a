/*
 * gitask.h - git of the machine, asked one question
 *
 * Without a shell, without its optional locks, without hooks or file system monitors of
 * the checkout, with bounded output and time.  For gitinfo.c and gitwalk.c.
 */
#ifndef HD_STORE_GITASK_H
#define HD_STORE_GITASK_H

#include "base/buf.h"

enum { HD_GITASK_LIMIT_MS = 20000, HD_GITASK_NO_GIT = 127 };

struct hd_gitask {
	int status;			/* of git; -1: it did not end by itself; HD_GITASK_NO_GIT: there is none */
	struct hd_buf out, err;		/* no more than 64 KiB each */
};

/* git -C dir WORDS...; words end with NULL. */
void hd_gitask(struct hd_gitask *a, const char *dir, const char *const *words);
void hd_gitask_release(struct hd_gitask *a);

#endif
