/*
 * sqlite_open.c - open an SQLite database and restrict what it and the user's statements may do
 *
 * The file may be hostile, so it is opened in defensive mode: no triggers, no functions with side effects in the
 * schema, no double-quoted strings, cell sizes checked, every statement limited in time except the checks of
 * sqlite_check.c.  An authorizer allows the statements of the user to read and nothing else.
 *
 * A writer takes the write lock when its transaction begins.  It gives up if no other writer makes progress for
 * busy_ms, or after PATIENCE * busy_ms in any case.  Readers never wait (WAL).
 */
#include "base/file.h"
#include "base/mem.h"
#include "db/sqlite.h"
#include "db/sqlite_untrusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK = 1000,			/* virtual machine steps between checks of the deadline */
	PATIENCE = 20,			/* the longest wait for other writers, as a multiple of busy_ms */
	/*
	 * like TICK, but for a user's statement: the deadline is checked more often, because one step can take long
	 * (printf() of a gigabyte in SQL)
	 */
	QUERY_TICK = 10,
	MAX_CELL = 256 << 20,		/* bytes of one value */
	/* limits for statements of the user: bytes of one value, of the SQL text, and of SQLite's heap */
	QUERY_CELL = 64 << 20,
	QUERY_SQL = 1 << 20,
	QUERY_HEAP = 512 << 20,
	LEAST_CELL = 16 << 20,		/* a value may have this size even if the file is smaller */
	/*
	 * SQLite's heap for a statement of the user: LEAST_HEAP + HEAP_PER_BYTE times the size of the database, but at
	 * most QUERY_HEAP
	 */
	LEAST_HEAP = 128 << 20, HEAP_PER_BYTE = 16,
};

/*
 * Size of the page cache of a writer, in KiB; negative, because the pragma requires this for KiB.  A run changes most
 * pages that the index hotspot_by_era has for the 32 runs of its era.  Pages that do not fit into the cache are written
 * twice.
 */
#define WRITE_CACHE "-32768"

/* ---- limits ---- */

static int on_tick(void *arg)
{
	const struct hd_sqlite *db = arg;

	return hd_sqlite_now_ms() > db->deadline_ms;
}

/* Return true if `word` is one of the pragmas that only report, which the user may run. */
static bool is_reading_pragma(const char *word)
{
	static const char *const words[] = { "table_info", "table_xinfo", "table_list", "index_list", "index_info",
		"foreign_key_list", "integrity_check", "quick_check", "foreign_key_check" };

	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (!strcasecmp(word, words[i]))
			return true;
	return false;
}

static int authorize(void *arg, int action, const char *a, const char *b, const char *schema, const char *inner)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && (!strcasecmp(b, "load_extension") || !strcasecmp(b, "fts3_tokenizer")) ? SQLITE_DENY
												   : SQLITE_OK;
	case SQLITE_PRAGMA:
		return a && is_reading_pragma(a) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static void harden(sqlite3 *sq)
{
	static const struct hd_sqlite_limits limits = { .cell_bytes = MAX_CELL, .views = true };

	hd_sqlite_harden(sq, &limits);
}

static uint64_t bytes_of(const struct hd_sqlite *db)
{
	const char *const paths[] = { db->head.name, db->wal };
	uint64_t bytes = 0;
	struct stat st;

	for (int i = 0; i < 2; i++)
		if (stat(paths[i], &st) == 0)
			bytes += (uint64_t)st.st_size;
	return bytes;
}

/*
 * Limit the length of a value to the size of the file, but not below LEAST_CELL and not above MAX_CELL.  A value that
 * hotdrift stores is never longer than the file, because it is in the file.  A hostile schema can compute longer
 * values, so tables with computed columns or long defaults are rejected.  Views are allowed, because only statements of
 * the user read them.
 */
