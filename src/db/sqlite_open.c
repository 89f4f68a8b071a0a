/*
 * sqlite_open.c - opening an SQLite database, and what it and its users may not do
 *
 * The file may come from anybody, so it is opened in defensive mode: no triggers, no
 * functions with side effects from inside the schema, no double-quoted strings, cell
 * sizes checked, every statement bounded in time.  A statement of the user also
 * passes an authorizer that lets nothing but reading through.
 *
 * Writers take the write lock when they begin and wait for it: as long as other writers get on
 * with their work, and a bounded time when none does.  Readers never wait (WAL).
 */
#include "base/file.h"
#include "base/mem.h"
#include "db/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK = 1000,			/* virtual machine steps between looks at the clock */
	PATIENCE = 20,			/* times busy_ms, however busy it is */
	QUERY_TICK = 10,		/* one step of a stranger's may be printf of a gigabyte */
	MAX_CELL = 256 << 20,		/* bytes of one value */
	QUERY_CELL = 64 << 20,
	QUERY_SQL = 1 << 20,
	QUERY_HEAP = 512 << 20,
	LEAST_CELL = 16 << 20,		/* of a small file */
	LEAST_HEAP = 128 << 20, HEAP_PER_BYTE = 16,
};

/* KiB, negative.  A run of a thousand symbols changes as many pages of the index by symbol, and what the cache cannot hold is written twice. */
#define WRITE_CACHE "-32768"

/* ---- limits ---- */

static int on_tick(void *arg)
{
	const struct hd_sqlite *db = arg;

	return hd_sqlite_now_ms() > db->deadline_ms;
}

/* Words that tell about the schema and change nothing. */
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
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_limit(sq, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(sq, SQLITE_LIMIT_LENGTH, MAX_CELL);
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
 * What hotdrift stores it has written into tables, each value once, so that no value that is read is longer than the
 * file.  A view, a computed column or a long default makes values that are in no file.
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
			"%s: table %.60s has computed columns or long defaults, which hotdrift does not make",
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
		(int64_t)(heap < QUERY_HEAP ? heap : QUERY_HEAP)); /* of the process: a query is all that it does */
	sqlite3_exec(sq, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL); /* so that the limit holds for sorting too */
	sqlite3_set_authorizer(sq, authorize, NULL);
}

/* ---- waiting ---- */

static struct hd_sqlite_file_state look_of(const struct hd_sqlite *db)
{
	const char *const paths[] = { db->head.name, db->wal };
	struct hd_sqlite_file_state look = { 0 };
	struct stat st;

	for (int i = 0; i < 2; i++) {
		if (stat(paths[i], &st) < 0)
			continue;
		look.mtime_ns[i] = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		look.bytes[i] = st.st_size;
	}
	return look;
}

/* The count-th time that a lock is not to be had: 1 after a nap, 0 to give up. */
static int on_busy(void *arg, int count)
{
	static const unsigned char nap_ms[] = { 1, 2, 3, 5, 8, 10, 15, 20, 25 };
	struct hd_sqlite *db = arg;
	struct hd_sqlite_file_state look = look_of(db);
	int64_t now = hd_sqlite_now_ms();
	struct timespec nap = { 0,
		1000000L * nap_ms[(size_t)count < HD_COUNT(nap_ms) ? (size_t)count : HD_COUNT(nap_ms) - 1] };

	if (!count)
		db->waits_since_ms = now;
	if (!count || memcmp(&look, &db->look, sizeof(look)))
		db->stuck_since_ms = now;
	db->look = look;
	if (now - db->stuck_since_ms >= db->busy_ms || now - db->waits_since_ms >= (int64_t)db->busy_ms * PATIENCE)
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
		return;		/* it works without, just not for the caller alone */
}

/* Create the last folder of `path`.  The caller requests it for default paths only: elsewhere an absent folder is a typing error. */
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
 * Create the database of a writer if there is none; refuse one that is found through a link of another user.  Only its owner
 * can read a new database.  SQLite gives -wal and -shm the owner and mode of the database.
 */
static int settle(const char *path, bool folder, struct hd_err *err)
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

static int look_at(const char *path, const struct hd_db_opts *o, struct hd_err *err)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	if (exists && !S_ISREG(st.st_mode))
		return hd_fail(err, HD_EIO, "%s: not a regular file, so no database", path);
	if (!exists && errno != ENOENT)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot open the database", path);
	if (o->mode == HD_DB_WRITE)
		return settle(path, o->make_folder, err);
	return exists
		? 0
		: hd_fail(err, HD_EIO,
			  "%s: no database yet; 'hotdrift add --help' tells how to make it (--db names another)", path);
}

/* file:...?immutable=1, for a WAL database in a folder where its side files cannot be made. */
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

static bool has_wal(const char *path)
{
	struct hd_buf wal = { 0 };
	struct stat st;
	bool has;

	hd_buf_addf(&wal, "%s-wal", path);
	has = stat(wal.data, &st) == 0 && st.st_size > 0;
	hd_buf_release(&wal);
	return has;
}

static int open_file(struct hd_sqlite *db, const char *path, int flags)
{
	/* Never a URI or a word with a meaning of its own (":memory:"), whatever the path is. */
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

/* The first read tells whether it is a database at all. */
static int first_read(struct hd_sqlite *db)
{
	return sqlite3_exec(db->sq, "PRAGMA schema_version", NULL, NULL, NULL);
}

/*
 * A connection that is opened read-only leaves its side files (-wal, -shm) behind.  So
 * it may write, if the file lets it, and is told not to: PRAGMA query_only, and for
 * statements of others the authorizer too.
 */
static int open_reading(struct hd_sqlite *db, const char *path)
{
	char *uri;
	int rc;

	rc = open_file(db, path, SQLITE_OPEN_READWRITE);
	if (rc == SQLITE_OK)
		rc = first_read(db);
	if (((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY) || has_wal(path))
		return rc;
	sqlite3_close_v2(db->sq);
	uri = immutable_uri(path);
	rc = open_file(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return rc == SQLITE_OK ? first_read(db) : rc;
}

/* Going over to WAL needs the file alone for a moment, and SQLite does not wait for that by itself. */
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
	/* Of WAL it is FULL; but the journal of the file's first page must be gone for good before runs are added. */
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

	rc = look_at(o->url, o, err);
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
	/* Views are for queries of the user; no other command reads one. */
	if (o->mode == HD_DB_READ)
		sqlite3_db_config(db->sq, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	if (o->mode == HD_DB_QUERY) {
		bound_query(db);
		sqlite3_progress_handler(db->sq, QUERY_TICK, on_tick, db);
	}
	*out = &db->head;
	return 0;
}
