/*
 * measure.c - run the commands one after another and collect what each run produced
 *
 *     setup; for each run: prepare, the command, conclude; cleanup
 *
 * A hook that fails ends the session, because later runs depend on its work.  A command that fails makes a failed run,
 * which is reported but excluded from the statistics.
 */
#include "bench/bench.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/utc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- hooks ---- */

static uint64_t cpu_ns(const struct hd_subprocess_result *end)
{
	return end->user_ns + end->system_ns;
}

static int hook(struct hd_bench *b, const char *option, const char *text, const char *dir, struct hd_err *err)
{
	struct hd_subprocess what = { .dir = dir, .limit_ms = b->o->timeout_ms };
	struct hd_argv c;
	struct hd_subprocess_result end;
	struct hd_buf why = { 0 };
	int rc = 0;

	if (!text || b->watch.stopped_by)
		return 0;
	if (b->o->shell)
		hd_argv_shell(&c, text);
	else
		rc = hd_argv_split(&c, text, err);
	if (rc < 0)
		return rc;
	what.argv = c.argv;
	rc = hd_subprocess_run(&end, &what, &b->watch, err);
	hd_argv_release(&c);
	if (rc < 0)
		return rc;
	b->our_cpu_ns += cpu_ns(&end);
	if (end.how != HD_SUBPROCESS_STOPPED) {
		hd_subprocess_describe(&why, &end);
		if (why.len) {
			hd_bench_append_stderr_line(&why, &end);
			rc = hd_fail(err, HD_EIO, "bench: --%s '%.200s' %s", option, text, why.data);
		}
	}
	hd_buf_release(&why);
	hd_subprocess_result_release(&end);
	return rc;
}

/* ---- one run ---- */

static void fail_run(struct hd_bench_run *run, char *why)
{
	if (why && !run->why_failed)
		run->why_failed = why;
	else
		free(why);
}

static void take_values(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side)
{
	const struct hd_subprocess_result *e = &run->end;

	run->value[HD_BENCH_WALL] = (double)e->wall_ns / 1e3;
	run->value[HD_BENCH_USER] = (double)e->user_ns / 1e3;
	run->value[HD_BENCH_KERNEL] = (double)e->system_ns / 1e3;
	run->value[HD_BENCH_RSS] = (double)e->peak_rss_bytes;
	if (run->why_failed)
		return;
	fail_run(run, hd_bench_csv_metrics_read(b, run, side));
	if (!run->why_failed)
		fail_run(run, hd_bench_outputs_compare(b, run, side));
}

static const struct hd_bench_file_stamp no_stamp;

/*
 * Return the stamps (identity and change time) of all files that a run must write, followed by an empty one.  The
 * caller frees the array.
 */
static struct hd_bench_file_stamp *stamps(const struct hd_bench *b, const struct hd_bench_variant *side)
{
	const struct hd_string_list *lists[] = { &b->o->series, &b->o->output_files };
	size_t n = 0;
	struct hd_bench_file_stamp *s = hd_new_array(struct hd_bench_file_stamp, lists[0]->n + lists[1]->n + 1);

	for (size_t l = 0; l < HD_COUNT(lists); l++)
		for (size_t i = 0; i < lists[l]->n; i++)
			s[n++] = hd_bench_file_stamp_of(side, lists[l]->items[i]);
	s[n] = no_stamp;
	return s;
}

/*
 * Return a caller-owned message if a file was not written since `before`, otherwise NULL.  Without this check the file
 * of an earlier run would be read.
 */
static char *not_written(const struct hd_bench *b, const struct hd_bench_variant *side,
	const struct hd_bench_file_stamp *before)
{
	const struct hd_string_list *lists[] = { &b->o->series, &b->o->output_files };
	struct hd_buf why = { 0 };
	size_t n = 0;

	for (size_t l = 0; l < HD_COUNT(lists) && !why.len; l++) {
		for (size_t i = 0; i < lists[l]->n && !why.len; i++, n++) {
			struct hd_bench_file_stamp now = hd_bench_file_stamp_of(side, lists[l]->items[i]);

			if (!now.there || hd_bench_file_stamp_same(&before[n], &now))
				hd_buf_addf(&why, "did not write %s", lists[l]->items[i]);
		}
	}
	return why.len ? hd_buf_take(&why) : NULL;
}