static int bound_values(struct hd_sqlite *db, struct hd_err *err)
{
	static const char computed[] =
		"SELECT m.name FROM sqlite_master m JOIN pragma_table_xinfo(m.name) x WHERE m.type = 'table' "
		"AND (x.hidden > 1 OR length(x.dflt_value) > 64) LIMIT 1";
	uint64_t bytes = bytes_of(db);
	sqlite3_stmt *st = NULL;
	int rc;

	sqlite3_limit(db->sq, SQLITE_LIMIT_LENGTH,
		bytes < LEAST_CELL         ? LEAST_CELL
			: bytes < MAX_CELL ? (int)bytes
					   : MAX_CELL);
	rc = sqlite3_prepare_v2(db->sq, computed, -1, &st, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		rc = hd_fail(err, HD_EIO,
			"%s: table %.60s has computed columns or long defaults, which hotdrift never creates",
			db->head.name, (const char *)sqlite3_column_text(st, 0));
	else
		rc = rc == SQLITE_DONE ? 0 : hd_sqlite_fail(db, rc, err);
	sqlite3_finalize(st);
	return rc;
}

static void bound_query(struct hd_sqlite *db)
{
	sqlite3 *sq = db->sq;
	uint64_t heap = LEAST_HEAP + HEAP_PER_BYTE * bytes_of(db);

	if (sqlite3_limit(sq, SQLITE_LIMIT_LENGTH, -1) > QUERY_CELL)
		sqlite3_limit(sq, SQLITE_LIMIT_LENGTH, QUERY_CELL);
	sqlite3_limit(sq, SQLITE_LIMIT_SQL_LENGTH, QUERY_SQL);
	sqlite3_limit(sq, SQLITE_LIMIT_EXPR_DEPTH, 200);
	sqlite3_limit(sq, SQLITE_LIMIT_COMPOUND_SELECT, 100);
	sqlite3_limit(sq, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
	sqlite3_hard_heap_limit64(
		/* SQLite's heap limit applies to the whole process, but this process does nothing besides the query */
		(int64_t)(heap < QUERY_HEAP ? heap : QUERY_HEAP));
	sqlite3_exec(sq, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL); /* so that sorting counts against the limit */
	sqlite3_set_authorizer(sq, authorize, NULL);
}

/* ---- waiting ---- */

static struct hd_sqlite_file_state file_state(const struct hd_sqlite *db)
{
	const char *const paths[] = { db->head.name, db->wal };
	struct hd_sqlite_file_state state = { 0 };
	struct stat st;

	for (int i = 0; i < 2; i++) {
		if (stat(paths[i], &st) < 0)
			continue;
		state.mtime_ns[i] = hd_file_mtime_ns(&st);
		state.bytes[i] = st.st_size;
	}
	return state;
}

/*
 * SQLite calls this after each failed attempt to get a lock.  `count` is 0 after the first failure of a wait.  Returns
 * 1, after a sleep, if SQLite must try again; or 0 if it must give up.
 */
static int on_busy(void *arg, int count)
{
	static const unsigned char nap_ms[] = { 1, 2, 3, 5, 8, 10, 15, 20, 25 };
	struct hd_sqlite *db = arg;
	struct hd_sqlite_file_state state = file_state(db);
	int64_t now = hd_sqlite_now_ms();
	struct timespec nap = { 0,
		1000000L * nap_ms[(size_t)count < HD_COUNT(nap_ms) ? (size_t)count : HD_COUNT(nap_ms) - 1] };

	if (!count)
		db->wait_start_ms = now;
	if (!count || memcmp(&state, &db->last, sizeof(state)))
		db->idle_since_ms = now;
	db->last = state;
	if (now - db->idle_since_ms >= db->busy_ms || now - db->wait_start_ms >= (int64_t)db->busy_ms * PATIENCE)
		return 0;
	nanosleep(&nap, NULL);
	return 1;
}

/* ---- opening ---- */

/* Under sudo a new file or folder belongs to the user that called sudo. */
static void give_to_caller(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");

	if (geteuid() == 0 && uid && gid &&
		fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10)) < 0)
		return;		/* not an error: the file then belongs to root */
}

/*
 * Create the folder of the file `path`, but not the parents of this folder.  Callers request this for paths that are
 * configured, and not for those of --db, in which a missing folder is probably a typo.
 */
