/*
 * gate_test.h - make a history of commits and of their runs with a little noise, and judge it
 *
 *     struct history h = history_new();
 *     runs(&h, "a", NULL, usual, 5);			five runs of the first commit
 *     runs(&h, "b", "a", slower, 5);			five runs of its child
 *     judge(&h, &c);					compare the newest commit with its parent
 *
 * The name of a commit is one letter, and its sha is this letter 40 times.  The folder of the test is not a git
 * checkout, so parents are looked up in the database.
 */
#ifndef HD_TESTS_UNIT_GATE_GATE_TEST_H
#define HD_TESTS_UNIT_GATE_GATE_TEST_H

#include "unit/history/history_test.h"

#include "gate/judge.h"
#include "gate/gate_result.h"
#include "stats/random.h"

#include <math.h>

struct cost {
	const char *name;
	double samples;			/* number of samples in each run */
	const char *callers;		/* call path to the function, such as "main;parse" */
};

struct history {
	struct place place;
	struct hd_db *db;
	struct hd_random random;
	int64_t when;
	/* values of the runs that are added next */
	const char *status, *session, *target, *build, *folder, *library_build, *inline_mode, *command, *variables,
		*compiler;
	const struct hd_machine *machine;
	const struct hd_config *config;
	bool modified, no_stacks;
	uint64_t lost;
	struct hd_rate rate;
	double effective; /* ratio of effective samples to samples, below 1 if periods vary; 0: unknown */
	double cv;
	/* latency, memory, energy and units of work of each run; 0: none */
	double p99_us, peak_bytes, joules, work;
};

enum { COSTS_MAX = 40 };

static const struct cost usual[] = {
	{ "memmove", 5000, "main" },	 { "parse_row", 4000, "main;parse" }, { "idle", 4000, "main" },
	{ "fmt", 3000, "main;emit" },	 { "decode", 2600, "main;codec" },    { "put", 2300, "main;emit" },
	{ "hash_probe", 2000, "main" },	 { "log_line", 1500, "main" },	      { "mark", 1300, "main;gc" },
	{ "sweep", 1200, "main;gc" },	 { "header", 700, "main;codec" },     { "parse", 900, "main" },
	{ "emit", 800, "main" },	 { "spare", 400, "main" },	      { NULL, 0, NULL },
};

static inline struct history history_new(void)
{
	struct history h = { .place = place_new(),
		.random = hd_random_from(7),
		.when = 1790000000,
		.status = "ok",
		.target = "serve",
		.inline_mode = "no-inline",
		.cv = 0.01 };

	h.db = must_open(h.place.db, HD_DB_WRITE);
	return h;
}

static inline void history_end(struct history *h)
{
	hd_db_close(h->db);
	place_remove(&h->place);
}

static inline double noise(struct hd_random *r)
{
	return sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));
}

static inline void add_series(struct history *h, int64_t run, int64_t series, const char *kind, const char *name,
	const char *unit, const char *stat, double value)
{
	struct hd_err err = { 0 };

	if (!(value > 0))
		return;
	value *= 1 + h->cv * noise(&h->random);
	EXPECT_INT(
		hd_db_do(h->db, &err,
			"INSERT INTO series (run_id, series, kind, name, unit, samples) VALUES ($1, $2, $3, $4, $5, "
			"100)",
			"iittt", run, series, kind, name, unit),
		0);
	EXPECT_INT(
		hd_db_do(h->db, &err,
			"INSERT INTO series_summary (run_id, series, ordinal, stat, value) VALUES ($1, $2, 0, $3, $4)",
			"iitd", run, series, stat, value),
		0);
}

static inline void sha_of(const char *letter, char sha[41])
{
	memset(sha, *letter, 40);
	sha[40] = '\0';
}

