/*
 * cmd_bench.c - hotdrift bench -- CMD: time repeated runs
 */
#include "base/file.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "cli/db_option.h"
#include "cli/ini.h"
#include "track/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AS_TEXT, AS_MARKDOWN, AS_JSON };

struct bench_command {
	struct hd_bench_opts o;
	struct hd_db_option db;
};

static const struct bench_command bench_defaults = { .o = {
	.runs = 10, .warmup = 1, .separator = "--", .frequency = "997", .tolerance = "1e-6", .abs_tolerance = "0",
	.max_cv = "5",
} };

#define AT(member)	offsetof(struct bench_command, o.member)

static const struct hd_opt bench_opts[] = {
	{ HD_OPT_UINT, 'r', "runs", "N", "runs of each command (default 10)", AT(runs) },
	{ HD_OPT_UINT, 'w', "warmup", "N", "warm-up runs of each command before them, not counted (default 1)",
		AT(warmup) },
	{ HD_OPT_STR, 0, "target", "NAME",
		"run line of this target of hotdrift.ini; with a command: the target name for --add",
		AT(target) },
	{ HD_OPT_STR, 0, "ini", "FILE", "read FILE instead of the repository's hotdrift.ini", AT(ini) },
	{ HD_OPT_STR, 0, "base", "CMD", "base command as one string, split at blanks and quotes", AT(base) },
	{ HD_OPT_STR, 0, "head", "CMD", "command to compare with the base", AT(head) },
	{ HD_OPT_STR, 0, "base-dir", "DIR", "run the base in DIR", AT(base_dir) },
	{ HD_OPT_STR, 0, "head-dir", "DIR", "run the head in DIR", AT(head_dir) },
	{ HD_OPT_STR, 0, "separator", "WORD",
		"operand that separates two commands (default --); '': one command only",
		AT(separator) },
	{ HD_OPT_FLAG, 0, "shell", NULL, "run commands and hooks with sh -c", AT(shell) },
	{ HD_OPT_STR, 0, "input", "FILE", "standard input of each run (default /dev/null)", AT(input) },
	{ HD_OPT_STR, 0, "setup", "CMD", "run CMD once before the session", AT(setup) },
	{ HD_OPT_STR, 0, "prepare", "CMD", "run CMD before each run, in its folder", AT(prepare) },
	{ HD_OPT_STR, 0, "conclude", "CMD", "run CMD after each run, in its folder", AT(conclude) },
	{ HD_OPT_STR, 0, "cleanup", "CMD", "run CMD once after the session", AT(cleanup) },
	{ HD_OPT_STR, 0, "timeout", "SECONDS", "kill a run that takes longer; it counts as failed", AT(timeout) },
	{ HD_OPT_FLAG, 'i', "ignore-failure", NULL, "accept any exit status of the command", AT(ignore_failure) },
	{ HD_OPT_LIST, 0, "output-file", "FILE",
		"a file that each run writes; it is compared like stdout; may be repeated",
		AT(output_files) },
	{ HD_OPT_STR, 0, "tolerance", "X", "relative difference at which numbers count as equal (default 1e-6)",
		AT(tolerance) },
	{ HD_OPT_STR, 0, "abs-tolerance", "X", "absolute difference at which they do (default 0)", AT(abs_tolerance) },
	{ HD_OPT_FLAG, 0, "no-compare", NULL, "do not compare outputs", AT(no_compare) },
	{ HD_OPT_STR, 0, "min-speedup", "X", "exit 1 if head is not X times as fast, 3 if more runs are needed",
		AT(min_speedup) },
	{ HD_OPT_STR, 0, "max-cv", "PERCENT", "largest variation of wall time that counts as steady (default 5)",
		AT(max_cv) },
	{ HD_OPT_FLAG, 0, "strict", NULL, "exit 3 if wall time is not steady", AT(strict) },
	{ HD_OPT_LIST, 0, "series", "FILE.csv",
		"a CSV file that each run writes; its columns become metrics; may be repeated",
		AT(series) },
	{ HD_OPT_STR, 0, "profile", "DIR", "execute each run once more under perf record, into DIR", AT(profile) },
	{ HD_OPT_STR, 0, "event", "E",
		"event for --profile (default cycles, or cpu-clock without a cycle counter)",
		AT(event) },
	{ HD_OPT_STR, 0, "freq", "HZ", "sampling frequency for --profile (default 997)", AT(frequency) },
	{ HD_OPT_FLAG, 0, "add", NULL, "add each run to the database, with its series and recording", AT(add) },
	{ HD_OPT_STR, 0, "work", "N", "with --add: units of work per run", AT(work) },
	{ HD_OPT_STR, 0, "session", "WORD", "with --add: name that all runs of one job share", AT(session) },
	{ HD_OPT_STR, 0, "config", "FILE", "with --add: configuration of the runs (JSON)", AT(config) },
	{ HD_OPT_STR, 0, "commit", "SHA",
		"with --add: commit of the runs, or none (default: that of the checkout around the folder of the "
		"run)",
		AT(commit) },
	{ HD_OPT_FLAG, 0, "json", NULL, "print JSON, format hotdrift.bench", AT(json) },
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "output format (default text)", AT(format) },
	{ HD_OPT_STR, 0, "csv", "FILE", "also write the values of each run to FILE", AT(csv) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write the report to FILE instead of standard output", AT(out) },
	{ 0 },
};