static int make_folder(const char *path, struct hd_err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash && slash > path ? hd_strndup(path, (size_t)(slash - path)) : NULL;
	bool made;
	int fd, rc = 0;

	if (!folder || access(folder, F_OK) == 0)
		goto out;
	rc = hd_outfolder_make(folder, &made, err);
	if (rc < 0 || !made)
		goto out;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		give_to_caller(fd);
		close(fd);
	}
out:
	free(folder);
	return rc;
}

/*
 * Create the database of a writer if it does not exist, with mode 0600.  hd_outplace_find() rejects a path through a
 * symbolic link that another user put into a folder that everybody can write.  SQLite gives -wal and -shm the owner and
 * mode of the database.
 */
static int create(const char *path, bool folder, struct hd_err *err)
{
	struct hd_outplace place;
	int fd, rc;

	rc = folder ? make_folder(path, err) : 0;
	if (rc < 0)
		return rc;
	rc = hd_outplace_find(&place, path, err);
	if (rc > 0)
		hd_outplace_release(&place);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	fd = openat(place.dir, place.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0 && errno != EEXIST)	/* EEXIST: another writer was first */
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot create the database", path);
	hd_outplace_release(&place);
	if (fd >= 0) {
		give_to_caller(fd);
		close(fd);
	}
	return rc;
}

/* Fail if an output of this call would replace the database, or a file that SQLite keeps beside it. */
static int check_outputs(const char *path, struct hd_err *err)
{
	static const char *const beside[] = { "", "-wal", "-shm", "-journal" };
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(beside) && rc >= 0; i++) {
		struct hd_buf name = { 0 };

		hd_buf_addf(&name, "%s%s", path, beside[i]);
		rc = hd_output_check_input(name.data, -1, err);
		hd_buf_release(&name);
	}
	return rc;
}

static int prepare_path(const char *path, const struct hd_db_opts *o, struct hd_err *err)
{
	struct stat st;
	bool exists;
	int rc = check_outputs(path, err);

	if (rc < 0)
		return rc;
	exists = stat(path, &st) == 0;
	if (exists && !S_ISREG(st.st_mode))
		return hd_fail(err, HD_EIO, "%s: not a regular file", path);
	if (!exists && errno != ENOENT)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot open the database", path);
	if (o->mode == HD_DB_WRITE)
		return create(path, o->make_folder, err);
	return exists
		? 0
		: hd_fail(err, HD_EIO,
			  "%s: no database yet; see 'hotdrift add --help' to create one, or name another with --db",
			  path);
}

/*
 * Return the URI file:...?immutable=1, with which SQLite reads a WAL database in a folder in which -wal and -shm cannot
 * be created.
 */
static char *immutable_uri(const char *path)
{
	struct hd_buf uri = { 0 };

	hd_buf_adds(&uri, "file:");
	for (const char *c = path; *c; c++) {
		if (strchr("?#%", *c))
			hd_buf_addf(&uri, "%%%02x", (unsigned)*c);
		else
			hd_buf_addc(&uri, *c);
	}
	hd_buf_adds(&uri, "?immutable=1");
	return hd_buf_take(&uri);
}

