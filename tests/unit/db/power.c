/*
 * power.c - after a loss of power, all runs that were reported as added exist, and none is
 * incomplete
 *
 * A VFS of SQLite logs every write, truncation, deletion and sync of the database's files while
 * runs are added.  Then the test builds the files as a disk may have them after a loss of power at
 * some moment.  Synced data exists.  Each later write exists, is missing, or exists in some of its
 * sectors, whatever became of the other writes.
 */
#include "unit/history/history_test.h"

#include "trust/chain.h"

#include <fcntl.h>
#include <sqlite3.h>

enum { SECTOR = 512, FILES = 3 };	/* FILES: the database, its -wal and its -journal */
enum kind { WRITE, TRUNCATE, SYNC, DELETE, DELETE_SYNCED, TOLD };

struct op {
	enum kind kind;
	int file;
	int64_t off;		/* offset of a WRITE, new size of a TRUNCATE */
	size_t n;
	uint8_t *data;
};

/* The log of the VFS.  It is global because SQLite passes no context. */
static struct {
	struct op *ops;
	size_t n, cap;
	bool on;
	sqlite3_vfs *real;
} noted;

static void note(enum kind kind, int file, const void *p, size_t n, int64_t off)
{
	struct op *op;

	if (!noted.on || file < 0)
		return;
	HD_GROW(noted.ops, noted.n + 1, noted.cap);
	op = &noted.ops[noted.n++];
	*op = (struct op){ .kind = kind, .file = file, .off = off, .n = n };
	if (n) {
		op->data = hd_alloc(n);
		memcpy(op->data, p, n);
	}
}

/* ---- the VFS ---- */

struct noting_file {
	sqlite3_file base;
	int file;
	sqlite3_file *real;	/* the file of the default VFS */
};

static const sqlite3_io_methods *real_of(sqlite3_file *f, sqlite3_file **real)
{
	*real = ((struct noting_file *)f)->real;
	return (*real)->pMethods;
}

#define PASS(call)			\
	sqlite3_file *r;		\
	const sqlite3_io_methods *m = real_of(f, &r);	\
	return m->call

static int x_close(sqlite3_file *f) { PASS(xClose(r)); }
static int x_read(sqlite3_file *f, void *p, int n, sqlite3_int64 off) { PASS(xRead(r, p, n, off)); }
static int x_size(sqlite3_file *f, sqlite3_int64 *n) { PASS(xFileSize(r, n)); }
static int x_lock(sqlite3_file *f, int l) { PASS(xLock(r, l)); }
static int x_unlock(sqlite3_file *f, int l) { PASS(xUnlock(r, l)); }
static int x_reserved(sqlite3_file *f, int *out) { PASS(xCheckReservedLock(r, out)); }
static int x_control(sqlite3_file *f, int op, void *arg) { PASS(xFileControl(r, op, arg)); }
static int x_sector(sqlite3_file *f) { PASS(xSectorSize(r)); }
static int x_traits(sqlite3_file *f) { PASS(xDeviceCharacteristics(r)); }
static int x_shm_map(sqlite3_file *f, int i, int n, int w, void volatile **p) { PASS(xShmMap(r, i, n, w, p)); }
static int x_shm_lock(sqlite3_file *f, int off, int n, int flags) { PASS(xShmLock(r, off, n, flags)); }
static int x_shm_unmap(sqlite3_file *f, int del) { PASS(xShmUnmap(r, del)); }

static void x_shm_barrier(sqlite3_file *f)
{
	sqlite3_file *r;

	real_of(f, &r)->xShmBarrier(r);
}

static int x_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 off)
{
	note(WRITE, ((struct noting_file *)f)->file, p, (size_t)n, off);
	PASS(xWrite(r, p, n, off));
}

static int x_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	note(TRUNCATE, ((struct noting_file *)f)->file, NULL, 0, n);
	PASS(xTruncate(r, n));
}

static int x_sync(sqlite3_file *f, int flags)
{
	sqlite3_file *r;
	int rc = real_of(f, &r)->xSync(r, flags);

	note(SYNC, ((struct noting_file *)f)->file, NULL, 0, 0);
	return rc;
}

static const sqlite3_io_methods noting_methods = {
	2, x_close, x_read, x_write, x_truncate, x_sync, x_size, x_lock, x_unlock, x_reserved, x_control, x_sector,
	x_traits, x_shm_map, x_shm_lock,
	x_shm_barrier, x_shm_unmap, NULL, NULL,
};

