/*
 * history.c - write a database of many synthetic runs with hotdrift's own code, and measure the additions
 *
 * usage: history DB RUNS SYMBOLS SEED [TARGETS MACHINES [WRITERS ORIGINS]]
 *
 * DB is a file or the URL of a PostgreSQL server.
 *
 * The runs are those of a C++ program with SYMBOLS functions.  Their shares fall as 1 / (i + 5)^1.05.  Each run has
 * about 100,000 samples (Poisson, with 2 % of noise from run to run), enough for each function to have some.  A commit
 * has five runs, and every fifth commit is a new build, in which each twentieth function becomes 0.2 % costlier.  The
 * runs also have latency, memory and power.  Nearly all runs are comparable with each other, which is the expensive
 * case: one in twenty has another target, three in a hundred have another configuration.
 *
 * With TARGETS and MACHINES, run i belongs to target i % TARGETS and machine i / 7 % MACHINES.  Each machine has a
 * chain of its own.  A target has 3/4 to 5/4 of SYMBOLS functions.  A fourth of them are in a library that all targets
 * share, and the others have names of their own.  Shares do not grow from build to build.  One run in four has series.
 * fleet.sql copies such runs.
 *
 * If the database has runs of this program already, the program adds only as many as are missing, and at least the last
 * ones, which it times.
 *
 * The program prints the CPU time of the last additions, including that of opening and closing the database, and the
 * bytes and hotspot rows per run on disk.
 *
 * With WRITERS and ORIGINS, WRITERS processes together add RUNS further runs to a server at the same time.  They use
 * ORIGINS different values of $HOTDRIFT_ORIGIN.  The program then prints the runs per second.  It also prints for which
 * events of pg_stat_activity the writers waited: NAME and the average number of writers that wait for it.  `running` is
 * the number of writers that wait for nothing on the server.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "history/run.h"
#include "db/schema.h"
#include "history/run_add.h"
#include "trust/journal.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 100000, PERIOD = 1000003, LAST = 50, FIRST_TIME = 1700000000, STEP_S = 600, FLEET_STEP_S = 30 };

#define COUNT_RUNS "SELECT COUNT(*) FROM run WHERE session = 'job'"	/* all runs of this program have this session */

struct hd_bench {
	const char *path;
	size_t symbols, targets, machines;
	bool writes;			/* the program is one of several writers, whose origin is set */
	uint64_t seed;
	double *share;			/* share of each function */
	char **linkage, **name, **object;	/* of function i of target t: at [t * functions + i] */
	size_t functions;		/* the largest number of functions of a target */
	uint64_t *vaddr;
	struct hd_run_hotspot *spots;
	struct hd_buf folded;
	char build_id[41];
};

static int die(const struct hd_err *err)
{
	fprintf(stderr, "history: %s\n", err->msg);
	return 6;
}

/* ---- chance ---- */

