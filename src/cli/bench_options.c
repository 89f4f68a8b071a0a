/*
 * bench_options.c - see bench_options.h
 */
#include "cli/bench_options.h"

#include "track/number.h"

#include <math.h>
#include <string.h>

const struct hd_bench_command hd_bench_defaults = { .o = {
	.runs = HD_BENCH_RUNS_UNSET, .warmup = 1, .separator = "--", .frequency = "997", .tolerance = "1e-6",
	.abs_tolerance = "0", .max_cv = "5", .noise = "2", .seed = "1", .values = 1, .batch = 100000,
} };

#define AT(member)	offsetof(struct hd_bench_command, o.member)

const struct hd_opt hd_bench_opts_rows[] = {
	{ HD_OPT_UINT, 'r', "runs", "N", "runs of each command (default 10; with --time at least N, default 5)",
		AT(runs) },
	{ HD_OPT_UINT, 'w', "warmup", "N", "warm-up runs of each command before them, not counted (default 1)",
		AT(warmup) },
	{ HD_OPT_STR, 0, "warmup-time", "SECONDS", "repeat the warm-up runs of each command for at least SECONDS",
		AT(warmup_time) },
	{ HD_OPT_STR, 0, "time", "SECONDS", "measurement budget: repeat each command for at least SECONDS", AT(time) },
	{ HD_OPT_STR, 0, "noise", "PERCENT", "a change of at most PERCENT is reported as within noise (default 2)",
		AT(noise) },
	{ HD_OPT_STR, 0, "throughput", "elements|bytes=N", "report elements or bytes per second; a run processes N",
		AT(throughput) },
	{ HD_OPT_STR, 0, "sizes", "N,N,...",
		"run the command for each input size, in place of {size}, and fit how the time grows", AT(sizes) },
	{ HD_OPT_STR, 0, "iterations", "N,N,...",
		"the same with {iterations}; fits the time of one iteration", AT(iterations) },
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
	{ HD_OPT_STR, 0, "generate", "N",
		"instead of timing, compare the outputs of both commands for N random inputs, a line each; without a "
		"command, print them",
		AT(generate) },
	{ HD_OPT_STR, 0, "seed", "N", "seed of --generate (default 1)", AT(seed) },
	{ HD_OPT_UINT, 0, "values", "N", "numbers of each input of --generate (default 1)", AT(values) },
	{ HD_OPT_UINT, 0, "batch", "N", "inputs that a process gets with --generate (default 100000)", AT(batch) },
	{ HD_OPT_STR, 0, "corpus", "DIR",
		"instead of timing, replay the inputs in DIR and the lines of --input, and keep those that differ "
		"there, made small",
		AT(corpus) },
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
	{ HD_OPT_FLAG, 0, "last", NULL,
		"compare with the last stored runs of this target and command on this machine; --add implies it",
		AT(last) },
	{ HD_OPT_FLAG, 0, "add", NULL, "add each run to the database, with its series and recording", AT(add) },
	{ HD_OPT_STR, 0, "work", "N", "with --add: units of work per run", AT(work) },
	{ HD_OPT_STR, 0, "session", "WORD",
		"with --add: name that all runs of one job share (default for two commands: a new name)", AT(session) },
	{ HD_OPT_STR, 0, "config", "FILE", "with --add: configuration of the runs (JSON)", AT(config) },
	{ HD_OPT_STR, 0, "commit", "SHA",
		"with --add: commit of the runs, or none (default: that of the checkout around the folder of the "
		"run)",
		AT(commit) },
	{ HD_OPT_FLAG, 0, "json", NULL, "print JSON, format hotdrift.bench", AT(json) },
	{ HD_OPT_ENUM, 0, "format", "text|markdown|json", "output format (default text)", AT(format) },
	{ HD_OPT_OUT, 0, "csv", "FILE", "also write the values of each run to FILE", AT(csv) },
	{ HD_OPT_OUT, 0, "html", "FILE", "also write a page with distributions, curves and comparisons to FILE",
		AT(html) },
	{ HD_OPT_OUT, 'o', "output", "FILE", "write the report to FILE instead of standard output", AT(out) },
	{ 0 },
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

/* Convert a number of seconds, from 0 to 1000000, to nanoseconds.  If `text` is NULL, the result is 0. */
static int budget(uint64_t *ns, const char *option, const char *text, struct hd_err *err)
{
	double seconds = 0;
	int rc = text ? real(&seconds, option, text, err) : 0;

	if (rc >= 0 && seconds > 1e6)
		return hd_fail(err, HD_EUSAGE, "bench: --%s takes at most 1000000 seconds, not '%s'", option, text);
	*ns = (uint64_t)(seconds * 1e9);
	return rc;
}

/* Reject options that have an effect only together with another option, such as --work without --add. */
static int check_company(const struct hd_bench_opts *o, const struct hd_db_option *db, struct hd_err *err)
{
	if (!o->add && (o->work || o->session || o->config || o->commit))
		return hd_fail(err, HD_EUSAGE, "bench: --work, --session, --config and --commit go with --add");
	if (!o->add && !o->last && db->db)
		return hd_fail(err, HD_EUSAGE, "bench: --db goes with --add or --last");
	return 0;
}

int hd_bench_opts_check(struct hd_bench_opts *o, const struct hd_db_option *db, struct hd_err *err)
{
	double seconds = 0, cv = 0, noise = 0;
	unsigned long long hz;
	int rc = check_company(o, db, err);

	o->speedup_wanted = NAN;
	if (rc < 0)
		return rc;
	if (o->runs == HD_BENCH_RUNS_UNSET)
		o->runs = o->time ? HD_BENCH_RUNS_LEAST : HD_BENCH_RUNS_DEFAULT;
	if (!o->runs || o->runs > HD_BENCH_RUNS_MAX || o->warmup > HD_BENCH_RUNS_MAX)
		return hd_fail(err, HD_EUSAGE, "bench: --runs takes 1 to %d, --warmup 0 to %d", HD_BENCH_RUNS_MAX,
			HD_BENCH_RUNS_MAX);
	if (hd_parse_uint(o->frequency, 1000000, &hz) < 0 || !hz)
		return hd_fail(err, HD_EUSAGE, "bench: --freq takes a number from 1 to 1000000, not '%s'",
			o->frequency);
	if ((rc = real(&o->relative, "tolerance", o->tolerance, err)) < 0 ||
		(rc = real(&o->absolute, "abs-tolerance", o->abs_tolerance, err)) < 0 ||
		(rc = real(&cv, "max-cv", o->max_cv, err)) < 0 ||
		(rc = real(&noise, "noise", o->noise, err)) < 0 ||
		(rc = budget(&o->warmup_ns, "warmup-time", o->warmup_time, err)) < 0 ||
		(rc = budget(&o->time_ns, "time", o->time, err)) < 0 ||
		(o->timeout && (rc = real(&seconds, "timeout", o->timeout, err)) < 0) ||
		(o->min_speedup && (rc = real(&o->speedup_wanted, "min-speedup", o->min_speedup, err)) < 0))
		return rc;
	if (o->timeout && !(seconds >= 0.001 && seconds <= 1e6))
		return hd_fail(err, HD_EUSAGE, "bench: --timeout takes 0.001 to 1000000 seconds, not '%s'", o->timeout);
	if (o->min_speedup && !(o->speedup_wanted > 0))
		return hd_fail(err, HD_EUSAGE,
			"bench: --min-speedup takes a number above 0: 2 is twice as fast, 0.9 at most a ninth slower");
	o->timeout_ms = (uint64_t)(seconds * 1000);
	o->cv_limit = cv / 100;
	o->noise_part = noise / 100;
	return 0;
}
