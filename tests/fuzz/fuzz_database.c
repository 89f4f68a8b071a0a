/*
 * fuzz_database.c - read a damaged database with all functions that read databases
 *
 * A database with two runs is made once.  The input is a list of patches: an offset (4 bytes), a length (1 byte), the
 * new bytes.  A length of 0 truncates the file at the offset.
 *
 * Invariants: the database is rejected with a message, or all results are within their bounds; a blob that is returned
 * matches its key.
 */
#include "gate/judge.h"
#include "db/blob.h"
#include "trust/chain.h"
#include "history/hotspot_changes.h"
#include "history/run_load.h"
#include "history/run.h"
#include "db/schema.h"
#include "history/run_add.h"
#include "history/run_lookup.h"
#include "trust/journal.h"
#include "fuzz/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[] = "/tmp/hd-fuzz-db.XXXXXX";
static uint8_t *sound;		/* the database before the damage */
static size_t sound_n;

static char *path_of(const char *name)
{
	static char path[sizeof(root) + 16];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void clean_up(void)
{
	static const char *const names[] = { "h.db", "h.db-wal", "h.db-shm", "h.db-journal" };

	for (int i = 0; i < 4; i++)
		unlink(path_of(names[i]));
	rmdir(root);
	free(sound);
}

static void add(struct hd_db *db, int64_t recorded, const char *folded)
{
	static const struct hd_run_hotspot spots[] = {
		{ .object = "/x/app",
			.build_id = "abcd",
			.linkage = "_Z4workv",
			.name = "work",
			.has_vaddr = true,
			.vaddr = 0x1000,
			.self = 6000,
			.total = 9000,
			.samples = 600 },
		{ .object = "[kernel.kallsyms]",
			.kernel = true,
			.has_vaddr = true,
			.vaddr = UINT64_C(0xffffffff81000123),
			.self = 3000,
			.total = 3000,
			.samples = 300 },
	};
	struct hd_run_event e = { .name = "cycles",
		.unit = "cycles",
		.samples = 900,
		.weight = 9000,
		.hotspots = spots,
		.nhotspots = 2,
		.folded = folded,
		.folded_len = strlen(folded) };
	struct hd_run run = { .recorded = recorded, .target = "serve", .mode = "cpu", .status = "ok", .exit_status = -1,
			      .inline_mode = "no-inline", .read = 900, .kept = 900, .events = &e, .nevents = 1 };
	struct hd_run_ticket ticket;
	struct hd_err err;

	if (hd_run_add(db, &run, &ticket, &err) < 0)
		abort();
}

static void set_up(void)
{
	struct hd_db_opts o = { .url = path_of("h.db"), .mode = HD_DB_WRITE };
	struct hd_db *db;
	struct hd_err err;
	struct stat st;
	int fd;

	if (!mkdtemp(root))
		abort();
	o.url = path_of("h.db");
	if (hd_db_open(&db, &o, &err) < 0 || hd_journal_apply_schema(db, &err) < 0)
		abort();
	add(db, 1800000000, "app;main;work 6000\n");
	add(db, 1800000100, "app;main;work 7000\n");
	/* Leave no write-ahead log, so that the database is one file. */
	if (hd_db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE", &err) < 0)
		abort();
	hd_db_close(db);
	fd = open(path_of("h.db"), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		abort();
	sound_n = (size_t)st.st_size;
	sound = malloc(sound_n);
	if (!sound || read(fd, sound, sound_n) != (ssize_t)sound_n)
		abort();
	close(fd);
	atexit(clean_up);
}

static void save(const uint8_t *p, size_t n)
{
	int fd = open(path_of("h.db"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		abort();
	close(fd);
}

static int told(int rc, const struct hd_err *err)
{
	if (rc < 0 && !err->msg[0])
		abort();
	return rc;
}

static void blobs(struct hd_db *db, const struct hd_stored_run *p)
{
	for (size_t i = 0; i < p->nevents; i++) {
		struct hd_buf text = { 0 };
		struct hd_err err = { 0 };
		char hex[HD_SHA256_HEX];

		if (p->events[i].stacks && told(hd_blob_get(db, p->events[i].stacks, &text, &err), &err) > 0) {
			hd_sha256_hex(text.data, text.len, hex);
			if (strcmp(hex, p->events[i].stacks))
				abort();
		}
		hd_buf_release(&text);
	}
}

/* Run a gate.  It must give a verdict, or the reason why the runs are not comparable, or an error with a message. */
static void judge(struct hd_db *db)
{
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_comparison c = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err = { 0 };

	o.filter.dir = root;
	o.head = "latest";
	o.base = "latest~1";
	o.gate = o.test_equal_builds = true;
	if (told(hd_judge(&c, db, &o, &log, &err), &err) >= 0) {
		if (c.verdict == HD_SHIFT || (c.verdict == HD_NOT_COMPARABLE && !c.reason[0]) ||
			c.failed > c.nrows + c.nseries)
			abort();
		hd_judge_release(&c);
	}
	hd_log_release(&log);
}

static void ask(struct hd_db *db)
{
	struct hd_err err = { 0 };
	struct hd_stored_run p[2] = { 0 };
	struct hd_hotspot_changes c = { 0 };
	struct hd_chain_walk walked;
	int64_t *rows = NULL, row;
	size_t n = 0, loaded = 0;

	if (told(hd_schema_check(db, &err), &err) < 0)
		return;
	if (told(hd_run_lookup_list(db, NULL, 100, &rows, &n, &err), &err) >= 0 && n > 100)
		abort();
	for (size_t i = 0; i < n && i < 4 && loaded < 2; i++) {
		err.msg[0] = '\0';
		if (told(hd_run_load(&p[loaded], db, rows[i], 20, &err), &err) < 0) {
			hd_run_load_release(&p[loaded]);
			continue;
		}
		blobs(db, &p[loaded]);
		for (size_t e = 0; e < p[loaded].nevents; e++) {
			if (p[loaded].events[e].nhotspots > 20)
				abort();
			told(hd_run_lookup_previous(db, &p[loaded], e, &row, &err), &err);
		}
		loaded++;
	}
	if (loaded == 2 && p[0].nevents && p[1].nevents &&
		told(hd_hotspot_changes_build(&c, db, &p[1], 0, &p[0], 0, 5, &err), &err) >= 0)
		hd_hotspot_changes_release(&c);
	for (size_t i = 0; i < loaded; i++)
		hd_run_load_release(&p[i]);
	told(hd_run_lookup(db, "latest:serve", &row, &err), &err);
	told(hd_chain_verify(db, NULL, &walked, &err), &err);
	judge(db);
	free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_db_opts o = { .mode = HD_DB_READ, .limit_ms = 2000, .busy_ms = 1 };
	struct hd_err err = { 0 };
	struct hd_db *db;
	uint8_t *copy;
	size_t n;

	if (!sound)
		set_up();
	copy = malloc(sound_n);
	if (!copy)
		abort();
	memcpy(copy, sound, sound_n);
	n = fuzz_patch(copy, sound_n, data, size);
	save(copy, n);
	free(copy);
	o.url = path_of("h.db");
	if (told(hd_db_open(&db, &o, &err), &err) < 0)
		return 0;
	ask(db);
	hd_db_close(db);
	return 0;
}
