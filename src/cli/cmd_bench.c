/*
 * cmd_bench.c - hotdrift bench -- CMD: time repeated runs
 */
#include "base/file.h"
#include "base/mem.h"
#include "bench/sweep.h"
#include "cli/bench_differential.h"
#include "cli/bench_options.h"
#include "cli/ini.h"
#include "history/machine.h"
#include "history/stored_times.h"
#include "web/bench_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- output ---- */

enum { AS_TEXT, AS_MARKDOWN, AS_JSON };

static int write_csv(const struct hd_bench_sweep *s, const char *path, struct hd_err *err)
{
	struct hd_buf csv = { 0 };
	int rc;

	hd_bench_csv_header(&csv, &s->sessions[0].b, s->word);
	for (size_t i = 0; i < s->begun; i++)
		if (s->sessions[i].reported)
			hd_bench_csv(&csv, &s->sessions[i].b, s->word, s->sessions[i].value);
	rc = hd_file_write(path, &csv, err);
	hd_buf_release(&csv);
	return rc;
}

static int write_report(const struct hd_bench_sweep *s, struct hd_err *err)
{
	const struct hd_bench_session *first = &s->sessions[0];
	int format = s->o->json ? AS_JSON : s->o->format, rc = 0;
	struct hd_buf text = { 0 };

	if (s->o->csv)
		rc = write_csv(s, s->o->csv, err);
	if (rc >= 0 && s->o->html)
		rc = hd_bench_page_write(s, s->o->html, err);
	if (s->word && format == AS_JSON)
		hd_bench_sweep_json(&text, s);
	else if (s->word)
		hd_bench_sweep_text(&text, s, format == AS_MARKDOWN);
	else if (format == AS_JSON)
		hd_bench_json(&text, &first->b, &first->r);
	else
		hd_bench_text(&text, &first->b, &first->r, format == AS_MARKDOWN);
	if (rc >= 0)
		rc = hd_file_write(s->o->out, &text, err);
	hd_buf_release(&text);
	return rc;
}

/*
 * Return the error code that determines the exit status.  If there are several reasons to fail, the worst one decides.
 * A verdict that is not PASS has no error message, because the report contains it.
 */
static int conclude(const struct hd_bench *b, const struct hd_bench_report *r, struct hd_err *err)
{
	unsigned failed = r->failed[0] + r->failed[1], made = r->good[0] + r->good[1];

	char of[32] = "";

	if (!b->o->time_ns)
		snprintf(of, sizeof(of), " of %u", b->nsides * b->o->runs);
	if (b->stopped_by)
		return hd_fail(err, HD_EIO, "bench: SIG%s ended the session after %u%s runs",
			sigabbrev_np(b->stopped_by), made + failed, of);
	if (b->ended_early)
		return hd_fail(err, HD_EIO, "bench: a command failed %d times, so the session ended after %u%s runs",
			HD_BENCH_FAILURES_MAX, made + failed, of);
	if (failed)
		return hd_fail(err, HD_EIO, "bench: %u of %u run%s failed and %s excluded from the statistics", failed,
			made + failed, made + failed == 1 ? "" : "s", failed == 1 ? "is" : "are");
	if (r->judged && r->verdict == HD_FAIL)
		return HD_ENO;
	if (r->judged && r->verdict == HD_INCONCLUSIVE)
		return HD_EUNSURE;
	if (b->o->strict && !r->steady)
		return hd_fail(err, HD_EUNSURE, "bench: wall time is not steady, and --strict was given");
	return 0;
}

/*
 * The `run` line of a target and its working folder.  hotdrift.ini gives the folder relative to the folder of
 * hotdrift.ini.
 */
struct target {
	char *run, *dir;
};

static int read_target(struct target *out, const struct hd_bench_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	struct hd_ini ini = { 0 };
	const struct hd_ini_target *t = NULL;
	char *cwd = getcwd(NULL, 0);
	int rc = 0;

	if (o->ini)
		hd_buf_adds(&path, o->ini);
	else if (!cwd || (rc = hd_ini_locate(&path, cwd, err)) == 0)
		rc = hd_fail(err, HD_EIO,
			"bench: no hotdrift.ini in this folder or above it, up to the root of the git checkout; give a "
			"command");
	free(cwd);
	if (rc >= 0)
		rc = hd_ini_read(&ini, path.data, log, err);
	if (rc >= 0) {
		t = hd_ini_find(&ini, o->target);
		if (!t || !t->value[HD_INI_RUN])
			rc = hd_fail(err, HD_EUSAGE,
				"bench: %s has no target '%s' with a run line; 'hotdrift target' lists them", path.data,
				o->target);
	}
	if (rc >= 0) {
		const char *dir = t->value[HD_INI_DIR], *slash = strrchr(path.data, '/');
		struct hd_buf where = { 0 };

		if (slash && !(dir && *dir == '/'))
			hd_buf_add(&where, path.data, slash == path.data ? 1 : (size_t)(slash - path.data));
		if (dir)
			hd_buf_addf(&where, "%s%s", where.len ? "/" : "", dir);
		out->run = hd_strdup(t->value[HD_INI_RUN]);
		if (where.len)
			out->dir = hd_buf_take(&where);
		hd_buf_release(&where);
	}
	hd_ini_release(&ini);
	hd_buf_release(&path);
	return rc;
}

