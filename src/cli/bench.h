/*
 * bench.h - one session of `hotdrift bench`, shared by its files
 *
 *     cmd_bench.c       options, the command row, what the exit status is
 *     bench_sides.c     which commands are measured: operands, --base and --head, folders, a target
 *     bench_session.c   the runs, one after another; what each left behind
 *     bench_outputs.c   do the runs print and write the same?
 *     bench_series.c    CSVs that a run writes, as values of that run
 *     bench_profile.c   perf record of a twin of each run
 *     bench_report.c    what the values come to
 *     bench_add.c       runs into the database
 *     bench_text.c      the report for people (bench_steady.c: why times vary), bench_json.c for programs and, as CSV, run by run
 *
 * A metric is a column of values, one a run: the first four are measured here, the others
 * are read from CSVs.  A value that a run does not have is NaN.
 */
#ifndef HD_CLI_BENCH_H
#define HD_CLI_BENCH_H

#include "base/log.h"
#include "base/words.h"
#include "cli/cmd.h"
#include "cli/dbarg.h"
#include "collect/command.h"
#include "collect/conditions.h"
#include "collect/process.h"
#include "collect/schedule.h"
#include "drift/timing.h"
#include "metrics/sametext.h"

enum { BENCH_SIDES = 2, BENCH_RUNS_MAX = 100000, BENCH_METRICS_MAX = 32 };
/* Of an output that differs as much is compared number by number; of more only the sum. */
enum { BENCH_KEEP_BYTES = 64 << 20 };
/* So many failed runs of a side end the session. */
enum { BENCH_FAILURES = 3 };

struct bench_opts {
	unsigned runs, warmup;
	const char *target, *ini, *base, *head, *base_dir, *head_dir, *separator;
	const char *setup, *prepare, *conclude, *cleanup, *input, *timeout;
	const char *tolerance, *abs_tolerance, *min_speedup, *max_cv;
	const char *profile, *event, *frequency;
	struct hd_dbarg db;		/* with --add: */
	const char *work, *session, *config, *commit;
	struct hd_words output_files, series;
	bool shell, no_compare, ignore_failure, strict, add, json;
	int format;
	const char *csv, *out;
	/* read from the words above */
	uint64_t timeout_ms;
	double relative, absolute, speedup_wanted, cv_limit;	/* NaN: no speed-up is asked for; cv as a part of 1 */
};

enum { BENCH_WALL, BENCH_USER, BENCH_KERNEL, BENCH_RSS, BENCH_MEASURED };

struct bench_metric {
	char *name;		/* "wall_time_us"; of a series "p50 wall_time_us" */
	const char *unit;	/* "us", "bytes", "" */
};

struct bench_run {
	unsigned side, number;		/* of its side, from 0 */
	bool warmup;			/* kept only when it failed */
	int64_t began;			/* seconds since 1970 */
	struct hd_process_end end;
	char *why_failed;		/* NULL: it did not */
	double value[BENCH_METRICS_MAX];
	char *recording;		/* path, or NULL */
	char *kept;			/* with --add: the folder with its CSVs, or NULL */
	char *id;			/* in the database, or NULL */
};

struct bench_side {
	const char *name;		/* "base", "head"; of one side "run" */
	struct hd_command command;
	char *dir;			/* NULL: here */
	unsigned failed;
};

/* What is printed or written by every run, and is to be the same. */
struct bench_output {
	const char *name;		/* "stdout", or the file as it was named */
	bool have;			/* the first run's: */
	bool cut;			/* longer than what is kept */
	uint8_t sum[HD_SHA256_BYTES];
	uint64_t bytes;
	struct hd_buf text;
	unsigned count[BENCH_SIDES][HD_SAME_NOT + 1];
	double worst;			/* relative difference within the tolerance */
	struct hd_buf difference[BENCH_SIDES];	/* raw bytes: a sentence on the first one, or nothing */
};

enum bench_same { BENCH_SAME_UNKNOWN, BENCH_SAME_BYTES, BENCH_SAME_WITHIN, BENCH_SAME_VARIES, BENCH_SAME_DIFFERS };