static const struct hd_opt_group bench_groups[] = {
	HD_DB_OPTION_GROUP(struct bench_command, db),
	{ NULL, NULL, 0 },
};

/* ---- the command line ---- */

/* Parse a finite number of 0 or more. */
static int real(double *out, const char *option, const char *text, struct hd_err *err)
{
	struct hd_number n;

	if (hd_number_read(text, strlen(text), &n) != HD_NUMBER || n.v < 0)
		return hd_fail(err, HD_EUSAGE, "bench: --%s takes a number of 0 or more, not '%s'", option, text);
	*out = n.v;
	return 0;
}

static int check(struct hd_bench_opts *o, const struct hd_db_option *db, struct hd_err *err)
{
	unsigned long long hz;
	double seconds = 0, cv = 0;
	int rc;

	o->speedup_wanted = NAN;
	if (!o->add && (o->work || o->session || o->config || o->commit || db->db))
		return hd_fail(err, HD_EUSAGE, "bench: --work, --session, --config, --commit and --db go with --add");
	if (!o->runs || o->runs > HD_BENCH_RUNS_MAX || o->warmup > HD_BENCH_RUNS_MAX)
		return hd_fail(err, HD_EUSAGE, "bench: --runs takes 1 to %d, --warmup 0 to %d", HD_BENCH_RUNS_MAX,
			HD_BENCH_RUNS_MAX);
	if (hd_parse_uint(o->frequency, 1000000, &hz) < 0 || !hz)
		return hd_fail(err, HD_EUSAGE, "bench: --freq takes a number from 1 to 1000000, not '%s'",
			o->frequency);
	if ((rc = real(&o->relative, "tolerance", o->tolerance, err)) < 0 ||
		(rc = real(&o->absolute, "abs-tolerance", o->abs_tolerance, err)) < 0 ||
		(rc = real(&cv, "max-cv", o->max_cv, err)) < 0 ||
		(o->timeout && (rc = real(&seconds, "timeout", o->timeout, err)) < 0) ||
		(o->min_speedup && (rc = real(&o->speedup_wanted, "min-speedup", o->min_speedup, err)) < 0))
		return rc;
	if (o->timeout && !(seconds >= 0.001 && seconds <= 1e6))
		return hd_fail(err, HD_EUSAGE, "bench: --timeout takes 0.001 to 1000000 seconds, not '%s'", o->timeout);
	if (o->min_speedup && !(o->speedup_wanted > 0))
		return hd_fail(err, HD_EUSAGE,
			"bench: --min-speedup takes a number above 0: 2 is twice as fast, 0.9 at most a ninth slower");
	if (o->input && access(o->input, R_OK) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "bench: %s: cannot read the input of the runs", o->input);
	o->timeout_ms = (uint64_t)(seconds * 1000);
	o->cv_limit = cv / 100;
	return 0;
}

/* ---- output ---- */

static int write_report(const struct hd_bench *b, const struct hd_bench_report *r, struct hd_err *err)
{
	int format = b->o->json ? AS_JSON : b->o->format;
	struct hd_buf text = { 0 }, csv = { 0 };
	int rc = 0;

	if (b->o->csv) {
		hd_bench_csv(&csv, b);
		rc = hd_file_write(b->o->csv, &csv, err);
	}
	if (format == AS_JSON)
		hd_bench_json(&text, b, r);
	else
		hd_bench_text(&text, b, r, format == AS_MARKDOWN);
	if (rc >= 0)
		rc = hd_file_write(b->o->out, &text, err);
	hd_buf_release(&text);
	hd_buf_release(&csv);
	return rc;
}

