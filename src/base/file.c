/* file.c - open and read files: see file.h */
#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Return true if the error means that the path is wrong.  All other errors (permission, memory, descriptors, disk) have
 * a cause outside of the input.
 */
static bool is_bad_path(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR || errnum == ELOOP || errnum == ENAMETOOLONG || errnum == ENXIO;
}

bool hd_file_is_trouble(const struct hd_err *err)
{
	return err->code == HD_EIO && err->errnum && !is_bad_path(err->errnum);
}

static int open_named(const char *path, int more_flags, struct hd_err *err)
{
	int fd, rc;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | more_flags);
	if (fd < 0)
		return hd_fail_errno(err, is_bad_path(errno) ? HD_EFORMAT : HD_EIO, errno, "%s: cannot open", path);
	rc = hd_output_check_input(path, fd, err);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

int hd_file_open(const char *path, struct hd_err *err)
{
	return open_named(path, 0, err);
}

int hd_file_open_regular(const char *path, struct hd_err *err)
{
	int fd = open_named(path, O_NONBLOCK, err);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return fd;
	close(fd);
	return hd_fail(err, HD_EFORMAT, "%s: not a regular file", path);
}

/*
 * Return false if the path contains `..`, or begins with /proc, /sys or /dev.
 * Additional slashes and dots in the path make no difference.
 */
static bool path_is_plain(const char *path)
{
	static const char *const refused[] = { "proc", "sys", "dev" };
	bool at_top = path[0] == '/';
	size_t n;

	for (const char *c = path; *c; c += n) {
		c += strspn(c, "/");
		n = strcspn(c, "/");
		if (n == 2 && !memcmp(c, "..", 2))
			return false;
		if (!n || (n == 1 && *c == '.'))
			continue;
		for (size_t i = 0; at_top && i < HD_COUNT(refused); i++)
			if (strlen(refused[i]) == n && !memcmp(c, refused[i], n))
				return false;
		at_top = false;
	}
	return true;
}

/*
 * Return true if the opened file is in a file system of the kernel.  A link may lead there, and the files there look
 * regular.
 */
static bool is_kernels_own(int fd)
{
	static const long magic[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC };
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < HD_COUNT(magic); i++)
		if (fs.f_type == magic[i])
			return true;
	return false;
}

