/*
 * atomic_file.c - see atomic_file.h
 */
#include "track/atomic_file.h"

#include "guest/write_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, SUFFIX = 64, FD_PATH = 32 };

static void name_of_fd(char name[FD_PATH], int fd)
{
	snprintf(name, FD_PATH, "/proc/self/fd/%d", fd);
}

/*
 * Set f->tmp to a name that this process has not used before.  A file of that name can exist, for example of a killed
 * process that had the same pid.
 */
static int choose_name(struct hd_atomic_file *f)
{
	static atomic_uint names;
	size_t room = strlen(f->path) + SUFFIX;

	free(f->tmp);
	f->tmp = malloc(room);
	if (!f->tmp)
		return HD_TRACK_NOMEM;
	snprintf(f->tmp, room, "%s.%ld.%u.tmp", f->path, (long)getpid(), atomic_fetch_add(&names, 1));
	return HD_TRACK_OK;
}

/*
 * Create a file without a name (O_TMPFILE) in the folder of the target.  Returns false if that is impossible: the file
 * system does not support it, the folder cannot be written, or /proc is missing.
 */
static bool create_unnamed(struct hd_atomic_file *f)
{
	char *slash = strrchr(f->path, '/'), was = '\0', name[FD_PATH];

	if (slash) {
		was = slash[1];
		slash[1] = '\0';
	}
	f->fd = open(slash ? f->path : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (slash)
		slash[1] = was;
	if (f->fd < 0)
		return false;
	/* hd_atomic_commit() needs /proc. */
	name_of_fd(name, f->fd);
	if (access(name, F_OK) == 0)
		return true;
	close(f->fd);
	return false;
}

static int create_named(struct hd_atomic_file *f)
{
	int rc = HD_TRACK_OK;

	for (unsigned i = 0; i < TRIES; i++) {
		rc = choose_name(f);
		if (rc < 0)
			return rc;
		f->fd = open(f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (f->fd >= 0 || errno != EEXIST)
			break;
	}
	if (f->fd >= 0)
		return rc;
	free(f->tmp);
	f->tmp = NULL;
	return HD_TRACK_IO;
}

static int create(struct hd_atomic_file *f, const struct stat *old)
{
	int rc = create_unnamed(f) ? HD_TRACK_OK : create_named(f);

	/*
	 * Copy the permissions of the existing file, but not its set-user-id and set-group-id bits, because the owner
	 * may change.
	 */
	if (rc >= 0 && old && fchmod(f->fd, old->st_mode & 0777) < 0)
		rc = HD_TRACK_IO;
	return rc;
}

int hd_atomic_open(struct hd_atomic_file *f, const char *path)
{
	int errno_was = errno, rc;
	struct stat st;
	bool exists = stat(path, &st) == 0;

	*f = (struct hd_atomic_file){ .fd = -1 };
	/*
	 * Replacing a file needs only permission for its folder.  Require permission to write the existing file as
	 * well, so that a read-only file is not replaced.
	 */
	if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
		return HD_TRACK_IO;
	f->path = exists ? realpath(path, NULL) : strdup(path);
	f->buffer = malloc(HD_ATOMIC_BUFFER);
	if (!f->path || !f->buffer) {
		rc = errno == ENOMEM ? HD_TRACK_NOMEM : HD_TRACK_IO;
	} else if (exists && !S_ISREG(st.st_mode)) {
		f->in_place = true;
		f->fd = open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		rc = f->fd < 0 ? HD_TRACK_IO : HD_TRACK_OK;
	} else {
		rc = create(f, exists ? &st : NULL);
	}
	if (rc < 0)
		hd_atomic_discard(f);
	else
		errno = errno_was;
	return rc;
}

static void flush(struct hd_atomic_file *f)
{
	struct hd_write_signals signals;
	size_t done = 0;

	hd_write_signals_block(&signals);
	while (!f->error && done < f->n) {
		ssize_t put = write(f->fd, f->buffer + done, f->n - done);

		if (put >= 0)
			done += (size_t)put;
		else if (errno != EINTR)
			f->error = errno;
	}
	hd_write_signals_restore(&signals);
	f->n = 0;
}

void hd_atomic_add(struct hd_atomic_file *f, const void *p, size_t n)
{
	const char *s = p;
	int errno_was = errno;

	while (n) {
		size_t room = HD_ATOMIC_BUFFER - f->n, take = n < room ? n : room;

		memcpy(f->buffer + f->n, s, take);
		f->n += take;
		s += take;
		n -= take;
		if (f->n == HD_ATOMIC_BUFFER)
			flush(f);
	}
	errno = errno_was;
}

/* Give the file a name beside the target if it has none. */
static int give_name(struct hd_atomic_file *f)
{
	char from[FD_PATH];
	int rc = HD_TRACK_OK;

	if (f->tmp)
		return rc;
	name_of_fd(from, f->fd);
	for (unsigned i = 0; i < TRIES; i++) {
		rc = choose_name(f);
		if (rc < 0)
			return rc;
		if (linkat(AT_FDCWD, from, AT_FDCWD, f->tmp, AT_SYMLINK_FOLLOW) == 0)
			return rc;
		if (errno != EEXIST)
			break;
	}
	free(f->tmp);
	f->tmp = NULL;
	return HD_TRACK_IO;
}

static int put_in_place(struct hd_atomic_file *f)
{
	int rc;

	/* Some file systems do not support fsync(). */
	if (fsync(f->fd) < 0 && errno != EINVAL && errno != EROFS)
		return HD_TRACK_IO;
	rc = give_name(f);
	if (rc < 0)
		return rc;
	if (rename(f->tmp, f->path) < 0)
		return HD_TRACK_IO;
	free(f->tmp);
	f->tmp = NULL;
	return HD_TRACK_OK;
}

int hd_atomic_commit(struct hd_atomic_file *f)
{
	int errno_was = errno, rc = HD_TRACK_OK;

	flush(f);
	if (f->error) {
		errno = f->error;
		rc = HD_TRACK_IO;
	} else if (!f->in_place) {
		rc = put_in_place(f);
	}
	hd_atomic_discard(f);
	if (rc >= 0)
		errno = errno_was;
	return rc;
}

void hd_atomic_discard(struct hd_atomic_file *f)
{
	int errno_was = errno;

	if (f->fd >= 0)
		close(f->fd);
	if (f->tmp)
		unlink(f->tmp);
	free(f->tmp);
	free(f->path);
	free(f->buffer);
	*f = (struct hd_atomic_file){ .fd = -1 };
	errno = errno_was;
}

int hd_atomic_write(const char *path, const void *p, size_t n)
{
	struct hd_atomic_file f;
	int rc = hd_atomic_open(&f, path);

	if (rc < 0)
		return rc;
	hd_atomic_add(&f, p, n);
	return hd_atomic_commit(&f);
}