static void judge_end(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side,
	const struct hd_bench_file_stamp *before)
{
	const struct hd_subprocess_result *e = &run->end;
	struct hd_buf why = { 0 };

	if (e->how != HD_SUBPROCESS_EXITED || (e->status && !b->o->ignore_failure)) {
		hd_subprocess_describe(&why, e);
		hd_bench_append_stderr_line(&why, e);
		fail_run(run, hd_buf_take(&why));
	} else {
		fail_run(run, not_written(b, side, before));
	}
}

/*
 * With --add, copy the CSV files of the run.  Then, with --profile, execute its command once more under perf.  That
 * overwrites the CSV files, so they are copied first.  Returns 1; 0 if a signal ended the session; < 0 if the files
 * cannot be copied.  A failure of perf makes the run a failed run.
 */
static int keep_for_later(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side,
	struct hd_err *err)
{
	int rc = b->o->add ? hd_bench_add_keep_csv(b, run, side, err) : 0;

	if (rc < 0)
		return rc;
	if (b->o->profile && !run->why_failed)
		fail_run(run, hd_bench_perf_record(b, run, side));
	return b->watch.stopped_by == 0;
}

/* Execute one run.  Returns 1, also if the run failed; 0 if a signal ended the session.  The caller releases `run`. */
static int make_run(struct hd_bench *b, struct hd_bench_run *run, const struct hd_schedule_step *step,
	struct hd_err *err)
{
	const struct hd_bench_variant *side = &b->side[step->side];
	struct hd_subprocess what = { .argv = side->command.argv,
		.dir = side->dir,
		.input = b->o->input,
		.limit_ms = b->o->timeout_ms,
		.sum_output = b->nsides == 2 && !b->o->no_compare,
		.keep_bytes = HD_BENCH_KEEP_BYTES };
	struct hd_bench_file_stamp *before;
	int rc;

	*run = (struct hd_bench_run){ .side = step->side, .number = step->number, .warmup = step->warmup,
				      .began = hd_utc_now() };
	for (size_t i = 0; i < HD_BENCH_METRICS_MAX; i++)
		run->value[i] = NAN;
	before = stamps(b, side);
	rc = hd_subprocess_run(&run->end, &what, &b->watch, err);
	if (rc >= 0) {
		b->our_cpu_ns += cpu_ns(&run->end);
		b->left_others = b->left_others || run->end.left_others;
		judge_end(b, run, side, before);
		rc = run->end.how != HD_SUBPROCESS_STOPPED;
		if (rc)
			take_values(b, run, side);
		if (rc && !step->warmup && run->end.how != HD_SUBPROCESS_NOT_STARTED)
			rc = keep_for_later(b, run, side, err);
		hd_buf_release(&run->end.output);
		hd_buf_release(&run->end.errors);
	}
	free(before);
	return rc;
}

static void run_release(struct hd_bench_run *run)
{
	hd_subprocess_result_release(&run->end);
	free(run->why_failed);
	free(run->recording);
	free(run->kept);
	free(run->id);
}

/* ---- the session ---- */

/* A program that cannot be started ends the session, because every run of it would fail. */
static int cannot_start(const struct hd_bench *b, const struct hd_bench_run *run, struct hd_err *err)
{
	const struct hd_bench_variant *side = &b->side[run->side];

	return hd_fail(err, HD_EIO, "bench: '%s' %s%s%s", side->command.argv[0], run->why_failed,
		side->dir ? " in " : "", side->dir ? side->dir : "");
}

/* Print progress if stderr is a terminal and the session takes longer than a second.  The caller erases the line. */
static void show_progress(const struct hd_bench *b, unsigned done, bool *shown)
{
	unsigned all = b->nsides * (b->o->warmup + b->o->runs);

	if (!isatty(STDERR_FILENO) || (!*shown && hd_utc_now() < b->began + 2))
		return;
	fprintf(stderr, "\r\033[Khotdrift bench: run %u", done + 1);
	if (!b->o->time_ns && !b->o->warmup_ns)
		fprintf(stderr, " of %u", all);
	*shown = true;
}

static void keep(struct hd_bench *b, struct hd_bench_run *run)
{
	HD_GROW(b->runs, b->nruns + 1, b->cap);
	b->runs[b->nruns++] = *run;
}