static int open_file(struct hd_sqlite *db, const char *path, int flags)
{
	/* Prefix the path, so that SQLite never takes it for a URI or for ":memory:". */
	struct hd_buf full = { 0 };
	int rc;

	if (!(flags & SQLITE_OPEN_URI))
		hd_buf_adds(&full, *path == '/' ? "" : "./");
	hd_buf_adds(&full, path);
	rc = sqlite3_open_v2(full.data, &db->sq, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	hd_buf_release(&full);
	if (rc != SQLITE_OK)
		return rc;
	harden(db->sq);
	sqlite3_busy_handler(db->sq, on_busy, db);
	sqlite3_progress_handler(db->sq, TICK, on_tick, db);
	db->deadline_ms = hd_sqlite_now_ms() + db->limit_ms + db->busy_ms;
	return SQLITE_OK;
}

/* The first read fails if the file is not a database. */
static int first_read(struct hd_sqlite *db)
{
	return sqlite3_exec(db->sq, "PRAGMA schema_version", NULL, NULL, NULL);
}

/*
 * A connection that is opened read-only does not remove -wal and -shm when it closes.  So readers open the file for
 * writing if they can, and are restricted by PRAGMA query_only and, for statements of the user, by the authorizer.
 */
static int open_reading(struct hd_sqlite *db, const char *path)
{
	char *uri;
	int rc;

	rc = open_file(db, path, SQLITE_OPEN_READWRITE);
	if (rc == SQLITE_OK)
		rc = first_read(db);
	if (((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY) || hd_sqlite_has_wal(path))
		return rc;
	sqlite3_close_v2(db->sq);
	uri = immutable_uri(path);
	rc = open_file(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return rc == SQLITE_OK ? first_read(db) : rc;
}

/* Switching to WAL needs an exclusive lock.  SQLite does not call the busy handler for it, so this function does. */
static int set_wal(struct hd_sqlite *db)
{
	int rc;

	for (int count = 0; (rc = sqlite3_exec(db->sq, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) == SQLITE_BUSY &&
		on_busy(db, count);
		count++)
		;
	return rc;
}

static int open_writing(struct hd_sqlite *db, const char *path)
{
	int rc;

	rc = open_file(db, path, SQLITE_OPEN_READWRITE);
	if (rc == SQLITE_OK)
		rc = first_read(db);
	if (rc == SQLITE_OK && sqlite3_db_readonly(db->sq, "main") == 1)
		rc = SQLITE_READONLY;
	/*
	 * synchronous = EXTRA matters before the database is in WAL mode (where it equals FULL): the rollback journal
	 * of the first page must be deleted durably before runs are added.
	 */
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db->sq,
			"PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; "
			"PRAGMA cache_size = " WRITE_CACHE,
			NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = set_wal(db);
	return rc;
}

int hd_sqlite_open_memory(struct hd_db **out, struct hd_err *err)
{
	struct hd_sqlite *db = hd_new(struct hd_sqlite);
	int rc = sqlite3_open_v2(":memory:", &db->sq, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		NULL);

	db->head.be = &hd_sqlite_backend;
	db->head.name = hd_strdup("memory");
	db->busy_ms = HD_DB_BUSY_MS;
	db->limit_ms = HD_DB_LIMIT_MS;
	if (rc == SQLITE_OK) {
		harden(db->sq);
		*out = &db->head;
		return 0;
	}
	rc = hd_sqlite_fail(db, rc, err);
	hd_db_close(&db->head);
	return rc;
}

int hd_sqlite_open(struct hd_db **out, const struct hd_db_opts *o, struct hd_err *err)
{
	struct hd_buf wal = { 0 };
	struct hd_sqlite *db;
	int rc;

	rc = prepare_path(o->url, o, err);
	if (rc < 0)
		return rc;
	db = hd_new(struct hd_sqlite);
	db->head.be = &hd_sqlite_backend;
	db->head.name = hd_strdup(o->url);
	hd_buf_addf(&wal, "%s-wal", o->url);
	db->wal = hd_buf_take(&wal);
	db->busy_ms = o->busy_ms;
	db->limit_ms = o->limit_ms;
	rc = o->mode == HD_DB_WRITE ? open_writing(db, o->url) : open_reading(db, o->url);
	if (rc == SQLITE_OK && o->mode != HD_DB_WRITE)
		rc = sqlite3_exec(db->sq, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		rc = hd_sqlite_fail(db, rc, err);
	else if (o->mode != HD_DB_WRITE)
		rc = bound_values(db, err);
	if (rc < 0) {
		hd_db_close(&db->head);
		return rc;
	}
	/* Only statements of the user read views. */
	if (o->mode == HD_DB_READ)
		sqlite3_db_config(db->sq, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	if (o->mode == HD_DB_QUERY) {
		bound_query(db);
		sqlite3_progress_handler(db->sq, QUERY_TICK, on_tick, db);
	}
	*out = &db->head;
	return 0;
}
