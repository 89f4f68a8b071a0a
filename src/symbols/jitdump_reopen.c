/*
 * jitdump_reopen.c - where a jitdump is, so that it can be opened again: see jitdump.h
 */
#include "symbols/jitdump.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

int hd_jitdump_locate(struct hd_jitdump *d, int fd, const char *root, const char *path, struct hd_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot tell what it is", path);
	d->root = root && *root ? hd_strdup(root) : NULL;
	d->path = hd_strdup(path);
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	return 0;
}

void hd_jitdump_locate_in_bundle(struct hd_jitdump *d, const struct hd_jit_files *files, const char *path)
{
	d->files = files;
	d->path = hd_strdup(path);
}

/* A process that still runs adds to its dump: what was there stays. */
int hd_jitdump_reopen(const struct hd_jitdump *d, struct hd_err *err)
{
	struct stat st;
	int fd;

	if (!d->path)
		return hd_fail(err, HD_EFORMAT, "no file");
	if (d->files)
		return d->files->open(d->files->ctx, d->path, err);
	fd = hd_file_open_untrusted(d->root, d->path, HD_JITDUMP_MAX, err);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_dev != d->dev || st.st_ino != d->ino) {
		close(fd);
		return hd_fail(err, HD_EIO, "%s: it has changed while it was in use", d->path);
	}
	return fd;
}