static int step_through(struct hd_bench *b, struct hd_err *err)
{
	struct hd_schedule s = hd_schedule_init(b->nsides, b->o->warmup, b->o->runs);
	struct hd_schedule_step step;
	bool shown = false;
	unsigned done = 0;
	int rc = 0;

	b->began = hd_utc_now();
	s.warmup_ns = b->o->warmup_ns;
	s.time_ns = b->o->time_ns;
	while (rc >= 0 && !hd_signal_watch_stopped(&b->watch) && !b->ended_early &&
		(s.now_ns = hd_monotonic_ns(), hd_schedule_next(&s, &step))) {
		struct hd_bench_variant *side = &b->side[step.side];
		struct hd_bench_run run;

		show_progress(b, done++, &shown);
		rc = hook(b, "prepare", b->o->prepare, side->dir, err);
		if (rc < 0 || b->watch.stopped_by)
			break;
		rc = make_run(b, &run, &step, err);
		if (rc < 0) {
			run_release(&run);
			break;
		}
		if (run.end.how == HD_SUBPROCESS_NOT_STARTED)
			rc = cannot_start(b, &run, err);
		else if (rc > 0 && run.why_failed && ++side->failed >= HD_BENCH_FAILURES_MAX)
			b->ended_early = hd_strdup("it failed too often");
		if (rc > 0 && (!step.warmup || run.why_failed))
			keep(b, &run);
		else
			run_release(&run);
		if (rc > 0)
			rc = hook(b, "conclude", b->o->conclude, side->dir, err);
	}
	b->warmups = s.measuring ? s.warmups : s.done / b->nsides;
	if (shown)
		fputs("\r\033[K", stderr);
	return rc;
}

int hd_bench_measure(struct hd_bench *b, struct hd_log *log, struct hd_err *err)
{
	static const struct hd_bench_metric measured[HD_BENCH_MEASURED] = {
		[HD_BENCH_WALL] = { "wall_time_us", "us" }, [HD_BENCH_USER] = { "user_time_us", "us" },
		[HD_BENCH_KERNEL] = { "kernel_time_us", "us" }, [HD_BENCH_RSS] = { "peak_rss_bytes", "bytes" },
	};
	struct hd_err later;
	int rc, cleaned;

	for (b->nmetrics = 0; b->nmetrics < HD_BENCH_MEASURED; b->nmetrics++)
		b->metrics[b->nmetrics] = (struct hd_bench_metric){ hd_strdup(measured[b->nmetrics].name),
			measured[b->nmetrics].unit };
	hd_bench_outputs_init(b);
	rc = hd_signal_watch_begin(&b->watch, err);
	if (rc < 0)
		return rc;
	b->rss_floor = hd_subprocess_rss_floor();
	rc = hd_bench_perf_init(b, err);
	if (rc >= 0)
		rc = hook(b, "setup", b->o->setup, NULL, err);
	if (rc >= 0) {
		hd_conditions_read(&b->before, "");
		rc = step_through(b, err);
		hd_conditions_read(&b->after, "");
		/* Run the cleanup hook of an interrupted session too. */
		b->stopped_by = b->watch.stopped_by;
		b->watch.stopped_by = 0;
		cleaned = hook(b, "cleanup", b->o->cleanup, NULL, rc < 0 ? &later : err);
		rc = rc < 0 ? rc : cleaned;
	}
	hd_signal_watch_end(&b->watch);
	if (b->left_others)
		hd_warn(log, "bench.left-running", "their CPU time and memory are not in the values",
			"a run ended and left processes of its group running");
	if (b->left_out)
		hd_warn(log, "bench.series", "name fewer CSVs or columns",
			"more than %d values per run: the others are not shown", HD_BENCH_METRICS_MAX);
	return rc < 0 ? rc : 0;
}

void hd_bench_release(struct hd_bench *b)
{
	hd_bench_add_release(b);
	for (size_t i = 0; i < b->nruns; i++)
		run_release(&b->runs[i]);
	free(b->runs);
	for (unsigned i = 0; i < b->nmetrics; i++)
		free(b->metrics[i].name);
	for (unsigned i = 0; i < HD_BENCH_VARIANTS; i++) {
		hd_argv_release(&b->side[i].command);
		free(b->side[i].dir);
	}
	hd_bench_outputs_release(b);
	for (unsigned i = 0; i < HD_BENCH_VARIANTS; i++) {
		free(b->last[i].wall_us);
		free(b->last[i].recorded);
		free(b->last[i].commit);
	}
	free(b->recordings);
	free(b->ended_early);
	free(b->db);
	hd_buf_release(&b->db_name);
}
