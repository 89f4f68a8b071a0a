/* outfile.c - write files completely or not at all: see file.h */
#include "base/file.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PENDING = 64 * 1024, TRIES = 100 };

/*
 * Once LARGE bytes of a file are written, the rest is written past the page cache (O_DIRECT).  The fsync() at the end
 * waits for the disk anyway, so the cache saves no time, and copying hundreds of MB into fresh pages is slow.  LARGE,
 * BLOCK and the sizes of all writes except the last one are multiples of ALIGNED.
 */
enum { LARGE = 4 * 1024 * 1024, BLOCK = 1024 * 1024, ALIGNED = 4096 };

static int open_in_place(struct hd_outfile *o, int fd, struct hd_err *err)
{
	o->in_place = true;
	o->fd = fd;
	if (fd < 0) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot open for writing", o->path);

		hd_outfile_discard(o);
		return rc;
	}
	return 0;
}

int hd_outfile_inherited(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	char *end;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < HD_COUNT(folders); i++) {
		size_t n = strlen(folders[i]);
		unsigned long fd;

		if (strncmp(path, folders[i], n) || !isdigit((unsigned char)path[n]))
			continue;
		fd = strtoul(path + n, &end, 10);
		return !*end && fd <= INT_MAX ? (int)fd : -1;
	}
	return -1;
}

int hd_file_append(const char *path, const struct hd_buf *text, struct hd_err *err)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	struct hd_outplace place;
	int rc = hd_outplace_find(&place, path, err), fd;

	if (rc < 0)
		return rc;
	rc = 0;
	fd = openat(place.dir, place.name, flags, 0666);
	if (fd < 0 || hd_file_write_all(fd, hd_buf_str(text), text->len) < 0 ||
		(fsync(fd) < 0 && errno != EINVAL && errno != EROFS))
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot write", path);
	if (fd >= 0)
		close(fd);
	hd_outplace_release(&place);
	return rc;
}

/* Format the path of an open file without a name. */
static void name_of_fd(int fd, char name[32])
{
	snprintf(name, 32, "/proc/self/fd/%d", fd);
}

/*
 * Create a file without a name in the folder of the target.  If the program ends in any way, the
 * file disappears. Some file systems do not support this, and naming the file later requires /proc.
 */