static int file_of(const char *name)
{
	static const char *const ends[FILES] = { "/h.db", "/h.db-wal", "/h.db-journal" };

	for (int i = 0; name && i < FILES; i++)
		if (strlen(name) >= strlen(ends[i]) && !strcmp(name + strlen(name) - strlen(ends[i]), ends[i]))
			return i;
	return -1;
}

static int x_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct noting_file *nf = (struct noting_file *)f;
	int rc;

	nf->real = (sqlite3_file *)(nf + 1);
	nf->file = file_of(name);
	rc = noted.real->xOpen(noted.real, name, nf->real, flags, out_flags);
	nf->base.pMethods = rc == SQLITE_OK || nf->real->pMethods ? &noting_methods : NULL;
	return rc;
}

static int x_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	note(sync ? DELETE_SYNCED : DELETE, file_of(name), NULL, 0, 0);
	return noted.real->xDelete(noted.real, name, sync);
}

static void install(void)
{
	static sqlite3_vfs vfs;

	noted.real = sqlite3_vfs_find(NULL);
	vfs = *noted.real;
	vfs.zName = "noting";
	vfs.szOsFile = (int)sizeof(struct noting_file) + noted.real->szOsFile;
	vfs.xOpen = x_open;
	vfs.xDelete = x_delete;
	EXPECT_INT(sqlite3_vfs_register(&vfs, 1), SQLITE_OK);
}

/* ---- the runs that are added ---- */

static void add(struct hd_db *db, size_t symbols, int word)
{
	struct hd_run_hotspot *h = hd_new_array(struct hd_run_hotspot, symbols);
	char (*names)[40] = hd_zalloc(symbols, sizeof(*names));
	struct hd_run_event e = { .name = "e",
		.unit = "u",
		.samples = symbols,
		.weight = symbols,
		.hotspots = h,
		.nhotspots = symbols,
		.folded = "main;f 1\n",
		.folded_len = 9 };
	struct hd_run run = sample_run();

	for (size_t i = 0; i < symbols; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%d_%zu", word, i);
		h[i] = (struct hd_run_hotspot){ .object = "/x/app",
			.linkage = names[i],
			.name = names[i],
			.self = 1,
			.total = 1,
			.samples = 1 };
	}
	run.events = &e;
	must_add(db, &run);
	note(TOLD, 0, NULL, 0, 0);
	free(names);
	free(h);
}

/*
 * Add runs as commands do: first one after another, then while a reader is active, then with a writer that checkpoints
 * the write-ahead log.
 */
static void write_history(const char *path)
{
	struct hd_db *db, *reader;

	noted.on = true;
	for (int i = 0; i < 3; i++) {
		db = must_open(path, HD_DB_WRITE);
		add(db, 5, i);
		hd_db_close(db);
	}
	reader = must_open(path, HD_DB_READ);
	for (int i = 0; i < 4; i++) {
		db = must_open(path, HD_DB_WRITE);
		add(db, 20, i);
		hd_db_close(db);
	}
	hd_db_close(reader);
	db = must_open(path, HD_DB_WRITE);
	for (int i = 0; i < 8; i++)
		add(db, i % 2 ? 10 : 900, i);
	hd_db_close(db);
	noted.on = false;
}

/* ---- the files on a disk after a loss of power ---- */

struct content {
	uint8_t *p;
	size_t n, cap;
	bool there;
};

static void put(struct content *c, const uint8_t *p, size_t n, size_t off)
{
	if (off + n > c->cap) {
		c->cap = 2 * (off + n);
		c->p = hd_realloc(c->p, c->cap, 1);
	}
	if (off > c->n)
		memset(c->p + c->n, 0, off - c->n);
	memcpy(c->p + off, p, n);
	c->n = off + n > c->n ? off + n : c->n;
	c->there = true;
}

static void apply(struct content *c, const struct op *op)
{
	switch (op->kind) {
	case WRITE:
		put(c, op->data, op->n, (size_t)op->off);
		break;
	case TRUNCATE:
		c->n = c->n < (size_t)op->off ? c->n : (size_t)op->off;
		break;
	case DELETE:
	case DELETE_SYNCED:
		c->n = 0;
		c->there = false;
		break;
	case SYNC:
	case TOLD:
		break;
	}
}

