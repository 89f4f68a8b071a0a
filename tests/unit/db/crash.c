/*
 * crash.c - with two writers, a killed writer, a full disk or a held lock, each run is in the database completely or
 * not at all
 */
#include "unit/history/history_test.h"

#include "trust/chain.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/*
 * Check the file, the references between rows, the chain, and that each run is complete.  Returns the number of runs.
 */
static int64_t expect_whole(const char *path)
{
	struct hd_db *db = must_open(path, HD_DB_WRITE);
	struct hd_err err = { 0 };
	struct hd_chain_walk found;

	EXPECT_TEXT(db, "PRAGMA integrity_check", "ok");
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM pragma_foreign_key_check"), 0);
	if (hd_chain_verify(db, NULL, &found, &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(err.code, 0);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM hotspot"), 3 * found.runs);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM run WHERE run_id = '' OR content_hash = ''"), 0);
	hd_db_close(db);
	return found.runs;
}

/* Return the number of rounds: `many` if the environment variable FULL is set, else `few`. */
static int rounds(int few, int many)
{
	const char *full = getenv("FULL");

	return full && *full ? many : few;
}

/*
 * Add n runs in a child process, and exit.  For each run, open the database again, as a command does, and then write
 * one byte to `done` (unless it is negative).
 */
static _Noreturn void add_many(const char *path, int n, int done)
{
	struct hd_run run = sample_run();

	for (int i = 0; i < n; i++) {
		struct hd_run_ticket ticket;
		struct hd_err err = { 0 };
		struct hd_db *db;
		int rc = open_as(&db, path, HD_DB_WRITE, 60000, &err);

		if (rc >= 0) {
			rc = hd_run_add(db, &run, &ticket, &err);
			hd_db_close(db);
		}
		if (rc < 0) {
			fprintf(stderr, "%s\n", err.msg);
			_exit(1);
		}
		if (done >= 0 && write(done, "x", 1) != 1)
			_exit(2);
	}
	_exit(0);
}

TEST(two_writers_at_once_lose_and_double_nothing)
{
	struct place p = place_new();
	pid_t pid[2];
	int status;

	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			add_many(p.db, 100, -1);
	}
	for (int i = 0; i < 2; i++) {
		EXPECT(waitpid(pid[i], &status, 0) == pid[i]);
		EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	EXPECT_INT(expect_whole(p.db), 200);
	place_remove(&p);
}

static void burn(long ns)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}

TEST(a_writer_killed_at_any_point_leaves_the_old_or_the_new)
{
	struct place p = place_new();
	unsigned seed = 7;
	int64_t before = 0;

	for (int round = 0; round < rounds(40, 500); round++) {
		int64_t after, told = 0;
		int pipes[2], status;
		char byte;
		pid_t pid;

		EXPECT(pipe(pipes) == 0);
		pid = fork();
		if (pid == 0)
			add_many(p.db, 1000, pipes[1]);
		close(pipes[1]);
		/* Kill the writer after some completed additions, at a random point up to 8 ms into the next one. */
		for (int i = rand_r(&seed) % 3; i > 0 && read(pipes[0], &byte, 1) == 1; i--)
			told++;
		burn((long)(rand_r(&seed) % 8000) * 1000);
		kill(pid, SIGKILL);
		EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		while (read(pipes[0], &byte, 1) == 1)
			told++;
		close(pipes[0]);
		after = expect_whole(p.db);
		EXPECT(after == before + told || after == before + told + 1);
		before = after;
	}
	place_remove(&p);
}

/* Add a run with so many symbols that the database exceeds the file size limit of the test. */
static int add_large(const char *path, struct hd_err *err)
{
	enum { MANY = 5000 };
	struct hd_run_hotspot *h = hd_new_array(struct hd_run_hotspot, MANY);
	char (*names)[32] = hd_zalloc(MANY, sizeof(*names));
	struct hd_run_event e = { .name = "e",
		.unit = "u",
		.samples = MANY,
		.weight = MANY,
		.hotspots = h,
		.nhotspots = MANY };
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct hd_db *db;
	int rc;

	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "function_number_%d", i);
		h[i] = (struct hd_run_hotspot){ .object = "/x/app",
			.linkage = names[i],
			.name = names[i],
			.self = 1,
			.total = 1,
			.samples = 1 };
	}
	run.events = &e;
	rc = open_as(&db, path, HD_DB_WRITE, 0, err);
	if (rc >= 0) {
		rc = hd_run_add(db, &run, &ticket, err);
		hd_db_close(db);
	}
	free(names);
	free(h);
	return rc;
}