static bool make_unnamed(struct hd_outfile *o, mode_t mode)
{
	char name[32];

	o->fd = openat(o->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	if (o->fd < 0)
		return false;
	name_of_fd(o->fd, name);
	if (access(name, F_OK) == 0)
		return true;
	close(o->fd);
	o->fd = -1;
	return false;
}

/* Format a temporary name in the folder of the target. */
static void name_beside(const struct hd_outfile *o, unsigned try, struct hd_buf *name)
{
	hd_buf_reset(name);
	hd_buf_addf(name, ".%.100s.%ld.%u.tmp", o->base, (long)getpid(), try);
}

/* Create a file with an unused name in the folder of the target; `name` is set to it. */
static int create_beside(const struct hd_outfile *o, int flags, mode_t mode, struct hd_buf *name)
{
	int fd = -1;

	for (unsigned try = 0; try < TRIES; try++) {
		name_beside(o, try, name);
		fd = openat(o->dir, name->data, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/*
 * Create a file without a name; if that is not supported, a file that is unlinked at once and copied on commit.  In
 * both cases nothing is left if the program is killed before the commit.
 */
static int make_tmp(struct hd_outfile *o, mode_t mode, struct hd_err *err)
{
	struct hd_buf name = { 0 };

	if (make_unnamed(o, mode))
		return 0;
	o->fd = create_beside(o, O_RDWR, mode, &name);
	if (o->fd < 0) {
		int rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot create it", o->path);

		hd_buf_release(&name);
		hd_outfile_discard(o);
		return rc;
	}
	unlinkat(o->dir, name.data, 0);
	hd_buf_release(&name);
	o->copied = true;
	return 0;
}

/* Open a file for writing.  If it does not exist yet, it gets the mode `mode`, less the umask. */
static int open_with_mode(struct hd_outfile *o, const char *path, mode_t mode, struct hd_err *err)
{
	struct hd_outplace place;
	struct stat st;
	int rc, fd;

	*o = (struct hd_outfile){ .fd = -1 };
	rc = hd_output_check(err);
	if (rc < 0)
		return rc;
	if (!path || !strcmp(path, "-")) {
		o->path = hd_strdup("standard output");
		fflush(stdout);
		return open_in_place(o, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), err);
	}
	o->path = hd_strdup(path);
	fd = hd_outfile_inherited(path);
	if (fd >= 0) {
		fflush(stdout);
		return open_in_place(o, fcntl(fd, F_DUPFD_CLOEXEC, 3), err);
	}
	/* Links in /proc/PID/fd are not paths: open them instead of resolving them. */
	if (!strncmp(path, "/proc/", 6) && stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return open_in_place(o, open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), err);
	rc = hd_outplace_find(&place, path, err);
	if (rc < 0) {
		hd_outfile_discard(o);
		return rc;
	}
	o->dir = place.dir;
	o->base = place.name;
	st = place.st;
	if (rc > 0 && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode)) {
			hd_outfile_discard(o);
			return hd_fail(err, HD_EIO, "%s: is a directory", path);
		}
		return open_in_place(o, openat(o->dir, o->base, O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC), err);
	}
	if (rc > 0) {
		/*
		 * rename(2) needs no right to write the old file.  The right is required anyway, so that a
		 * write-protected file is not replaced.
		 */
		if (faccessat(o->dir, o->base, W_OK, 0) < 0) {
			rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot write", path);
			hd_outfile_discard(o);
			return rc;
		}
		rc = make_tmp(o, 0600, err);
		if (rc < 0)
			return rc;
		/* Under sudo a user's file keeps its owner.  A file whose owner changes must not keep set-id bits. */
		if (fchown(o->fd, st.st_uid, st.st_gid) < 0)
			st.st_mode &= 0777;
		if (fchmod(o->fd, st.st_mode & 07777) < 0) {
			rc = hd_fail_errno(err, HD_EIO, errno, "%s: keeping its mode", path);
			hd_outfile_discard(o);
		}
		return rc;
	}
	return make_tmp(o, mode, err);
}

int hd_outfile_open(struct hd_outfile *o, const char *path, struct hd_err *err)
{
	return open_with_mode(o, path, 0666, err);
}

int hd_outfile_open_private(struct hd_outfile *o, const char *path, struct hd_err *err)
{
	return open_with_mode(o, path, 0600, err);
}

void hd_outfile_memory(struct hd_outfile *o)
{
	*o = (struct hd_outfile){ .fd = -1, .memory = true };
}

static void set_direct(struct hd_outfile *o, bool direct)
{
	int flags = fcntl(o->fd, F_GETFL);

	if (flags >= 0 && fcntl(o->fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0)
		o->direct = direct;
}

static void write_out(struct hd_outfile *o)
{
	size_t done = 0;

	while (!o->failed && done < o->pending.len) {
		ssize_t put = write(o->fd, o->pending.data + done, o->pending.len - done);

		if (put < 0 && errno == EINTR)
			continue;
		/* O_DIRECT is not supported here, or not at this offset */
		if (put < 0 && errno == EINVAL && o->direct) {
			set_direct(o, false);
			if (!o->direct)
				continue;
			errno = EINVAL;
		}
		if (put < 0) {
			o->failed = true;
			o->errnum = errno;
			break;
		}
		done += (size_t)put;
	}
	o->written += done;
	o->synced &= !done;
	hd_buf_reset(&o->pending);
}

/* Write a full block.  Once LARGE bytes are written, continue with larger, aligned blocks past the page cache. */
static void write_block(struct hd_outfile *o)
{
	void *block;

	write_out(o);
	if (o->in_place || o->block != PENDING || o->written < LARGE)
		return;
	o->block = BLOCK;
	if (posix_memalign(&block, ALIGNED, BLOCK + ALIGNED))	/* one block, and the NUL of the buffer */
		return;
	hd_buf_release(&o->pending);
	o->pending = (struct hd_buf){ .data = block, .cap = BLOCK + ALIGNED };
	set_direct(o, true);
}

void hd_outfile_flush(struct hd_outfile *o)
{
	if (o->memory)
		return;
	if (o->direct)		/* the last write may end inside of a block, which O_DIRECT does not allow */
		set_direct(o, false);
	write_out(o);
}

void hd_outfile_sync(struct hd_outfile *o)
{
	hd_outfile_flush(o);
	if (o->memory || o->in_place || o->failed || o->synced)
		return;
	o->synced = true;
	/* Some file systems do not support fsync() (EINVAL or EROFS); any other error is a failed write. */
	if (fsync(o->fd) < 0 && errno != EINVAL && errno != EROFS) {
		o->failed = true;
		o->errnum = errno;
	}
}

void hd_outfile_add(struct hd_outfile *o, const void *p, size_t n)
{
	const char *s = p;

	if (o->memory) {
		hd_buf_add(&o->pending, p, n);
		return;
	}
	if (!o->block)
		o->block = PENDING;
	while (n > 0) {
		size_t room = o->block - o->pending.len, take = n < room ? n : room;

		hd_buf_add(&o->pending, s, take);
		s += take;
		n -= take;
		if (o->pending.len == o->block)
			write_block(o);
	}
}

/* Copy the content, owner and mode of `from` to `to`, and sync. */
static int copy_file(int from, int to)
{
	char chunk[16 * 1024];	/* on the stack, because memory may be short */
	struct stat st;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, chunk, sizeof(chunk), at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || hd_file_write_all(to, chunk, (size_t)n) < 0)
			return -1;
		at += n;
	}
	if (fstat(from, &st) < 0)
		return -1;
	if (at != st.st_size) {
		errno = EIO;
		return -1;
	}
	if ((fchown(to, st.st_uid, st.st_gid) < 0 && errno != EPERM) || fchmod(to, st.st_mode & 07777) < 0)
		return -1;
	return fsync(to) < 0 && errno != EINVAL && errno != EROFS ? -1 : 0;
}

