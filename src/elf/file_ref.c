/*
 * file_ref.c - see file_ref.h
 */
#include "elf/file_ref.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void hd_file_ref_unreadable(struct hd_log *log, const char *what)
{
	if (log)
		hd_warn(log, "symbols.unreadable",
			"make the file readable and run again (samples are complete, names are missing)", "%s", what);
}

/* Open an untrusted path and log errors other than "no such file". */
static int open_file(const char *root, const char *path, struct stat *st, struct hd_log *log, struct hd_err *err)
{
	struct hd_err why;
	int fd = hd_file_open_untrusted(root, path, HD_OBJECT_MAX, &why);

	if (fd >= 0 && fstat(fd, st) < 0) {
		hd_fail_errno(&why, HD_EIO, errno, "%s: cannot read its attributes", path);
		close(fd);
		fd = HD_EIO;
	}
	if (fd < 0 && hd_file_is_trouble(&why))
		hd_file_ref_unreadable(log, why.msg);
	if (fd < 0 && err)
		*err = why;
	return fd;
}

int hd_file_ref_open(struct hd_file_ref *p, const char *root, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct stat st;
	int fd = open_file(root, path, &st, log, err);

	if (fd < 0)
		return fd;
	hd_file_ref_release(p);
	p->root = root && *root ? hd_strdup(root) : NULL;
	p->path = hd_strdup(path);
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	p->size = st.st_size;
	p->mtime_ns = hd_file_mtime_ns(&st);
	return fd;
}

int hd_file_ref_reopen(const struct hd_file_ref *p, struct hd_log *log, struct hd_err *err)
{
	struct hd_err why;
	struct stat st;
	int fd;

	if (!p->path)
		return hd_fail(err, HD_EFORMAT, "no file");
	fd = open_file(p->root, p->path, &st, log, err);
	if (fd < 0 ||
		(st.st_dev == p->dev && st.st_ino == p->ino && st.st_size == p->size &&
			hd_file_mtime_ns(&st) == p->mtime_ns))
		return fd;
	close(fd);
	hd_fail(&why, HD_EIO, "%s: it has changed while it was in use", p->path);
	hd_file_ref_unreadable(log, why.msg);
	if (err)
		*err = why;
	return HD_EIO;
}

char *hd_file_ref_text(const struct hd_file_ref *p)
{
	struct hd_buf b = { 0 };

	hd_buf_addf(&b, "%s%s%s", p->root ? p->root : "", p->root && p->path && *p->path != '/' ? "/" : "",
		p->path ? p->path : "");
	return hd_buf_take(&b);
}

void hd_file_ref_release(struct hd_file_ref *p)
{
	free(p->root);
	free(p->path);
	*p = (struct hd_file_ref){ 0 };
}

void hd_file_ref_move(struct hd_file_ref *to, struct hd_file_ref *from)
{
	hd_file_ref_release(to);
	*to = *from;
	*from = (struct hd_file_ref){ 0 };
}
