/*
 * sqlite_fd_vfs.c - see sqlite_fd_vfs.h
 */
#include "db/sqlite_fd_vfs.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Readers scan each table from its first page to its last.  Each window holds the pages ahead of one such scan. */
enum { WINDOWS = 12, WINDOW = 64 << 10 };

struct window { char *bytes; uint64_t at; size_t n; uint64_t last_use; };

struct hd_sqlite_fd_vfs {
	sqlite3_vfs vfs;
	int fd;
	const char *path;
	uint64_t bytes;			/* size of the file when it was opened */
	struct window windows[WINDOWS];
	uint64_t uses;
};

/* ---- the file ---- */

struct fd_file { sqlite3_file base; struct hd_sqlite_fd_vfs *vfs; };

static int file_close(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

/* Return the window that begins at `at`, a multiple of its size, or NULL if the file cannot be read. */
static const struct window *window_of(struct hd_sqlite_fd_vfs *v, uint64_t at)
{
	struct window *w = &v->windows[0];
	ssize_t n;

	for (size_t i = 0; i < WINDOWS; i++) {
		if (v->windows[i].last_use && v->windows[i].at == at) {
			v->windows[i].last_use = ++v->uses;
			return &v->windows[i];
		}
		if (v->windows[i].last_use < w->last_use)
			w = &v->windows[i];
	}
	if (!w->bytes)
		w->bytes = hd_alloc(WINDOW);
	n = hd_file_pread(v->fd, w->bytes, WINDOW, at, v->path, NULL);
	w->last_use = n < 0 ? 0 : ++v->uses;
	w->at = at;
	w->n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : w;
}

/* The size of a page is a power of two of at most 64 KiB, so a page is inside of one window. */
static int file_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	struct hd_sqlite_fd_vfs *v = ((struct fd_file *)file)->vfs;
	const struct window *w = at < 0 ? NULL : window_of(v, (uint64_t)at & ~(uint64_t)(WINDOW - 1));
	size_t from = (size_t)at & (WINDOW - 1), got;

	if (!w || (size_t)n > WINDOW - from)
		return SQLITE_IOERR_READ;
	got = w->n > from ? w->n - from : 0;
	if (got > (size_t)n)
		got = (size_t)n;
	memcpy(to, w->bytes + from, got);
	memset((char *)to + got, 0, (size_t)n - got);
	return got == (size_t)n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	(void)file, (void)from, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	(void)file, (void)size;
	return SQLITE_READONLY;
}

static int file_nothing(sqlite3_file *file, int how)
{
	(void)file, (void)how;
	return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	*size = (sqlite3_int64)((struct fd_file *)file)->vfs->bytes;
	return SQLITE_OK;
}

static int file_reserved(sqlite3_file *file, int *out)
{
	(void)file;
	*out = 0;
	return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
	(void)file, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static int file_traits(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate,
	.xSync = file_nothing, .xFileSize = file_size, .xLock = file_nothing, .xUnlock = file_nothing,
	.xCheckReservedLock = file_reserved, .xFileControl = file_control, .xSectorSize = file_sector,
	.xDeviceCharacteristics = file_traits,
};

/* Only the database itself can be opened: no journal, no temporary file. */
static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	if (!(flags & SQLITE_OPEN_MAIN_DB)) {
		file->pMethods = NULL;
		return SQLITE_CANTOPEN;
	}
	(void)name;
	*(struct fd_file *)file = (struct fd_file){ { &methods }, vfs->pAppData };
	if (out_flags)
		*out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_READONLY;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs, (void)name, (void)flags;
	*out = 0;
	return SQLITE_OK;
}

static int vfs_full(sqlite3_vfs *vfs, const char *name, int n, char *out)
{
	(void)vfs;
	sqlite3_snprintf(n, out, "%s", name);
	return SQLITE_OK;
}

static int vfs_random(sqlite3_vfs *vfs, int n, char *out)
{
	(void)vfs;
	memset(out, 0, (size_t)n);
	return n;
}

static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
	(void)vfs;
	return us;
}

static int vfs_time(sqlite3_vfs *vfs, double *now)
{
	(void)vfs;
	*now = 2440587.5 + (double)time(NULL) / 86400.0;
	return SQLITE_OK;
}

static int vfs_error(sqlite3_vfs *vfs, int n, char *out)
{
	(void)vfs, (void)n, (void)out;
	return 0;
}

/* ---- the interface ---- */

int hd_sqlite_fd_vfs_new(struct hd_sqlite_fd_vfs **out, int fd, const char *path, struct hd_err *err)
{
	struct hd_sqlite_fd_vfs *v;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot be read", path);
	v = hd_new(struct hd_sqlite_fd_vfs);
	v->fd = fd;
	v->path = path;
	v->bytes = (uint64_t)st.st_size;
	v->vfs = (sqlite3_vfs){
		.iVersion = 1, .szOsFile = sizeof(struct fd_file), .mxPathname = 64, .zName = "hotdrift-fd",
		.pAppData = v,
		.xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access, .xFullPathname = vfs_full,
		.xRandomness = vfs_random,
		.xSleep = vfs_sleep, .xCurrentTime = vfs_time, .xGetLastError = vfs_error,
	};
	*out = v;
	return 0;
}

uint64_t hd_sqlite_fd_vfs_bytes(const struct hd_sqlite_fd_vfs *v)
{
	return v->bytes;
}

int hd_sqlite_fd_vfs_open(struct hd_sqlite_fd_vfs *v, sqlite3 **out)
{
	int rc = sqlite3_vfs_register(&v->vfs, 0);

	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2("file", out,
			SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, v->vfs.zName);
	return rc;
}

void hd_sqlite_fd_vfs_free(struct hd_sqlite_fd_vfs *v)
{
	if (!v)
		return;
	sqlite3_vfs_unregister(&v->vfs);
	for (size_t i = 0; i < WINDOWS; i++)
		free(v->windows[i].bytes);
	free(v);
}
