/*
 * fresh_folder.h - write a folder of files that appears as a whole, by rename
 *
 *     rc = hd_fresh_folder_begin(&f, "out", "x", err);		0: create out/.x.tmp and lock it
 *     ... write files into f.path ...
 *     rc = hd_fresh_folder_publish(&f, err);			rename it to out/x
 *     hd_fresh_folder_discard(&f);				after a failure: remove it
 *
 * Only one process at a time can write a folder of the same name, because it locks the temporary folder (flock).  The
 * lock ends when f.fd and all its duplicates are closed, so that a killed process leaves no lock.  It leaves its
 * temporary folder, which the next hd_fresh_folder_begin() of that name empties and reuses.  On a file system without
 * locks, two processes must not write a folder of the same name at the same time.
 *
 * An existing out/x, which must be a folder without subfolders, is renamed to out/.x.old before out/.x.tmp is renamed
 * to out/x.  The old folder and its files are then removed.  Between the two renames, for the time of a system call,
 * there is no out/x.
 */
#ifndef HD_BASE_FRESH_FOLDER_H
#define HD_BASE_FRESH_FOLDER_H

#include "base/err.h"

struct hd_fresh_folder {
	char *path;		/* path of the folder that is written: out/.x.tmp */
	/* private */
	int parent, fd;
	char *name, *temporary, *replaced;	/* x, .x.tmp, .x.old: names in the parent */
};

/*
 * Create the temporary folder in `parent`, which must exist.  Returns 0; or 1 if another process is writing a folder of
 * this name; or < 0 on failure.  The caller releases nothing after 1 or < 0.
 */
int hd_fresh_folder_begin(struct hd_fresh_folder *f, const char *parent, const char *name, struct hd_err *err);
/* Make the folder visible.  On failure, the caller calls hd_fresh_folder_discard(). */
int hd_fresh_folder_publish(struct hd_fresh_folder *f, struct hd_err *err);
/* Remove the temporary folder.  May be called after hd_fresh_folder_publish(). */
void hd_fresh_folder_discard(struct hd_fresh_folder *f);

#endif