/* Copy the file, which cannot get a name, to a file with a temporary name. */
static int make_copy(struct hd_outfile *o)
{
	struct hd_buf name = { 0 };
	int fd = create_beside(o, O_WRONLY, 0600, &name), rc, saved;

	if (fd < 0) {
		hd_buf_release(&name);
		return -1;
	}
	o->tmp = hd_buf_take(&name);
	rc = copy_file(o->fd, fd);
	saved = errno;
	if (close(fd) < 0 && rc == 0)
		return -1;
	errno = saved;
	return rc;
}

/*
 * Give the unnamed file its final name.  If that name is taken, or if the file has to be copied (o->copied), give it or
 * its copy a temporary name; hd_outfile_commit() then renames it.  No memory is allocated once the file has a temporary
 * name: a failed allocation ends the program, and the file would remain.
 */
static int give_name(struct hd_outfile *o)
{
	struct hd_buf name = { 0 };
	char from[32];
	int rc;

	if (o->copied)
		return make_copy(o);
	name_of_fd(o->fd, from);
	rc = linkat(AT_FDCWD, from, o->dir, o->base, AT_SYMLINK_FOLLOW);
	for (unsigned try = 0; rc < 0 && errno == EEXIST && try < TRIES; try++) {
		name_beside(o, try, &name);
		rc = linkat(AT_FDCWD, from, o->dir, name.data, AT_SYMLINK_FOLLOW);
		if (rc == 0)
			o->tmp = hd_buf_take(&name);
	}
	hd_buf_release(&name);
	return rc;
}

int hd_outfile_commit(struct hd_outfile *o, struct hd_err *err)
{
	int rc = 0;

	hd_outfile_sync(o);
	if (o->in_place) {
		if (!o->failed && close(o->fd) < 0) {
			o->failed = true;
			o->errnum = errno;
		} else if (o->failed) {
			close(o->fd);
		}
		o->fd = -1;
		if (o->failed && o->errnum != EPIPE)
			rc = hd_fail_errno(err, HD_EIO, o->errnum, "%s: cannot write", o->path);
		hd_outfile_discard(o);
		return rc;
	}
	if (!o->failed && !o->tmp && give_name(o) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot put it in place", o->path);
	if (close(o->fd) < 0 && !o->failed && o->tmp) {
		o->failed = true;
		o->errnum = errno;
	}
	o->fd = -1;
	if (rc < 0) {
		;	/* hd_outfile_discard() removes the temporary name */
	} else if (o->failed) {
		rc = hd_fail_errno(err, HD_EIO, o->errnum, "%s: cannot write", o->path);
	} else if (o->tmp && renameat(o->dir, o->tmp, o->dir, o->base) < 0) {
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot put it in place", o->path);
	} else {
		free(o->tmp);
		o->tmp = NULL;
	}
	hd_outfile_discard(o);
	return rc;
}

void hd_outfile_discard(struct hd_outfile *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->tmp)
		unlinkat(o->dir, o->tmp, 0);
	if (o->base)
		close(o->dir);
	free(o->path);
	free(o->base);
	free(o->tmp);
	hd_buf_release(&o->pending);
	*o = (struct hd_outfile){ .fd = -1 };
}

int hd_file_write(const char *path, const struct hd_buf *data, struct hd_err *err)
{
	struct hd_outfile o;
	int rc = hd_outfile_open(&o, path, err);

	if (rc < 0)
		return rc;
	hd_outfile_add(&o, hd_buf_str(data), data->len);
	return hd_outfile_commit(&o, err);
}
