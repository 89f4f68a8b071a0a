/*
 * nsys_file.c - see nsys_file.h
 */
#include "gpu/nsys_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/*
 * Steps of SQLite's virtual machine: a row takes about two per column and at least ten bytes of the file.  If a
 * statement takes more steps than a file of this size can need, its pages form a cycle.
 */
enum { TICK = 100000, STEPS_PER_BYTE = 16, LEAST_STEPS = 50 * 1000 * 1000 };
enum { MAX_CELL = 64 << 20, MAX_SQL = 1 << 16 };
/* Each table is read from its first page to its last: pages are read ahead, in one window per table. */
enum { WINDOWS = 12, WINDOW = 64 << 10 };

struct window { char *bytes; uint64_t at; size_t n; uint64_t last_use; };

struct hd_nsys_file {
	sqlite3 *sq;
	sqlite3_vfs vfs;
	int fd;
	const char *path;
	uint64_t bytes;
	uint64_t ticks, most_ticks;
	struct window windows[WINDOWS];
	uint64_t uses;
};

/* ---- a file system of one file, which cannot be written ---- */

struct vfs_file { sqlite3_file base; struct hd_nsys_file *f; };

static int file_close(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

/* Return the window that begins at `at`, a multiple of its size, or NULL if the file cannot be read. */
static const struct window *window_of(struct hd_nsys_file *f, uint64_t at)
{
	struct window *w = &f->windows[0];
	ssize_t n;

	for (size_t i = 0; i < WINDOWS; i++) {
		if (f->windows[i].last_use && f->windows[i].at == at) {
			f->windows[i].last_use = ++f->uses;
			return &f->windows[i];
		}
		if (f->windows[i].last_use < w->last_use)
			w = &f->windows[i];
	}
	if (!w->bytes)
		w->bytes = hd_alloc(WINDOW);
	n = hd_file_pread(f->fd, w->bytes, WINDOW, at, f->path, NULL);
	w->last_use = n < 0 ? 0 : ++f->uses;
	w->at = at;
	w->n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : w;
}

/* A page is a power of two of at most 64 KiB, so that it lies in one window. */
static int file_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	struct hd_nsys_file *f = ((struct vfs_file *)file)->f;
	const struct window *w = at < 0 ? NULL : window_of(f, (uint64_t)at & ~(uint64_t)(WINDOW - 1));
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
	*size = (sqlite3_int64)((struct vfs_file *)file)->f->bytes;
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
	*(struct vfs_file *)file = (struct vfs_file){ { &methods }, vfs->pAppData };
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

static void make_vfs(struct hd_nsys_file *f)
{
	f->vfs = (sqlite3_vfs){
		.iVersion = 1, .szOsFile = sizeof(struct vfs_file), .mxPathname = 64, .zName = "hotdrift-nsys",
		.pAppData = f,
		.xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access, .xFullPathname = vfs_full,
		.xRandomness = vfs_random,
		.xSleep = vfs_sleep, .xCurrentTime = vfs_time, .xGetLastError = vfs_error,
	};
}

/* ---- opening ---- */

static int on_tick(void *arg)
{
	struct hd_nsys_file *f = arg;

	return ++f->ticks > f->most_ticks;
}

static bool damaged(sqlite3 *sq)
{
	int code = sqlite3_errcode(sq);

	return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

static int fail(const struct hd_nsys_file *f, struct hd_err *err, const char *what)
{
	if (sqlite3_errcode(f->sq) == SQLITE_NOMEM)
		hd_out_of_memory("sqlite");
	if (f->ticks > f->most_ticks)
		return hd_fail(err, HD_EFORMAT, "%s: %s: more rows than a file of its size can hold: it is damaged",
			f->path, what);
	return hd_fail(err, HD_EFORMAT, "%s: %s: %s%s", f->path, what, sqlite3_errmsg(f->sq),
		damaged(f->sq)
			? "; it is cut off or damaged: copy it again, or export it again (nsys export --type=sqlite)"
			: "");
}

static void harden(sqlite3 *sq)
{
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_limit(sq, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(sq, SQLITE_LIMIT_LENGTH, MAX_CELL);
	sqlite3_limit(sq, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL);
}

/* SQLite stores the text of each statement with its first words normalised.  A virtual table's begins otherwise. */
static int check_schema(struct hd_nsys_file *f, struct hd_err *err)
{
	static const char sql[] =
		"SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND sql NOT LIKE 'CREATE TABLE %' "
		"AND sql NOT LIKE 'CREATE INDEX %' AND sql NOT LIKE 'CREATE UNIQUE INDEX %' "
		"AND sql NOT LIKE 'CREATE VIEW %' AND sql NOT LIKE 'CREATE TRIGGER %' LIMIT 1";
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v3(f->sq, sql, -1, SQLITE_PREPARE_NO_VTAB, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		rc = hd_fail(err, HD_EFORMAT, "%s: '%.80s' is a virtual table, which no export of Nsight Systems has",
			f->path, sqlite3_column_text(st, 0) ? (const char *)sqlite3_column_text(st, 0) : "");
	else
		rc = rc == SQLITE_DONE ? 0 : fail(f, err, "its schema cannot be read");
	sqlite3_finalize(st);
	return rc;
}

int hd_nsys_file_open(struct hd_nsys_file **out, int fd, const char *path, struct hd_err *err)
{
	struct hd_nsys_file *f = hd_new(struct hd_nsys_file);
	struct stat st;
	int rc;

	f->fd = fd;
	f->path = path;
	if (fstat(fd, &st) < 0) {
		free(f);
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot be read", path);
	}
	f->bytes = (uint64_t)st.st_size;
	f->most_ticks = (f->bytes * STEPS_PER_BYTE + LEAST_STEPS) / TICK;
	make_vfs(f);
	rc = sqlite3_vfs_register(&f->vfs, 0);
	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2("export", &f->sq,
			SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, f->vfs.zName);
	if (rc != SQLITE_OK) {
		rc = f->sq ? fail(f, err, "SQLite cannot open it") :
			hd_fail(err, HD_EIO, "%s: SQLite cannot open it: %s", path, sqlite3_errstr(rc));
		hd_nsys_file_close(f);
		return rc;
	}
	harden(f->sq);
	sqlite3_progress_handler(f->sq, TICK, on_tick, f);
	rc = check_schema(f, err);
	if (rc >= 0 &&
		sqlite3_exec(f->sq, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY",
			NULL, NULL, NULL) != SQLITE_OK)
		rc = fail(f, err, "it cannot be read");
	if (rc < 0) {
		hd_nsys_file_close(f);
		return rc;
	}
	sqlite3_exec(f->sq, "PRAGMA cache_size = -2048", NULL, NULL, NULL);
	*out = f;
	return 0;
}

void hd_nsys_file_close(struct hd_nsys_file *f)
{
	if (!f)
		return;
	sqlite3_close_v2(f->sq);
	sqlite3_vfs_unregister(&f->vfs);
	for (size_t i = 0; i < WINDOWS; i++)
		free(f->windows[i].bytes);
	free(f);
}

/* ---- tables ---- */

/* Set has[i] to whether the table has columns[i].  Return how many it has. */
static int find_columns(struct hd_nsys_file *f, const char *table, const char *const *columns, size_t n, bool *has)
{
	sqlite3_stmt *st = NULL;
	char *sql = sqlite3_mprintf("PRAGMA table_info(%Q)", table);
	int found = 0;

	memset(has, 0, n * sizeof(*has));
	if (!sql)
		hd_out_of_memory("sqlite");
	if (sqlite3_prepare_v3(f->sq, sql, -1, SQLITE_PREPARE_NO_VTAB, &st, NULL) == SQLITE_OK)
		while (sqlite3_step(st) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(st, 1);

			for (size_t i = 0; name && i < n; i++)
				if (!has[i] && !strcmp(name, columns[i])) {
					has[i] = true;
					found++;
				}
		}
	sqlite3_finalize(st);
	sqlite3_free(sql);
	return found;
}

bool hd_nsys_file_has_table(struct hd_nsys_file *f, const char *table)
{
	static const char sql[] = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
	sqlite3_stmt *st = NULL;
	bool has = false;

	if (sqlite3_prepare_v3(f->sq, sql, -1, SQLITE_PREPARE_NO_VTAB, &st, NULL) == SQLITE_OK) {
		sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
		has = sqlite3_step(st) == SQLITE_ROW;
	}
	sqlite3_finalize(st);
	return has;
}

int hd_nsys_file_scan(struct hd_nsys_file *f, sqlite3_stmt **out, const char *table, const char *const *columns,
	size_t n, const char *rest)
{
	enum { MOST = 24 };
	struct hd_buf sql = { 0 };
	bool has[MOST];
	int found = n > MOST ? 0 : find_columns(f, table, columns, n, has);

	*out = NULL;
	if (!found)
		return 0;
	hd_buf_adds(&sql, "SELECT rowid");
	for (size_t i = 0; i < n; i++)
		if (has[i])
			hd_buf_addf(&sql, ", \"%s\"", columns[i]);
		else
			hd_buf_adds(&sql, ", NULL");
	hd_buf_addf(&sql, " FROM \"%s\" %s", table, rest);
	/* A view, or a table without rowids, fails here. */
	if (sqlite3_prepare_v3(f->sq, sql.data, -1, SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB, out,
			       NULL) != SQLITE_OK) {
		*out = NULL;
		found = 0;
	}
	hd_buf_release(&sql);
	return found;
}

int hd_nsys_file_step(struct hd_nsys_file *f, sqlite3_stmt *st, const char *table, struct hd_err *err)
{
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:	return 1;
	case SQLITE_DONE:	return 0;
	default:		return fail(f, err, table);
	}
}