TEST(a_full_disk_is_told_and_nothing_is_added)
{
	struct place p = place_new();
	struct hd_db *db = must_open(p.db, HD_DB_WRITE);
	struct hd_run run = sample_run();
	int status;
	pid_t pid;

	must_add(db, &run);
	hd_db_close(db);
	pid = fork();
	if (pid == 0) {
		struct rlimit limit = { 300000, 300000 };
		struct hd_err err = { 0 };
		int rc;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		rc = add_large(p.db, &err);
		if (rc == HD_EIO && strstr(err.msg, "h.db: cannot write: ") && strstr(err.msg, "; nothing was added"))
			_exit(0);
		fprintf(stderr, "%d %s\n", rc, err.msg);
		_exit(1);
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT_INT(expect_whole(p.db), 1);
	db = must_open(p.db, HD_DB_WRITE);	/* after the failure, another run can be added */
	must_add(db, &run);
	hd_db_close(db);
	EXPECT_INT(expect_whole(p.db), 2);
	place_remove(&p);
}

TEST(a_database_that_another_writer_holds_is_told_after_a_bounded_time)
{
	struct place p = place_new();
	struct hd_db *holder = must_open(p.db, HD_DB_WRITE), *db;
	struct hd_run run = sample_run();
	struct hd_run_ticket ticket;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_db_begin(holder, &err), 0);
	EXPECT_INT(open_as(&db, p.db, HD_DB_WRITE, 30, &err), 0);
	EXPECT_INT(hd_run_add(db, &run, &ticket, &err), HD_EIO);
	EXPECT(strstr(err.msg, "h.db: locked by another writer for 30 ms; try again, or wait longer with --busy-ms"));
	hd_db_rollback(holder);
	must_add(db, &run);		/* the same connection works after the lock was released */
	hd_db_close(db);
	hd_db_close(holder);
	EXPECT_INT(expect_whole(p.db), 1);
	place_remove(&p);
}

TEST(a_reader_never_waits_for_a_writer_and_sees_the_old)
{
	struct place p = place_new();
	struct hd_db *writer = must_open(p.db, HD_DB_WRITE), *reader;
	struct hd_run run = sample_run();
	struct hd_err err = { 0 };

	must_add(writer, &run);
	EXPECT_INT(hd_db_begin(writer, &err), 0);
	must_exec(writer, "INSERT INTO chain (origin, is_local, created_utc) VALUES ('x', 0, '')");
	reader = must_open(p.db, HD_DB_READ);
	EXPECT_INT(count(reader, "SELECT COUNT(*) FROM chain WHERE is_local = 1"), 1);
	EXPECT_INT(count(reader, "SELECT COUNT(*) FROM run"), 1);
	hd_db_close(reader);
	hd_db_close(writer);
	place_remove(&p);
}

TEST(a_database_that_was_being_made_when_its_writer_died_is_made_by_the_next)
{
	for (int round = 0; round < 10; round++) {
		struct place p = place_new();
		int status;
		pid_t pid = fork();

		if (pid == 0)
			add_many(p.db, 1, -1);
		burn(round * 2000000L);
		kill(pid, SIGKILL);
		EXPECT(waitpid(pid, &status, 0) == pid);
		EXPECT(expect_whole(p.db) <= 1);
		place_remove(&p);
	}
}

TEST_MAIN(RUN(two_writers_at_once_lose_and_double_nothing),
	  RUN(a_writer_killed_at_any_point_leaves_the_old_or_the_new),
	  RUN(a_full_disk_is_told_and_nothing_is_added),
	  RUN(a_database_that_another_writer_holds_is_told_after_a_bounded_time),
	  RUN(a_reader_never_waits_for_a_writer_and_sees_the_old),
	  RUN(a_database_that_was_being_made_when_its_writer_died_is_made_by_the_next))