struct bench {
	const struct bench_opts *o;
	struct hd_watch watch;
	struct bench_side side[BENCH_SIDES];
	unsigned nsides;
	struct bench_run *runs;
	size_t nruns, cap;
	struct bench_metric metrics[BENCH_METRICS_MAX];
	unsigned nmetrics;
	struct bench_output *outputs;
	size_t noutputs;
	struct hd_conditions before, after;
	uint64_t our_cpu_ns, rss_floor;
	const char *perf, *event;	/* with --profile */
	char *recordings;		/* the folder of it */
	int stopped_by;			/* 0, or the signal that ended the session */
	int64_t began;
	bool left_others;
	unsigned left_out;		/* values of series beyond BENCH_METRICS_MAX */
	unsigned added;			/* runs into the database */
	char *db;			/* its absolute path or URL, for `add`; NULL before bench_add() */
	struct hd_buf db_name;		/* the same for people */
	char *folder;			/* for what is kept until runs are added, or NULL */
	char *ended_early;		/* why not all runs were made, or NULL */
};

/* One metric of all sides. */
struct bench_column {
	struct hd_timing timing[BENCH_SIDES];
	struct hd_speedup speedup;
};

struct bench_report {
	struct bench_column column[BENCH_METRICS_MAX];
	unsigned good[BENCH_SIDES], failed[BENCH_SIDES];
	struct hd_findings findings;
	bool steady;			/* wall time of each side, with two runs at least */
	unsigned at_floor;		/* runs whose peak RSS is the smallest there can be */
	enum bench_same same;		/* of all outputs, the worst */
	const struct bench_output *which;	/* of it */
	bool judged;
	enum hd_verdict verdict;
	struct hd_speedup_judged speed;
};

/* ---- bench_sides.c ---- */
int bench_sides_make(struct bench *b, int argc, char **argv, struct hd_log *log, struct hd_err *err);

/* ---- bench_session.c ---- */
int bench_session(struct bench *b, struct hd_log *log, struct hd_err *err);
/* Append the last line that a process said, behind a colon. */
void bench_add_errors(struct hd_buf *to, const struct hd_process_end *end);
void bench_release(struct bench *b);
/* Path of what `side` calls `path`, into `to`. */
void bench_path(struct hd_buf *to, const struct bench_side *side, const char *path);

/* ---- bench_outputs.c ---- */
void bench_outputs_begin(struct bench *b);
/* Compare what the run printed and wrote.  The sentence, yours, when a file was not written; NULL: fine. */
char *bench_outputs_take(struct bench *b, const struct bench_run *run, const struct bench_side *side);
enum bench_same bench_output_same(const struct bench_output *out);
void bench_outputs_release(struct bench *b);

/* ---- bench_series.c ---- */
/* The values of the CSVs of a run.  The sentence, yours, when one cannot be read; NULL: fine. */
char *bench_series_take(struct bench *b, struct bench_run *run, const struct bench_side *side);

/* Was the file written since?  _before looks, _written answers. */
struct bench_stamp {
	bool there;
	long long size, changed_s, changed_ns, inode;
};
struct bench_stamp bench_stamp_of(const struct bench_side *side, const char *path);
bool bench_stamp_same(const struct bench_stamp *a, const struct bench_stamp *b);

/* ---- bench_profile.c ---- */
int bench_profile_begin(struct bench *b, struct hd_err *err);
/* Run the command of a run once more and record it.  The sentence, yours, when that failed; NULL: fine. */
char *bench_profile_twin(struct bench *b, struct bench_run *run, const struct bench_side *side);

/* ---- bench_add.c ---- */
/* Keep the CSVs of a run, which the next one will overwrite. */
int bench_add_keep(struct bench *b, struct bench_run *run, const struct bench_side *side, struct hd_err *err);
int bench_add(struct bench *b, struct hd_err *err);
void bench_add_release(struct bench *b);

/* ---- bench_report.c ---- */
int bench_report_make(struct bench_report *r, const struct bench *b, struct hd_err *err);

/* ---- bench_text.c, bench_steady.c, bench_json.c ---- */
/* The label of a line; "" goes on with the one before. */
void bench_text_begin(struct hd_buf *out, const char *label, bool markdown);
void bench_text_steady(struct hd_buf *out, const struct bench *b, const struct bench_report *r, bool markdown);
const char *bench_plural(unsigned n);		/* "s" or "" */
void bench_text(struct hd_buf *out, const struct bench *b, const struct bench_report *r, bool markdown);
void bench_json(struct hd_buf *out, const struct bench *b, const struct bench_report *r);
void bench_csv(struct hd_buf *out, const struct bench *b);

#endif
