/*
 * history_test.h - make a folder for one test, a database in it, and a run to add
 *
 * With HD_TEST_PG=postgresql://...?... each test's database is a new schema on that server (tests/run-pg.sh starts
 * one). The same tests must pass with both.
 */
#ifndef HD_TESTS_UNIT_HISTORY_HISTORY_TEST_H
#define HD_TESTS_UNIT_HISTORY_HISTORY_TEST_H

#include "test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "history/run.h"
#include "db/schema.h"
#include "history/run_add.h"
#include "trust/journal.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char dir[512];
	char db[600];
};

/* Return the URL of the server, or NULL if the database is an SQLite file. */
static inline const char *on_server(void)
{
	return getenv("HD_TEST_PG");
}

/* Skip a test of properties that only an SQLite file has. */
#define ONLY_SQLITE()			\
	do {				\
		if (on_server())	\
			skip();		\
	} while (0)

/* Disable foreign keys, so that a test can delete rows that others refer to. */
static inline void forget_references(struct hd_db *db)
{
	struct hd_err err = { 0 };

	EXPECT_INT(hd_db_exec(db, on_server() ? "SET session_replication_role = replica" : "PRAGMA foreign_keys = OFF",
			   &err),
		0);
}

static inline void make_schema(struct place *p)
{
	static int n;
	const struct hd_db_opts o = { .url = on_server(), .mode = HD_DB_WRITE };
	struct hd_err err = { 0 };
	struct hd_db *db;
	char sql[80];

	EXPECT_INT(hd_db_open(&db, &o, &err), 0);
	snprintf(sql, sizeof(sql), "CREATE SCHEMA t_%d_%d", (int)getpid(), ++n);
	EXPECT_INT(hd_db_exec(db, sql, &err), 0);
	hd_db_close(db);
	snprintf(p->db, sizeof(p->db), "%s&options=-csearch_path%%3Dt_%d_%d", on_server(), (int)getpid(), n);
}

