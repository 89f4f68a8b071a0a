/*
 * atomic_file.h - files of libhotdrift that appear complete or not at all
 *
 *     rc = hd_atomic_open(&f, path);
 *     if (rc < 0)
 *             return rc;
 *     hd_atomic_add(&f, text, n);             the commit reports a failed write
 *     return hd_atomic_commit(&f);
 *
 * The bytes go to a new file in the folder of the target.  Where the file system supports it, this file has no name
 * yet.  The commit syncs it and renames it over the target.  Until then an existing file is unchanged, and stays if
 * anything fails.  Its rwx permissions are kept; its owner may change.  A symbolic link to an existing file is
 * followed.  A target that is not a regular file (a terminal, a pipe) is written directly.  If the process is killed,
 * no partial file has the name of the target.
 *
 * Errors: HD_TRACK_IO with errno, or NOMEM.  A write that fails sends no signal to the program.  Different files may be
 * written by different threads at once; if two write the same target, one of the two complete files remains.
 * base/outfile.c does the same for the program.
 */
#ifndef HD_TRACK_ATOMIC_FILE_H
#define HD_TRACK_ATOMIC_FILE_H

#include "track/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_ATOMIC_BUFFER = 16 * 1024 };

struct hd_atomic_file {
	int fd;
	char *path, *tmp;		/* tmp: name of the new file until it is renamed; NULL: it has none */
	bool in_place;			/* the target is not a regular file */
	int error;			/* errno of the first failed write, else 0 */
	size_t n;
	char *buffer;
};

/* Create the new file.  Unless HD_TRACK_OK is returned, there is nothing to commit or discard. */
int hd_atomic_open(struct hd_atomic_file *f, const char *path);
void hd_atomic_add(struct hd_atomic_file *f, const void *p, size_t n);
/*
 * Write the rest of the bytes and rename the new file over the target.  If this or an earlier write failed, discard the
 * new file.  `f` is released in any case.
 */
int hd_atomic_commit(struct hd_atomic_file *f);
void hd_atomic_discard(struct hd_atomic_file *f);	/* delete the new file and release `f`; errno stays */
/* Open, add and commit. */
int hd_atomic_write(const char *path, const void *p, size_t n);

#endif