/*
 * Return the code for the exit status.  If there are several reasons, the worst one decides.  A verdict that is not
 * PASS needs no error message, because the report contains it.
 */
static int conclude(const struct hd_bench *b, const struct hd_bench_report *r, struct hd_err *err)
{
	unsigned failed = r->failed[0] + r->failed[1], made = r->good[0] + r->good[1];

	if (b->stopped_by)
		return hd_fail(err, HD_EIO, "bench: SIG%s ended the session after %u of %u runs",
			sigabbrev_np(b->stopped_by), made + failed, b->nsides * b->o->runs);
	if (b->ended_early)
		return hd_fail(err, HD_EIO, "bench: a command failed %d times, so the session ended after %u of "
			"%u runs",
			HD_BENCH_FAILURES_MAX, made + failed, b->nsides * b->o->runs);
	if (failed)
		return hd_fail(err, HD_EIO, "bench: %u of %u runs failed and are excluded from the statistics", failed,
			made + failed);
	err->msg[0] = '\0';
	if (r->judged && r->verdict == HD_FAIL)
		return HD_ENO;
	if (r->judged && r->verdict == HD_INCONCLUSIVE)
		return HD_EUNSURE;
	if (b->o->strict && !r->steady)
		return hd_fail(err, HD_EUNSURE, "bench: wall time is not steady, and --strict was given");
	return 0;
}

/* The run line of a target and its working folder.  In hotdrift.ini the folder is relative to that of the file. */
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

/* Add the runs to the database that the options choose.  A relative path is resolved, because `add` runs elsewhere. */
static int add_runs(struct hd_bench *b, const struct hd_db_option *db, struct hd_err *err)
{
	struct hd_db_option arg = *db;
	int rc = hd_db_option_path(&b->db_name, &arg, err);

	if (rc >= 0)
		rc = hd_db_option_resolve(&arg, &b->db, true, err);
	return rc < 0 ? rc : hd_bench_add(b, err);
}

static int bench_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct bench_command *c = opts;
	struct hd_bench_opts *o = &c->o;
	struct hd_bench b = { .o = o, .watch.fd = -1 };
	struct hd_bench_report *r = hd_new(struct hd_bench_report);
	struct target target = { 0 };
	int rc = check(o, &c->db, err);

	o->busy_ms = c->db.busy_ms;
	if (rc >= 0 && o->target && !argc && !o->base && !o->head)
		rc = read_target(&target, o, log, err);
	o->target_run = target.run;
	o->target_dir = target.dir;
	if (rc >= 0)
		rc = hd_bench_variants_parse(&b, argc, argv, err);
	if (rc >= 0)
		rc = hd_bench_measure(&b, log, err);
	if (rc >= 0 && o->add)
		rc = add_runs(&b, &c->db, err);
	if (rc >= 0)
		rc = hd_bench_report_make(r, &b, err);
	if (rc >= 0)
		rc = write_report(&b, r, err);
	if (rc >= 0)
		rc = conclude(&b, r, err);
	hd_bench_release(&b);
	free(target.run);
	free(target.dir);
	free(r);
	return rc;
}

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
		"A run fails if its exit status is not 0, if it is killed, takes longer than --timeout, or does not "
		"write a required file.  Failed runs are listed and excluded from the statistics, and the exit is 6. "
		" Three failed runs of one command end the session.  SIGINT ends the run and reports the results so "
		"far.  Signals are sent only to the process group of a run.\n"
		"\n"
		"perf changes time and memory: with --profile DIR each run is timed without perf and then executed "
		"once more under perf record.  --add adds each run to the database with its series and its "
		"recording, at the commit of the checkout in which it ran, so that 'gate' can judge it.  Failed runs "
		"are marked as failed.",
	.examples =
		"hotdrift bench -- build/parser big.json\tten runs of one build\n"
		"hotdrift bench --min-speedup 2 -- old/parser big.json -- new/parser big.json\tcheck for twice the "
		"speed and the same output\n"
		"hotdrift bench --base-dir ../main --head-dir . -- build/parser big.json\tcompare two checkouts\n"
		"hotdrift bench --prepare 'rm -f cache.db' --series latency.csv --json -- build/serve\twith a hook "
		"and a CSV file of its own\n"
		"hotdrift bench -r 5 --profile rec --add --target parser -- build/parser big.json\tfive runs for gate\n"
		"",
	HD_CMD_OPTS(bench_opts, bench_defaults),
	.groups = bench_groups,
	.max_args = -1,
	.run = bench_run,
};