static inline struct place place_new(void)
{
	const char *tmp = getenv("TMPDIR");
	struct place p;

	snprintf(p.dir, sizeof(p.dir), "%s/hd-store-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	EXPECT(mkdtemp(p.dir) != NULL);
	snprintf(p.db, sizeof(p.db), "%s/h.db", p.dir);
	if (on_server())
		make_schema(&p);
	return p;
}

static inline int place_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static inline void place_remove(struct place *p)
{
	chmod(p->dir, 0700);
	nftw(p->dir, place_unlink, 8, FTW_DEPTH | FTW_PHYS);
}

static inline int open_as(struct hd_db **db, const char *path, enum hd_db_mode mode, unsigned busy_ms,
	struct hd_err *err)
{
	const struct hd_db_opts o = { .url = path, .mode = mode, .busy_ms = busy_ms };
	int rc = hd_db_open(db, &o, err);

	if (rc < 0)
		return rc;
	rc = mode == HD_DB_WRITE ? hd_journal_apply_schema(*db, err) : hd_schema_check(*db, err);
	if (rc < 0)
		hd_db_close(*db);
	return rc;
}

static inline struct hd_db *must_open(const char *path, enum hd_db_mode mode)
{
	struct hd_err err = { 0 };
	struct hd_db *db = NULL;
	int rc = open_as(&db, path, mode, 0, &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return db;
}

static inline void must_exec(struct hd_db *db, const char *sql)
{
	struct hd_err err = { 0 };
	int rc = hd_db_exec(db, sql, &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
}

static inline int64_t count(struct hd_db *db, const char *sql)
{
	struct hd_err err = { 0 };
	int64_t n;
	int rc = hd_db_query_int(db, &n, -1, &err, sql, "");

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return n;
}

/*
 * Return the first column of the first row of a query, which the caller frees; NULL if the value is NULL or there is
 * no row.
 */
static inline char *text_of(struct hd_db *db, const char *sql)
{
	struct hd_db_rows r;
	struct hd_err err = { 0 };
	char *text = NULL;
	int rc = hd_db_query(&r, db, &err, sql, "");

	if (rc >= 0)
		rc = hd_db_next(&r, &err);
	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT(rc >= 0);
	if (rc > 0)
		text = hd_col_text(&r, 0);
	hd_db_end(&r);
	return text;
}

#define EXPECT_TEXT(db, sql, want)			\
	do {						\
		char *got_ = text_of(db, sql);		\
		EXPECT_STR(got_, want);			\
		free(got_);				\
	} while (0)

/* Expect an intact file with valid references between rows.  A server enforces them, so only SQLite is checked. */
static inline void expect_sound(struct hd_db *db)
{
	if (on_server())
		return;
	EXPECT_TEXT(db, "PRAGMA integrity_check", "ok");
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM pragma_foreign_key_check"), 0);
}

/* ---- a run: two functions of one program and an address in the kernel, 100 cycles ---- */

static const struct hd_run_hotspot sample_hotspots[] = {
	{ .object = "/opt/app/bin/serve",
		.build_id = "a1b2c3d4",
		.linkage = "_Z9parse_rowv",
		.name = "parse_row",
		.has_vaddr = true,
		.vaddr = 0x401000,
		.self = 60,
		.total = 60,
		.samples = 6 },
	{ .object = "/opt/app/bin/serve",
		.build_id = "a1b2c3d4",
		.linkage = "decode.part.0",
		.name = "decode.part.0",
		.has_vaddr = true,
		.vaddr = 0x402000,
		.self = 30,
		.total = 90,
		.samples = 3 },
	{ .object = "[kernel.kallsyms]",
		.kernel = true,
		.has_vaddr = true,
		.vaddr = 0xffffffff81000123,
		.self = 10,
		.total = 10,
		.samples = 1 },
};

static const struct hd_run_event sample_event = {
	.name = "cycles:u", .unit = "cycles", .samples = 10, .weight = 100, .lost = 2,
	.hotspots = sample_hotspots, .nhotspots = 3, .folded = "main;decode;parse_row 60\n", .folded_len = 25,
};

static inline struct hd_run sample_run(void)
{
	return (struct hd_run){
		.recorded = 1792764062,		/* 2026-10-23T14:01:02Z */
		.target = "serve", .mode = "cpu", .status = "ok", .exit_status = -1, .inline_mode = "no-inline",
		.read = 11, .kept = 10, .events = &sample_event, .nevents = 1,
	};
}

/* The parts of full_run(), a run with all optional members. */
static const struct hd_run_stat sample_stats[] = {
	{ .name = "n", .value = 4 }, { .name = "p95", .value = 300, .has_interval = true, .lo = 110, .hi = 300.5 },
};

static const struct hd_run_series sample_series[] = {
	{ .kind = "latency",
		.name = "wall_time_us",
		.unit = "us",
		.samples = 4,
		.csv = "wall_time_us\n1\n",
		.csv_len = 15,
		.stats = sample_stats,
		.nstats = 2 },
	{ .kind = "other", .name = "a\n'); DROP TABLE run;--\xff", .unit = "1", .samples = 0 },
};

static const struct hd_rate sample_rate = {
	.frequency_hz = 999, .recorded = true, .throttled = 3, .unthrottled = 2, .silent = 0.03125, .enabled_ns = 8000,
	.running_ns = 7000,
	.call_graph = "dwarf", .stack_bytes = 8192,
};

static inline struct hd_run full_run(void)
{
	static struct hd_run_event event;
	struct hd_run run = sample_run();

	event = sample_event;
	event.rate = sample_rate;
	run.events = &event;
	run.work = 2.5;
	run.selection = "--comm='a\n\xff'";
	run.side = "base";
	run.session = "job 7";
	run.variables = "+HARDENED=1\n HOME\n";
	run.compiler = "GNU C17 12.2.0 -O2";
	run.has_load = true;
	run.load_average = 0.5;
	run.series = sample_series;
	run.nseries = 2;
	return run;
}

static inline struct hd_run_ticket must_add(struct hd_db *db, const struct hd_run *run)
{
	struct hd_run_ticket ticket;
	struct hd_err err = { 0 };
	int rc = hd_run_add(db, run, &ticket, &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return ticket;
}

#endif