enum { SPOOL_CHUNK = 256 * 1024 };
enum { OPEN_FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* Fallback for kernels without openat2: open one component after another, and follow no link. */
static int open_stepwise(int dir, const char *path)
{
	int at = fcntl(dir, F_DUPFD_CLOEXEC, 3);

	while (at >= 0) {
		char name[256];
		size_t n;
		int next;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (!n || n >= sizeof(name)) {
			close(at);
			errno = n ? ENAMETOOLONG : EISDIR;
			return -1;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		path += n;
		next = openat(at, name, OPEN_FLAGS | O_NOFOLLOW | (path[strspn(path, "/")] ? O_DIRECTORY : 0));
		close(at);
		if (next < 0 || !path[strspn(path, "/")])
			return next;
		at = next;
	}
	return -1;
}

static int open_beneath(const char *root, const char *path)
{
	struct open_how how = {
		.flags = OPEN_FLAGS,
		/* Links below `root` are resolved as if `root` were `/`. */
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd, saved;

	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_stepwise(dir, path);
	saved = errno;
	close(dir);
	errno = saved;
	return fd;
}

int hd_file_open_untrusted(const char *root, const char *path, uint64_t max_bytes, struct hd_err *err)
{
	bool rooted = root && *root;
	struct stat st;
	int fd, rc;

	if (!path_is_plain(path))
		return hd_fail(err, HD_EFORMAT,
			"%s: a recording may not name this path: it has '..' or is in a file system of the kernel",
			path);
	fd = rooted ? open_beneath(root, path) : open(path, OPEN_FLAGS);
	if (fd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s%s%s", rooted ? root : "",
			rooted && path[0] != '/' ? "/" : "", path);
	if (fstat(fd, &st) < 0) {
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot get its file type", path);
		close(fd);
		return rc;
	}
	if (!S_ISREG(st.st_mode) || is_kernels_own(fd)) {
		close(fd);
		return hd_fail(err, HD_EFORMAT, "%s: not a regular file", path);
	}
	if ((uint64_t)st.st_size > max_bytes) {
		close(fd);
		return hd_fail(err, HD_EFORMAT, "%s: %llu bytes exceed the limit of %llu", path,
			       (unsigned long long)st.st_size, (unsigned long long)max_bytes);
	}
	rc = hd_output_check_input(path, fd, err);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

/*
 * Fail because a read failed.  If the path is a folder, the input is bad (HD_EFORMAT); any other cause is outside
 * of the input.
 */
static int read_failed(const char *path, size_t n, uint64_t off, struct hd_err *err)
{
	if (errno == EISDIR)
		return hd_fail(err, HD_EFORMAT, "%s: is a directory, not a file", path);
	return hd_fail_errno(err, HD_EIO, errno, "%s: read of %zu bytes at 0x%llx", path, n, (unsigned long long)off);
}

ssize_t hd_file_pread(int fd, void *buf, size_t n, uint64_t off, const char *path, struct hd_err *err)
{
	size_t done = 0;

	if (off > INT64_MAX - n)
		return 0;		/* after the end of any file */
	while (done < n) {
		ssize_t got = pread(fd, (char *)buf + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return read_failed(path, n - done, off + done, err);
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int hd_file_slurp(int fd, const char *path, uint64_t max_bytes, struct hd_buf *buf, struct hd_err *err)
{
	enum { LEAST = 64 * 1024 };
	off_t from = lseek(fd, 0, SEEK_CUR);
	size_t before = buf->len, least = 0;
	struct stat st;

	/*
	 * Reserve room for a whole regular file, so that one read() gets all of it.  One more byte is reserved: the
	 * second read(), which detects the end of the file, needs room but must not grow the buffer.
	 */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (uint64_t)st.st_size < max_bytes) {
		hd_buf_reserve(buf, (size_t)st.st_size + 1);
		/*
		 * A file of sysfs has the size of a page whatever its content.  Such a file is recognised because it
		 * has no blocks.
		 */
		least = from >= 0 && st.st_size > from && st.st_blocks ? (size_t)(st.st_size - from) : 0;
	}
	for (;;) {
		ssize_t got;

		if (buf->cap < buf->len + 2)
			hd_buf_reserve(buf, LEAST);
		got = read(fd, buf->data + buf->len, buf->cap - buf->len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return read_failed(path, buf->cap - buf->len - 1, buf->len, err);
		buf->len += (size_t)got;
		buf->data[buf->len] = '\0';
		if (!got && buf->len - before < least)
			return hd_fail(err, HD_EIO,
				"%s: the file has shrunk while it was read: %zu of %zu bytes were there", path,
				buf->len - before, least);
		if (!got)
			return 0;
		if (buf->len > max_bytes)
			return hd_fail(err, HD_EFORMAT, "%s: more than %llu bytes, the limit for such a file",
				path, (unsigned long long)max_bytes);
	}
}

int hd_file_write_all(int fd, const void *from, size_t n)
{
	const char *p = from;

	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

static const char *temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int hd_file_temporary(const char *path, struct hd_err *err)
{
	const char *dir = temporary_folder();
	int tmp = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (tmp < 0) {
		struct hd_buf name = { 0 };

		hd_buf_addf(&name, "%s/hotdrift.XXXXXX", dir);
		tmp = mkostemp(name.data, O_CLOEXEC);
		if (tmp >= 0)
			unlink(name.data);
		hd_buf_release(&name);
	}
	if (tmp < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: no temporary file in %s to spool it to; set TMPDIR", path,
			dir);
	return tmp;
}

int hd_file_pwrite(int fd, const void *p, size_t n, uint64_t off, const char *path, struct hd_err *err)
{
	size_t done = 0;

	while (done < n) {
		ssize_t put = pwrite(fd, (const char *)p + done, n - done, (off_t)(off + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return hd_fail_errno(err, HD_EIO, errno, "%s: writing its temporary copy in %s; set TMPDIR",
				path, temporary_folder());
		done += (size_t)put;
	}
	return 0;
}

/* Read the next n bytes of a pipe, or all up to its end.  Returns the number of bytes, or < 0. */
static ssize_t read_pipe(int fd, char *to, size_t n, const char *path, struct hd_err *err)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = read(fd, to + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return hd_fail_errno(err, HD_EIO, errno, "%s: read", path);
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int spool(int fd, int tmp, char *chunk, const char *path, hd_file_accept *accept, struct hd_err *err)
{
	ssize_t got = read_pipe(fd, chunk, HD_FILE_HEAD, path, err);
	int rc = got < 0 ? (int)got : accept(chunk, (size_t)got, path, err);

	while (rc >= 0 && got > 0) {
		if (hd_file_write_all(tmp, chunk, (size_t)got) < 0)
			return hd_fail_errno(err, HD_EIO, errno, "%s: writing its temporary copy in %s; set TMPDIR",
				path, temporary_folder());
		got = read_pipe(fd, chunk, SPOOL_CHUNK, path, err);
		rc = got < 0 ? (int)got : 0;
	}
	if (rc >= 0 && lseek(tmp, 0, SEEK_SET) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: rewinding its temporary copy", path);
	return rc;
}

int hd_file_spool(int fd, const char *path, hd_file_accept *accept, struct hd_err *err)
{
	int tmp = hd_file_temporary(path, err), rc;
	char *chunk;

	if (tmp < 0)
		return tmp;
	chunk = hd_alloc(SPOOL_CHUNK);
	rc = spool(fd, tmp, chunk, path, accept, err);
	free(chunk);
	if (rc < 0) {
		close(tmp);
		return rc;
	}
	return tmp;
}
