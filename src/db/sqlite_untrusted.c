/*
 * sqlite_untrusted.c - see sqlite_untrusted.h
 */
#include "db/sqlite_untrusted.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "db/sqlite_fd_vfs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Limits of the number of steps of SQLite's virtual machine, for all statements of a connection together.  A row takes
 * about two steps per column, and at least ten bytes of the file.  If the statements take more steps than a file of
 * this size can need, the pages of the file form a cycle.
 */
enum { TICK = 100000, STEPS_PER_BYTE = 16, LEAST_STEPS = 50 * 1000 * 1000 };

struct hd_sqlite_untrusted {
	sqlite3 *sq;
	struct hd_sqlite_fd_vfs *vfs;
	int fd;
	const char *path;
	const struct hd_sqlite_untrusted_kind *kind;
	uint64_t ticks, most_ticks;
};

void hd_sqlite_harden(sqlite3 *sq, const struct hd_sqlite_limits *limits)
{
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	if (!limits->views)
		sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(sq, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_limit(sq, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(sq, SQLITE_LIMIT_LENGTH, limits->cell_bytes);
	if (limits->sql_bytes)
		sqlite3_limit(sq, SQLITE_LIMIT_SQL_LENGTH, limits->sql_bytes);
}

bool hd_sqlite_has_wal(const char *path)
{
	struct hd_buf wal = { 0 };
	struct stat st;
	bool has;

	hd_buf_addf(&wal, "%s-wal", path);
	has = stat(wal.data, &st) == 0 && st.st_size > 0;
	hd_buf_release(&wal);
	return has;
}

/* ---- opening ---- */

static int on_tick(void *arg)
{
	struct hd_sqlite_untrusted *db = arg;

	return ++db->ticks > db->most_ticks;
}

static int fail(const struct hd_sqlite_untrusted *db, struct hd_err *err, const char *what)
{
	int code = sqlite3_errcode(db->sq);

	if (code == SQLITE_NOMEM)
		hd_out_of_memory("sqlite");
	if (db->ticks > db->most_ticks)
		return hd_fail(err, HD_EFORMAT, "%s: %s: more rows than a file of its size can hold: it is damaged",
			db->path, what);
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return hd_fail(err, HD_EFORMAT, "%s: %s: %s; it is cut off or damaged: %s", db->path, what,
			sqlite3_errmsg(db->sq), db->kind->repair);
	return hd_fail(err, HD_EFORMAT, "%s: %s: %s", db->path, what, sqlite3_errmsg(db->sq));
}

/*
 * Reject virtual tables.  SQLite stores the text of each CREATE statement and normalises its first words, so any text
 * that does not begin like one of the patterns below creates a virtual table.
 */
static int check_schema(struct hd_sqlite_untrusted *db, struct hd_err *err)
{
	static const char sql[] =
		"SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND sql NOT LIKE 'CREATE TABLE %' "
		"AND sql NOT LIKE 'CREATE INDEX %' AND sql NOT LIKE 'CREATE UNIQUE INDEX %' "
		"AND sql NOT LIKE 'CREATE VIEW %' AND sql NOT LIKE 'CREATE TRIGGER %' LIMIT 1";
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v3(db->sq, sql, -1, SQLITE_PREPARE_NO_VTAB, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		rc = hd_fail(err, HD_EFORMAT, "%s: '%.80s' is a virtual table, which %s does not have", db->path,
			sqlite3_column_text(st, 0) ? (const char *)sqlite3_column_text(st, 0) : "", db->kind->what);
	else
		rc = rc == SQLITE_DONE ? 0 : fail(db, err, "its schema cannot be read");
	sqlite3_finalize(st);
	return rc;
}

static int open_connection(struct hd_sqlite_untrusted *db, struct hd_err *err)
{
	int rc = hd_sqlite_fd_vfs_open(db->vfs, &db->sq);

	if (rc != SQLITE_OK)
		return db->sq ? fail(db, err, "SQLite cannot open it") :
			hd_fail(err, HD_EIO, "%s: SQLite cannot open it: %s", db->path, sqlite3_errstr(rc));
	hd_sqlite_harden(db->sq, &db->kind->limits);
	sqlite3_progress_handler(db->sq, TICK, on_tick, db);
	rc = check_schema(db, err);
	if (rc < 0)
		return rc;
	if (sqlite3_exec(db->sq, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY",
			NULL, NULL, NULL) != SQLITE_OK)
		return fail(db, err, "it cannot be read");
	sqlite3_exec(db->sq, "PRAGMA cache_size = -2048", NULL, NULL, NULL);
	return 0;
}

int hd_sqlite_untrusted_open(struct hd_sqlite_untrusted **out, int fd, const char *path,
	const struct hd_sqlite_untrusted_kind *kind, struct hd_err *err)
{
	struct hd_sqlite_untrusted *db = hd_new(struct hd_sqlite_untrusted);
	int rc = hd_sqlite_fd_vfs_new(&db->vfs, fd, path, err);

	db->fd = fd;
	db->path = path;
	db->kind = kind;
	if (rc >= 0) {
		db->most_ticks = (hd_sqlite_fd_vfs_bytes(db->vfs) * STEPS_PER_BYTE + LEAST_STEPS) / TICK;
		rc = open_connection(db, err);
	}
	if (rc < 0) {
		hd_sqlite_untrusted_close(db);
		return rc;
	}
	*out = db;
	return 0;
}

void hd_sqlite_untrusted_close(struct hd_sqlite_untrusted *db)
{
	if (!db)
		return;
	sqlite3_close_v2(db->sq);
	hd_sqlite_fd_vfs_free(db->vfs);
	free(db);
}

bool hd_sqlite_untrusted_lacks_wal(const struct hd_sqlite_untrusted *db)
{
	enum { VERSIONS = 18, WAL = 2 };	/* two bytes of the header: the versions for writing and for reading */
	unsigned char version[2];

	return hd_file_pread(db->fd, version, sizeof(version), VERSIONS, db->path, NULL) == sizeof(version) &&
		version[0] == WAL && version[1] == WAL && hd_sqlite_has_wal(db->path);
}

/* ---- tables ---- */

/* Set has[i] to whether the table has columns[i].  Return how many it has. */
static int find_columns(struct hd_sqlite_untrusted *db, const char *table, const char *const *columns, size_t n,
	bool *has)
{
	sqlite3_stmt *st = NULL;
	char *sql = sqlite3_mprintf("PRAGMA table_info(%Q)", table);
	int found = 0;

	memset(has, 0, n * sizeof(*has));
	if (!sql)
		hd_out_of_memory("sqlite");
	if (sqlite3_prepare_v3(db->sq, sql, -1, SQLITE_PREPARE_NO_VTAB, &st, NULL) == SQLITE_OK)
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

bool hd_sqlite_untrusted_has_table(struct hd_sqlite_untrusted *db, const char *table)
{
	static const char sql[] = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
	sqlite3_stmt *st = NULL;
	bool has = false;

	if (sqlite3_prepare_v3(db->sq, sql, -1, SQLITE_PREPARE_NO_VTAB, &st, NULL) == SQLITE_OK) {
		sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
		has = sqlite3_step(st) == SQLITE_ROW;
	}
	sqlite3_finalize(st);
	return has;
}

int hd_sqlite_untrusted_scan(struct hd_sqlite_untrusted *db, sqlite3_stmt **out, const char *table,
	const char *const *columns, size_t n, const char *rest)
{
	enum { MOST = 24 };
	struct hd_buf sql = { 0 };
	bool has[MOST];
	int found = n > MOST ? 0 : find_columns(db, table, columns, n, has);

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
	if (sqlite3_prepare_v3(db->sq, sql.data, -1, SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB, out,
			       NULL) != SQLITE_OK) {
		*out = NULL;
		found = 0;
	}
	hd_buf_release(&sql);
	return found;
}

int hd_sqlite_untrusted_step(struct hd_sqlite_untrusted *db, sqlite3_stmt *st, const char *table, struct hd_err *err)
{
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:	return 1;
	case SQLITE_DONE:	return 0;
	default:		return fail(db, err, table);
	}
}