/*
 * Add the runs to the database, which is given by the options.  A relative path of the database is resolved first,
 * because `add` runs in another folder.
 */
static int add_runs(struct hd_bench *b, const struct hd_db_option *db, struct hd_err *err)
{
	struct hd_db_option arg = *db;
	int rc = hd_db_option_path(&b->db_name, &arg, err);

	if (rc >= 0)
		rc = hd_db_option_resolve(&arg, &b->db, true, err);
	return rc < 0 ? rc : hd_bench_add(b, err);
}

/*
 * Return the error code that determines the exit status of several sessions: the worst result of conclude(), with the
 * message of the first session that has it.  HD_EIO (failed runs, or a signal) is worse than HD_ENO (FAIL), which is
 * worse than HD_EUNSURE (INCONCLUSIVE, or not steady with --strict).
 */
static int conclude_all(const struct hd_bench_sweep *s, struct hd_err *err)
{
	static const int order[] = { HD_EIO, HD_ENO, HD_EUNSURE };
	struct hd_err message;

	for (size_t k = 0; k < HD_COUNT(order); k++) {
		for (size_t i = 0; i < s->begun; i++) {
			message.msg[0] = '\0';
			if (!s->sessions[i].reported ||
				conclude(&s->sessions[i].b, &s->sessions[i].r, &message) != order[k])
				continue;
			*err = message;
			return order[k];
		}
	}
	err->msg[0] = '\0';
	return 0;
}

/*
 * Load the times of the last stored runs of each variant, for comparison.  A database that cannot be opened is an error
 * if --last was given.  With --add only, the report is then printed without stored times.
 */
static int load_last(struct hd_bench *b, const struct hd_db_option *option, struct hd_err *err)
{
	struct hd_machine machine;
	struct hd_db *db;
	int rc = hd_db_option_open(&db, option, HD_DB_READ, 0, err);

	if (rc < 0)
		return b->o->last ? rc : 0;
	hd_machine_here(&machine, "");
	for (unsigned s = 0; s < b->nsides && rc >= 0; s++) {
		struct hd_bench_last *last = &b->last[s];
		struct hd_stored_times stored;
		struct hd_buf command = { 0 };

		hd_argv_quote(&command, &b->side[s].command);
		rc = hd_stored_times_load(&stored, db, b->o->target ? b->o->target : "default", hd_buf_str(&command),
			b->nsides == 2 ? b->side[s].name : "", machine.fingerprint, err);
		if (rc >= 0)
			*last = (struct hd_bench_last){ stored.wall_us, stored.n, stored.recorded, stored.commit };
		hd_buf_release(&command);
	}
	hd_machine_release(&machine);
	hd_db_close(db);
	return rc;
}

static int run_session(struct hd_bench_session *e, const struct hd_db_option *db, struct hd_log *log,
	struct hd_err *err)
{
	int rc = 0;

	if (e->o.input && access(e->o.input, R_OK) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "bench: %s: cannot read the input of the runs", e->o.input);
	if (e->o.add || e->o.last)
		rc = load_last(&e->b, db, err);
	if (rc >= 0)
		rc = hd_bench_measure(&e->b, log, err);
	if (rc >= 0 && e->o.add)
		rc = add_runs(&e->b, db, err);
	if (rc >= 0)
		rc = hd_bench_report_make(&e->r, &e->b, err);
	e->reported = rc >= 0;
	return rc;
}

static int time_commands(int argc, char **argv, struct hd_bench_command *c, struct hd_log *log, struct hd_err *err)
{
	struct hd_bench_opts *o = &c->o;
	struct hd_bench_sweep sweep = { 0 };
	struct hd_bench_session *session;
	struct target target = { 0 };
	int rc = 0;

	o->busy_ms = c->db.busy_ms;
	if (o->target && !argc && !o->base && !o->head)
		rc = read_target(&target, o, log, err);
	o->target_run = target.run;
	o->target_dir = target.dir;
	if (rc >= 0)
		rc = hd_bench_sweep_init(&sweep, o, err);
	while (rc >= 0 && (rc = hd_bench_sweep_next(&sweep, argc, argv, &session, err)) > 0) {
		rc = run_session(session, &c->db, log, err);
		if (session->b.stopped_by)
			break;
	}
	if (rc >= 0)
		rc = hd_bench_sweep_fit(&sweep, err);
	if (rc >= 0)
		rc = write_report(&sweep, err);
	if (rc >= 0)
		rc = conclude_all(&sweep, err);
	hd_bench_sweep_release(&sweep);
	free(target.run);
	free(target.dir);
	return rc;
}

static int bench_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct hd_bench_command *c = opts;
	int rc = hd_bench_opts_check(&c->o, &c->db, err);

	if (rc < 0)
		return rc;
	if (c->o.generate || c->o.corpus)
		return hd_bench_compare_inputs(argc, argv, &c->o, err);
	return time_commands(argc, argv, c, log, err);
}

