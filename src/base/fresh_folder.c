/*
 * fresh_folder.c - see fresh_folder.h
 */
#include "base/fresh_folder.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Remove the files of a folder.  Returns -1 with errno if one cannot be removed. */
static int empty(int fd)
{
	int copy = open_folder(fd, "."), failed = 0;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlinkat(fd, e->d_name, 0) < 0)
			failed = errno;
	closedir(d);
	errno = failed;
	return failed ? -1 : 0;
}

/* Remove a folder with its files.  A missing folder is no failure. */
static int remove_folder(int parent, const char *name)
{
	int fd = open_folder(parent, name), rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	rc = empty(fd);
	close(fd);
	return rc < 0 ? rc : unlinkat(parent, name, AT_REMOVEDIR);
}

static void release(struct hd_fresh_folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->parent >= 0)
		close(f->parent);
	free(f->path);
	free(f->name);
	free(f->temporary);
	free(f->replaced);
	*f = (struct hd_fresh_folder){ .parent = -1, .fd = -1 };
}

static char *beside(const char *name, const char *suffix)
{
	struct hd_buf text = { 0 };

	hd_buf_addf(&text, ".%s.%s", name, suffix);
	return hd_buf_take(&text);
}

static int cannot_create(const struct hd_fresh_folder *f, struct hd_err *err)
{
	return hd_fail_errno(err, HD_EIO, errno, "%s: cannot create the folder", f->path);
}

/*
 * Lock the opened folder.  Returns 0 if it is locked, or if the file system has no locks; 1 if another process has the
 * lock; 1 with *renamed set if the folder was renamed or removed before it was locked; HD_EIO if another user owns it.
 */
static int lock(const struct hd_fresh_folder *f, bool *renamed, struct hd_err *err)
{
	struct stat ours, named;

	*renamed = false;
	if (flock(f->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return 1;
	if (fstat(f->fd, &ours) < 0)
		return cannot_create(f, err);
	if (ours.st_uid != geteuid())
		return hd_fail(err, HD_EIO, "%s: belongs to another user (uid %u); remove it", f->path,
			(unsigned)ours.st_uid);
	*renamed = fstatat(f->parent, f->temporary, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
		named.st_dev != ours.st_dev || named.st_ino != ours.st_ino;
	return *renamed;
}

/* Create the temporary folder, or open the one that a killed process left; lock it. */
static int create(struct hd_fresh_folder *f, struct hd_err *err)
{
	/* another attempt is only needed if another process renames or removes the folder during this attempt */
	enum { TRIES = 100 };
	bool renamed;
	int rc;

	for (int i = 0; i < TRIES; i++) {
		if (mkdirat(f->parent, f->temporary, 0777) < 0 && errno != EEXIST)
			return cannot_create(f, err);
		f->fd = open_folder(f->parent, f->temporary);
		if (f->fd < 0 && errno == ENOENT)
			continue;
		if (f->fd < 0)
			return cannot_create(f, err);
		rc = lock(f, &renamed, err);
		if (rc <= 0 || !renamed)
			return rc;
		close(f->fd);
		f->fd = -1;
	}
	return 1;
}

int hd_fresh_folder_begin(struct hd_fresh_folder *f, const char *parent, const char *name, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	int rc;

	*f = (struct hd_fresh_folder){
		.parent = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .fd = -1,
		.name = hd_strdup(name), .temporary = beside(name, "tmp"), .replaced = beside(name, "old"),
	};
	hd_buf_addf(&path, "%s/%s", parent, f->temporary);
	f->path = hd_buf_take(&path);
	if (f->parent < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot open the folder", parent);
	else
		rc = create(f, err);
	if (rc == 0 && empty(f->fd) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot remove its files", f->path);
	if (rc)
		release(f);
	return rc;
}

int hd_fresh_folder_publish(struct hd_fresh_folder *f, struct hd_err *err)
{
	struct stat st;
	bool exists = fstatat(f->parent, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (exists && !S_ISDIR(st.st_mode))
		return hd_fail(err, HD_EIO, "%s: cannot be renamed to %s, which is not a folder", f->path, f->name);
	if (exists && (remove_folder(f->parent, f->replaced) < 0 ||
			      renameat(f->parent, f->name, f->parent, f->replaced) < 0))
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot replace %s", f->path, f->name);
	if (renameat(f->parent, f->temporary, f->parent, f->name) < 0) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot be renamed to %s", f->path, f->name);

		if (exists)
			renameat(f->parent, f->replaced, f->parent, f->name);
		return rc;
	}
	if (exists)
		remove_folder(f->parent, f->replaced);
	release(f);
	return 0;
}

void hd_fresh_folder_discard(struct hd_fresh_folder *f)
{
	if (f->parent < 0 || !f->temporary)
		return;
	if (empty(f->fd) == 0)
		unlinkat(f->parent, f->temporary, AT_REMOVEDIR);
	release(f);
}