/* Add one run of a commit (NULL: without a commit). */
static inline struct hd_run_ticket add_run(struct history *h, const char *commit, const char *parent,
	const struct cost *costs)
{
	struct hd_run_hotspot spots[COSTS_MAX] = { 0 };
	struct hd_run_event event = { .name = "cycles:u",
		.unit = "cycles",
		.lost = h->lost,
		.hotspots = spots,
		.rate = h->rate };
	char sha[41], parents[41] = "";
	struct hd_git_commit git = { .sha = sha, .parents = parents, .dirty = h->modified };
	struct hd_run run = { .recorded = h->when += 60,
		.target = h->target,
		.mode = "cpu",
		.status = h->status,
		.exit_status = -1,
		.work = h->work,
		.session = h->session,
		.inline_mode = h->inline_mode,
		.machine = h->machine,
		.config = h->config,
		.command = h->command,
		.variables = h->variables,
		.compiler = h->compiler,
		.events = &event,
		.nevents = 1,
		.git = commit ? &git : NULL };
	struct hd_run_ticket ticket;
	struct hd_buf folded = { 0 };
	double size = 1 + 0.02 * noise(&h->random);
	int64_t row;

	if (commit)
		sha_of(commit, sha);
	if (parent)
		sha_of(parent, parents);
	for (size_t i = 0; costs[i].name; i++) {
		double mean = costs[i].samples * size * (1 + h->cv * noise(&h->random));
		uint64_t n = (uint64_t)fmax(1, round(mean + sqrt(mean) * noise(&h->random)));

		spots[i] = (struct hd_run_hotspot){ .object = h->folder ? h->folder : "/opt/bin/serve",
			.build_id = h->build,
			.linkage = costs[i].name,
			.name = costs[i].name,
			.self = n * 1000,
			.total = n * 1000,
			.samples = n };
		event.samples += n;
		event.weight += n * 1000;
		event.nhotspots++;
		/* If h->library_build is set, the symbol `spare` (1.3 % of the cost) is in a library. */
		if (h->library_build && !strcmp(costs[i].name, "spare")) {
			spots[i].object = "/usr/lib/libspare.so";
			spots[i].build_id = *h->library_build ? h->library_build : NULL;
		}
		hd_buf_addf(&folded, "serve;%s;%s %llu\n", costs[i].callers, costs[i].name,
			(unsigned long long)n * 1000);
	}
	run.read = run.kept = event.samples;
	event.effective = h->effective * (double)event.samples;
	event.folded = h->no_stacks ? NULL : folded.data;
	event.folded_len = folded.len;
	ticket = must_add(h->db, &run);
	row = count(h->db, "SELECT MAX(id) FROM run");
	add_series(h, row, 0, "latency", "wall_time_us", "us", "p99", h->p99_us);
	add_series(h, row, 1, "memory", "peak_rss_bytes", "bytes", "peak_rss", h->peak_bytes);
	add_series(h, row, 2, "power", "watts", "W", "joules", h->joules);
	hd_buf_release(&folded);
	return ticket;
}

static inline void runs(struct history *h, const char *commit, const char *parent, const struct cost *costs, int n)
{
	for (int i = 0; i < n; i++)
		add_run(h, commit, parent, costs);
}

/* Add n runs of a commit and n of its child, in the order A B B A A B. */
static inline void runs_in_turns(struct history *h, const char *a, const struct cost *before, const char *b,
	const struct cost *after, int n)
{
	for (int i = 0; i < 2 * n; i++)
		if ((i + 1) / 2 % 2)
			add_run(h, b, a, after);
		else
			add_run(h, a, NULL, before);
}

/*
 * Copy the usual costs to `room`, with `factor` times the cost of one symbol and its new name `now` (unless NULL).
 * Returns room.
 */
static inline const struct cost *changed(struct cost *room, const char *name, double factor, const char *now)
{
	size_t i = 0;

	for (; usual[i].name; i++) {
		room[i] = usual[i];
		if (strcmp(usual[i].name, name))
			continue;
		room[i].samples *= factor;
		if (now)
			room[i].name = now;
	}
	room[i] = usual[i];
	return room;
}

static inline struct hd_log judge_as(struct history *h, struct hd_comparison *c, const struct hd_judge_opts *o)
{
	struct hd_log log = { 0 };
	struct hd_err err = { 0 };
	struct hd_judge_opts with = *o;
	int rc;

	with.filter.dir = h->place.dir;
	rc = hd_judge(c, h->db, &with, &log, &err);
	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return log;
}

/* Compare the runs of the newest commit with those of its parent, as the command gate does. */
static inline void judge(struct history *h, struct hd_comparison *c)
{
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_log log;

	o.gate = true;
	log = judge_as(h, c, &o);
	hd_log_release(&log);
}

static inline void record(struct history *h, const struct hd_comparison *c)
{
	struct hd_err err = { 0 };
	int rc = hd_gate_result_record(h->db, c, "gate", &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
}

static inline const struct hd_judge_row *row_of(const struct hd_comparison *c, const char *symbol)
{
	for (size_t i = 0; i < c->nrows; i++)
		if (!strcmp(c->rows[i].symbol, symbol))
			return &c->rows[i];
	print_message("no row '%s'\n", symbol);
	assert_true(false);
	return NULL;
}

#define EXPECT_VERDICT(c, want)	EXPECT_STR(hd_verdict_name((c).verdict), want)
#define EXPECT_ROW(c, symbol, want)	EXPECT_STR(hd_verdict_name(row_of(&(c), symbol)->verdict), want)
#define EXPECT_HAS(text, part)	do { if (!strstr(text, part)) { print_message("'%s' is not in '%s'\n", part, text); \
	EXPECT(false); } } while (0)

#endif