static const struct hd_opt_group bench_groups[] = {
	HD_DB_OPTION_GROUP(struct hd_bench_command, db),
	{ NULL, NULL, 0 },
};

const struct hd_cmd hd_cmd_bench = {
	.name = "bench",
	.args = "-- CMD [-- CMD]",
	.summary = "time a command, or compare two builds, by repeated fresh processes",
	.details =
		"Each run is a new process, started without a shell.  Two commands, the base first, run in the order "
		"A B B A, so that a steady drift of the machine affects both equally.  Wall time is measured from "
		"exec() to the exit that the kernel reports.  User time, kernel time and peak RSS come from wait4() "
		"and include descendants that were waited for.  The output of the command goes to /dev/null.  If two "
		"commands are compared, it goes to a pipe instead and is compared.\n"
		"\n"
		"One command: the report has the mean with its 95 % bootstrap interval, cv (standard deviation over "
		"mean), percentiles by nearest rank, and Tukey's outliers.  Wall time is steady if it varies by less "
		"than --max-cv and does not drift during the session (R2 of a linear fit over the order of the "
		"runs).  If it is not steady, the report lists likely reasons on this machine: governor, turbo, "
		"load, other processes, steal time, throttling, quota, SMT, ASLR.\n"
		"\n"
		"Two commands: base / head is the speed-up of head, the ratio of geometric means, with the 95 % "
		"interval of Welch's t on logarithms and p of the rank-sum test.  With --min-speedup X the verdict "
		"is PASS if the interval lies at or above X, FAIL (exit 1) if it lies below, and otherwise "
		"INCONCLUSIVE (exit 3) with the number of runs that would decide.  Different outputs are a FAIL too. "
		" Outputs are equal if they are the same bytes, or the same words and numbers: numbers with a point "
		"or an exponent may differ by --tolerance, whole numbers may not.\n"
		"\n"
		"With --time SECONDS each command is repeated until its budget is used up, and with --warmup-time "
		"its warm-up too.  A change of at most --noise PERCENT is reported as within noise: between two "
		"commands, and against the last runs of the same target, command and machine in the database "
		"(--last; --add implies it).\n"
		"\n"
		"--sizes N,N,... repeats the session for each input size, with {size} replaced in the command, in "
		"--input, --prepare, --conclude and --throughput.  The growth of the median time is O(1), O(log n), "
		"O(n), O(n log n), O(n^2) or O(n^3), each with a start-up time; the fit that predicts the left-out "
		"sizes best is reported with its R2.  --iterations N,N,... does the same with {iterations} and fits "
		"a straight line: its slope is the time of one iteration.\n"
		"\n"
		"A run fails if its exit status is not 0, if it is killed, takes longer than --timeout, or does not "
		"write a required file.  Failed runs are listed and excluded from the statistics, and the exit is 6. "
		" Three failed runs of one command end the session.  SIGINT ends the run and reports the results so "
		"far.  Signals are sent only to the process group of a run.\n"
		"\n"
		"With --generate N or --corpus DIR the two commands are not timed.  Each gets batches of inputs, a "
		"line each, on its standard input, and the outputs are compared as above.  --generate makes lines of "
		"numbers from a seed: zeros, infinities, NaNs, denormals, powers, halves, neighbours of 1 and others. "
		" If the outputs differ, the input is made small by delta debugging; with --corpus it is kept in "
		"DIR, and replayed first the next time.  Different outputs are a FAIL (exit 1).\n"
		"\n"
		"perf changes time and memory: with --profile DIR each run is timed without perf and then executed "
		"once more under perf record.  --add adds each run to the database with its series and its "
		"recording, at the commit of the checkout in which it ran, so that 'gate' can judge it.  Failed runs "
		"are marked as failed.",
	.examples =
		"hotdrift bench -- build/parser big.json\tten runs of one build\n"
		"hotdrift bench --min-speedup 2 -- old/parser big.json -- new/parser big.json\tcheck for twice the "
		"speed and the same output\n"
		"hotdrift bench --time 10 --html bench.html -- build/parser big.json\tabout ten seconds, and a page\n"
		"hotdrift bench --sizes 1000,4000,16000 -- build/sort {size}\thow the time grows with the input\n"
		"hotdrift bench --generate 1000000 --corpus inputs -- old/sqrt -- new/sqrt\tcompare outputs for a "
		"million inputs\n"
		"hotdrift bench --base-dir ../main --head-dir . -- build/parser big.json\tcompare two checkouts\n"
		"hotdrift bench --prepare 'rm -f cache.db' --series latency.csv --json -- build/serve\twith a hook "
		"and a CSV file of its own\n"
		"hotdrift bench -r 5 --profile rec --add --target parser -- build/parser big.json\tfive runs for gate\n"
		"",
	HD_CMD_OPTS(hd_bench_opts_rows, hd_bench_defaults),
	.groups = bench_groups,
	.max_args = -1,
	.run = bench_run,
};