static void apply_maybe(struct content *c, const struct op *op, unsigned *seed)
{
	int what = rand_r(seed) % 3;

	if (what == 0)
		return;
	if (what == 1 || op->kind != WRITE) {
		apply(c, op);
		return;
	}
	for (size_t at = 0; at < op->n; at += SECTOR)
		if (rand_r(seed) % 2)
			put(c, op->data + at, op->n - at < SECTOR ? op->n - at : SECTOR, (size_t)op->off + at);
}

/*
 * Build the files after the first `end` operations.  Writes before the last sync of their file exist; *seed decides
 * which later writes exist, and which of them only in some sectors.
 */
static void build(struct content *files, size_t end, unsigned *seed)
{
	size_t synced[FILES] = { 0 };

	for (size_t i = 0; i < end; i++)
		if (noted.ops[i].kind == SYNC || noted.ops[i].kind == DELETE_SYNCED)
			synced[noted.ops[i].file] = i;
	for (size_t i = 0; i < end; i++) {
		const struct op *op = &noted.ops[i];

		if (op->kind == TOLD)
			continue;
		if (i <= synced[op->file])
			apply(&files[op->file], op);
		else
			apply_maybe(&files[op->file], op, seed);
	}
}

static void write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	EXPECT(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

static void put_files(const struct place *p, const struct content *files, unsigned *seed)
{
	static const char *const ends[FILES] = { "", "-wal", "-journal" };
	char path[700], garbage[32768];

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s%s", p->db, ends[i]);
		if (files[i].there || i == 0)
			write_file(path, files[i].n ? (const void *)files[i].p : "", files[i].n);
	}
	if (rand_r(seed) % 3)
		return;
	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)rand_r(seed);
	snprintf(path, sizeof(path), "%s-shm", p->db);
	write_file(path, garbage, sizeof(garbage));
}

/* Expect a valid database with all runs that were reported and at most one more, to which runs can be added. */
static void expect_history(const char *path, int64_t told, size_t moment)
{
	struct hd_db *db = must_open(path, HD_DB_WRITE);
	struct hd_run run = sample_run();
	struct hd_chain_walk found;
	struct hd_err err = { 0 };

	expect_sound(db);
	if (hd_chain_verify(db, NULL, &found, &err) < 0)
		print_message("at %zu: %s\n", moment, err.msg);
	EXPECT_INT(err.code, 0);
	if (found.runs != told && found.runs != told + 1)
		print_message("at %zu: %d runs, %d told\n", moment, (int)found.runs, (int)told);
	EXPECT(found.runs == told || found.runs == told + 1);
	EXPECT_INT(
		count(db,
			"SELECT COUNT(*) FROM run WHERE run_id = '' OR NOT EXISTS (SELECT 1 FROM hotspot h WHERE "
			"h.run_id = run.id)"),
		0);
	must_add(db, &run);
	EXPECT_INT(hd_chain_verify(db, NULL, &found, &err), 0);
	hd_db_close(db);
}

TEST(what_was_told_is_there_after_the_power_went_at_any_moment_and_nothing_is_half)
{
	const char *full = getenv("FULL");
	size_t moments = full && *full ? 3000 : SANITIZED ? 50 : 200;
	struct place p = place_new();
	unsigned seed = 11;

	ONLY_SQLITE();
	install();
	write_history(p.db);
	EXPECT(noted.n > 500);
	for (size_t i = 0; i < moments; i++) {
		size_t end = i ? (size_t)rand_r(&seed) % noted.n : noted.n;
		struct content files[FILES] = { 0 };
		struct place q = place_new();
		int64_t told = 0;

		for (size_t k = 0; k < end; k++)
			told += noted.ops[k].kind == TOLD;
		build(files, end, &seed);
		put_files(&q, files, &seed);
		expect_history(q.db, told, end);
		for (int k = 0; k < FILES; k++)
			free(files[k].p);
		place_remove(&q);
	}
	print_message("%zu operations, power lost at %zu moments\n", noted.n, moments);
	for (size_t i = 0; i < noted.n; i++)
		free(noted.ops[i].data);
	free(noted.ops);
	place_remove(&p);
}

TEST_MAIN(RUN(what_was_told_is_there_after_the_power_went_at_any_moment_and_nothing_is_half))