static uint64_t next(struct hd_bench *b)
{
	uint64_t z = b->seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static double uniform(struct hd_bench *b)
{
	return ((double)(next(b) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct hd_bench *b)
{
	return sqrt(-2 * log(uniform(b))) * cos(6.283185307179586 * uniform(b));
}

static uint64_t poisson(struct hd_bench *b, double mean)
{
	double limit = exp(-mean), p = uniform(b);
	uint64_t n = 0;

	if (mean > 60)
		return (uint64_t)fmax(0, round(mean + sqrt(mean) * normal(b)));
	while (p > limit) {
		p *= uniform(b);
		n++;
	}
	return n;
}

/* ---- a program ---- */

static void make_program(struct hd_bench *b)
{
	size_t targets = b->targets ? b->targets : 1;
	double sum = 0;

	b->functions = b->targets ? b->symbols * 5 / 4 : b->symbols;
	b->share = hd_new_array(double, b->functions);
	b->linkage = hd_new_array(char *, targets * b->functions);
	b->name = hd_new_array(char *, targets * b->functions);
	b->object = hd_new_array(char *, targets * b->functions);
	b->vaddr = hd_new_array(uint64_t, b->functions);
	b->spots = hd_new_array(struct hd_run_hotspot, b->functions);
	for (size_t i = 0; i < b->functions; i++) {
		b->share[i] = pow((double)i + 5, -1.05);
		sum += b->share[i];
		b->vaddr[i] = 0x401000 + 0x140 * i;
	}
	for (size_t i = 0; i < b->functions; i++)
		b->share[i] /= sum;
	for (size_t k = 0; k < targets * b->functions; k++) {
		size_t i = k % b->functions, space = b->targets ? (i % 4 ? k / b->functions : 0) : i % 40;
		const char *prefix = b->targets && !(i % 4) ? "common" : "engine";
		struct hd_buf text = { 0 };

		hd_buf_addf(&text, "_ZN6%s%zuE9function%04zuERKSsm", prefix, space, i);
		b->linkage[k] = hd_buf_take(&text);
		hd_buf_addf(&text, "%s%zu::function%04zu", prefix, space, i);
		b->name[k] = hd_buf_take(&text);
		if (b->targets ? i % 4 : i % 10)
			hd_buf_addf(&text, "/opt/app/bin/engine");
		else
			hd_buf_addf(&text, "/usr/lib/libengine.so.1");
		if (b->targets && i % 4)
			hd_buf_addf(&text, "%zu", space);
		b->object[k] = hd_buf_take(&text);
	}
}

static int compare(const void *a, const void *b)
{
	const struct hd_run_hotspot *x = a, *y = b;

	return x->self != y->self ? (x->self < y->self ? 1 : -1) : strcmp(x->linkage, y->linkage);
}

static struct hd_run_event make_event(struct hd_bench *b, size_t run)
{
	size_t build = run / 25, target = b->targets ? run % b->targets : 0, first = target * b->functions;
	size_t functions = b->targets ? b->symbols * 3 / 4 + target * 7 % (b->symbols / 2 + 1) : b->symbols;
	uint64_t samples = 0;
	size_t n = 0;

	snprintf(b->build_id, sizeof(b->build_id), "%040zx", build + 0xabc);
	for (size_t i = 0; i < functions; i++) {
		double grown = i % 20 || b->targets ? 1 : pow(1.002, (double)build);
		uint64_t y = poisson(b, SAMPLES * b->share[i] * grown * exp(0.02 * normal(b)));

		if (!y)
			y = 1;
		samples += y;
		b->spots[n++] = (struct hd_run_hotspot){
			.object = b->object[first + i], .build_id = b->build_id,
			.linkage = b->linkage[first + i], .name = b->name[first + i], .has_vaddr = true,
			.vaddr = b->vaddr[i] + 0x40 * build,
			.self = y * PERIOD, .total = y * PERIOD * (1 + i % 5), .samples = y, .has_inline = i % 2,
			.inline_self = y * (PERIOD - 1000), .inline_total = y * PERIOD * (1 + i % 5),
		};
	}
	qsort(b->spots, n, sizeof(*b->spots), compare);
	hd_buf_reset(&b->folded);
	hd_buf_addf(&b->folded, "main;run%zu %" PRIu64 "\n", run, samples);
	for (size_t i = 0; i < n; i++)
		if (b->spots[i].total > samples * PERIOD)
			b->spots[i].total = samples * PERIOD;
	return (struct hd_run_event){
		.name = "cycles:u", .unit = "cycles", .samples = samples, .weight = samples * PERIOD,
		.hotspots = b->spots, .nhotspots = n,
		.folded = b->folded.data, .folded_len = b->folded.len, .effective = (double)samples,
	};
}

/* ---- series ---- */

enum { STATS = 9 };

static void fill(struct hd_run_stat *st, double at)
{
	static const char *const names[STATS] = { "n", "mean", "std", "p50", "p95", "p99", "min", "max", "outliers" };

	for (int i = 0; i < STATS; i++)
		st[i] = (struct hd_run_stat){ .name = names[i], .value = at * (1 + 0.1 * i), .has_interval = i && i < 6,
					      .lo = at * 0.97 * (1 + 0.1 * i), .hi = at * 1.03 * (1 + 0.1 * i) };
}

/* ---- adding ---- */

static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int add(struct hd_bench *b, struct hd_db *db, size_t run, double *cpu, struct hd_err *err)
{
	struct hd_run_stat stats[3][STATS + 2];
	struct hd_run_series series[3] = {
		{ .kind = "latency",
			.name = "wall_time_us",
			.unit = "us",
			.samples = 1000,
			.stats = stats[0],
			.nstats = STATS },
		{ .kind = "memory",
			.name = "peak_rss_bytes",
			.unit = "bytes",
			.samples = 100,
			.stats = stats[1],
			.nstats = STATS + 2 },
		{ .kind = "power",
			.name = "watts",
			.unit = "W",
			.samples = 100,
			.stats = stats[2],
			.nstats = STATS + 2 },
	};
	struct hd_run_event e = make_event(b, run);
	char sha[41], config[80], target[40], machine_name[40];
	struct hd_git_commit git = { .sha = sha, .dirty = 0 };
	struct hd_machine machine;
	struct hd_config c = { 0 };
	struct hd_run r = {
		.recorded = FIRST_TIME + (int64_t)run * (b->targets ? FLEET_STEP_S : STEP_S),
		.target = target, .mode = "cpu", .status = "ok", .exit_status = 0, .inline_mode = "no-inline",
		.git = &git, .machine = &machine, .config = &c, .command = "engine --serve",
		.session = "job", .work = 1000, .read = e.samples, .kept = e.samples, .events = &e, .nevents = 1,
		.series = series, .nseries = b->targets && run % 4 != 1 ? 0 : 3,
	};
	struct hd_run_ticket ticket;
	double began;
	int rc;

	for (int i = 0; i < 3; i++)
		fill(stats[i], 100 * (i + 1) * exp(0.02 * normal(b)));
	stats[1][STATS] = (struct hd_run_stat){ .name = "peak_rss", .value = 2e9 };
	stats[1][STATS + 1] = (struct hd_run_stat){ .name = "mean_rss", .value = 1.9e9 };
	stats[2][STATS] = (struct hd_run_stat){ .name = "joules", .value = 300 + normal(b) };
	stats[2][STATS + 1] = (struct hd_run_stat){ .name = "peak", .value = 90 };
	snprintf(sha, sizeof(sha), "%040zx", run / 5 + 1);
	snprintf(config, sizeof(config), "{\"batch\":%d}", run % 100 < 97 ? 0 : (int)(run % 100 - 96));
	snprintf(target, sizeof(target), "%s", run % 20 ? "engine" : "batch");
	if (b->targets)
		snprintf(target, sizeof(target), "engine%zu", run % b->targets);
	snprintf(machine_name, sizeof(machine_name), "bench%zu", b->machines ? run / 7 % b->machines : 0);
	if (b->machines && !b->writes)
		setenv("HOTDRIFT_ORIGIN", machine_name, 1);
	hd_machine_of(&machine, machine_name, "6.1", "x86_64", "a CPU", 8, INT64_C(1) << 34, "");
	rc = hd_config_parse(&c, config, strlen(config), "config", err);
	began = cpu_s();
	if (rc >= 0)
		rc = hd_run_add(db, &r, &ticket, err);
	*cpu = cpu_s() - began;
	hd_config_release(&c);
	hd_machine_release(&machine);
	return rc;
}

static int open_db(const struct hd_bench *b, struct hd_db **db, struct hd_err *err)
{
	const struct hd_db_opts o = { .url = b->path, .mode = HD_DB_WRITE };
	int rc = hd_db_open(db, &o, err);

	return rc < 0 ? rc : hd_journal_apply_schema(*db, err);
}

/* ---- many writers at once ---- */

enum { SAMPLE_MS = 20 };

static double wall_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Connect, wait until the parent process closes the pipe `start`, then add `runs` runs, beginning with number `from`.
 */
static int be_writer(struct hd_bench *b, size_t from, size_t runs, int start)
{
	struct hd_err err = { 0 };
	struct hd_db *db;
	double unused;
	char byte;

	b->seed += from;
	b->writes = true;
	if (open_db(b, &db, &err) < 0)
		return die(&err);
	if (read(start, &byte, 1) < 0)
		return 6;
	for (size_t i = 0; i < runs; i++)
		if (add(b, db, from + i, &unused, &err) < 0)
			return die(&err);
	hd_db_close(db);
	return 0;
}

/* Count what the other sessions wait for, every SAMPLE_MS, until all writers have closed the pipe `done`. */
static int watch(struct hd_db *db, int done, struct hd_err *err)
{
	struct pollfd end = { .fd = done, .events = POLLIN };
	int rc = hd_db_exec(db, "CREATE TEMP TABLE waits (name TEXT)", err);

	while (rc >= 0 && poll(&end, 1, SAMPLE_MS) == 0)
		rc = hd_db_exec(db, "INSERT INTO waits SELECT '' UNION ALL SELECT COALESCE(wait_event_type || '.' || "
			"wait_event, 'running') FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
			"backend_type = 'client backend'", err);
	return rc;
}

static int print_waits(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	size_t n;
	int rc = hd_db_query(&r, db, err,
		"SELECT name, CAST(COUNT(*) AS DOUBLE PRECISION) / (SELECT COUNT(*) FROM waits WHERE name = '') "
		"FROM waits WHERE name <> '' GROUP BY name ORDER BY 2 DESC, 1", "");

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
		printf("%s %.1f\n", hd_col_bytes(&r, 0, &n), hd_col_double(&r, 1));
	hd_db_end(&r);
	return rc;
}

static int write_at_once(struct hd_bench *b, size_t runs, size_t writers, size_t origins)
{
	int start[2], done[2], status, failed = 0;
	struct hd_err err = { 0 };
	struct hd_db *db;
	int64_t there, after;
	double began;

	/* Create the schema before the writers start. */
	if (open_db(b, &db, &err) < 0 || hd_db_query_int(db, &there, 0, &err, COUNT_RUNS, "") < 0)
		return die(&err);
	if (pipe(start) < 0 || pipe(done) < 0)
		return 6;
	for (size_t i = 0; i < writers; i++) {
		char origin[32];
		pid_t pid = fork();

		if (pid < 0)
			return 6;
		if (pid)
			continue;
		snprintf(origin, sizeof(origin), "bench%zu", i % origins);
		setenv("HOTDRIFT_ORIGIN", origin, 1);
		close(start[1]);
		close(done[0]);
		_exit(be_writer(b, (size_t)there + i * (runs / writers), runs / writers, start[0]));
	}
	close(done[1]);
	close(start[0]);
	began = wall_s();
	close(start[1]);
	if (watch(db, done[0], &err) < 0)
		return die(&err);
	began = wall_s() - began;
	while (wait(&status) > 0)
		failed += status != 0;
	if (hd_db_query_int(db, &after, 0, &err, COUNT_RUNS, "") < 0)
		return die(&err);
	printf("runs_per_s %.1f\nfailed %d\n", (double)(after - there) / began, failed);
	if (print_waits(db, &err) < 0)
		return die(&err);
	hd_db_close(db);
	return failed ? 6 : 0;
}

static int compare_times(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv)
{
	struct hd_bench b = { 0 };
	double times[LAST];
	int64_t blobs, rows, made, bytes = 0, there = 0;
	struct hd_err err = { 0 };
	struct hd_db *db;
	struct stat st;
	size_t runs;
	bool server;
	int rc;

	if (argc != 5 && argc != 7 && argc != 9) {
		fprintf(stderr, "usage: history DB RUNS SYMBOLS SEED [TARGETS MACHINES [WRITERS ORIGINS]]\n");
		return 2;
	}
	b.path = argv[1];
	runs = strtoul(argv[2], NULL, 10);
	b.symbols = strtoul(argv[3], NULL, 10);
	b.seed = strtoul(argv[4], NULL, 10);
	b.targets = argc >= 7 ? strtoul(argv[5], NULL, 10) : 0;
	b.machines = argc >= 7 ? strtoul(argv[6], NULL, 10) : 0;
	if ((argc < 9 && runs < LAST) || b.symbols < (b.targets ? 4 : 1))
		return 2;
	server = strstr(b.path, "://") != NULL;
	make_program(&b);
	if (argc == 9)
		return write_at_once(&b, runs, strtoul(argv[7], NULL, 10), strtoul(argv[8], NULL, 10));
	rc = open_db(&b, &db, &err);
	/* Write the first runs without waiting for the disk, because losing them does not matter. */
	if (rc >= 0 && !server)
		rc = hd_db_exec(db, "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 100000", &err);
	if (rc >= 0)
		rc = hd_db_query_int(db, &there, 0, &err, COUNT_RUNS, "");
	if (rc >= 0 && there)
		b.seed += (uint64_t)there;	/* different random numbers than those of the existing runs */
	for (size_t i = (size_t)there; i + LAST < runs && rc >= 0; i++)
		rc = add(&b, db, i, &times[0], &err);
	if (rc < 0)
		return die(&err);
	hd_db_close(db);
	for (size_t i = 0; i < LAST; i++) {
		double began = cpu_s(), opening, closing;

		if (open_db(&b, &db, &err) < 0)
			return die(&err);
		opening = cpu_s() - began;
		if (add(&b, db, (size_t)there + LAST > runs ? (size_t)there + i : runs - LAST + i, &times[i], &err) < 0)
			return die(&err);
		closing = cpu_s();
		hd_db_close(db);
		times[i] += opening + cpu_s() - closing;
	}
	qsort(times, LAST, sizeof(*times), compare_times);
	if (open_db(&b, &db, &err) < 0 ||
		hd_db_query_int(db, &blobs, 0, &err, "SELECT SUM(LENGTH(zstd)) FROM stack_blob", "") < 0 ||
		hd_db_query_int(db, &rows, 0, &err, "SELECT COUNT(*) FROM hotspot", "") < 0 ||
		hd_db_query_int(db, &made, 0, &err, COUNT_RUNS, "") < 0)
		return die(&err);
	if (server && hd_db_query_int(db, &bytes, 0, &err, "SELECT pg_database_size(current_database())", "") < 0)
		return die(&err);
	hd_db_close(db);
	if (!server) {
		if (stat(b.path, &st) < 0)
			return 6;
		bytes = st.st_size;
	}
	printf("add_ms_median %.2f\nadd_ms_max %.2f\nbytes_per_run %.0f\nrows_per_run %.1f\nbytes %" PRId64 "\n",
		1e3 * times[LAST / 2], 1e3 * times[LAST - 1], (double)(bytes - blobs) / (double)made,
		(double)rows / (double)made, bytes);
	return 0;
}
