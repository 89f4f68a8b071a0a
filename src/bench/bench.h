/*
 * bench.h - one session of `hotdrift bench`, shared by its files
 *
 *     cmd_bench.c       options, the command row, what the exit status is
 *     variants.c     which commands are measured: operands, --base and --head, folders, a target
 *     measure.c   the runs, one after another; what each left behind
 *     outputs.c   do the runs print and write the same?
 *     csv_metrics.c    CSVs that a run writes, as values of that run
 *     perf_record.c   perf record of a twin of each run
 *     report.c    what the values come to
 *     add_runs.c       runs into the database
 *     render/bench_text.c      the report for people (render/bench_variability.c: why times vary), render/bench_json.c for programs and, as CSV, run by run
 *
 * A metric is a column of values, one a run: the first four are measured here, the others
 * are read from CSVs.  A value that a run does not have is NaN.
 */
#ifndef HD_BENCH_BENCH_H
#define HD_BENCH_BENCH_H

#include "base/log.h"
#include "base/string_list.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "base/argv.h"
#include "doctor/conditions.h"
#include "base/subprocess.h"
#include "bench/schedule.h"
#include "stats/timing.h"
#include "bench/text_compare.h"

enum { HD_BENCH_VARIANTS = 2, HD_BENCH_RUNS_MAX = 100000, HD_BENCH_METRICS_MAX = 32 };
/* Of an output that differs as much is compared number by number; of more only the sum. */
enum { HD_BENCH_KEEP_BYTES = 64 << 20 };
/* So many failed runs of a side end the session. */
enum { HD_BENCH_FAILURES_MAX = 3 };

struct hd_bench_opts {
	unsigned runs, warmup;
	const char *target, *ini, *base, *head, *base_dir, *head_dir, *separator;
	const char *setup, *prepare, *conclude, *cleanup, *input, *timeout;
	const char *tolerance, *abs_tolerance, *min_speedup, *max_cv;
	const char *profile, *event, *frequency;
	struct hd_db_option db;		/* with --add: */
	const char *work, *session, *config, *commit;
	struct hd_string_list output_files, series;
	bool shell, no_compare, ignore_failure, strict, add, json;
	int format;
	const char *csv, *out;
	/* read from the words above */
	uint64_t timeout_ms;
	double relative, absolute, speedup_wanted, cv_limit;	/* NaN: no speed-up is asked for; cv as a part of 1 */
};

enum { HD_BENCH_WALL, HD_BENCH_USER, HD_BENCH_KERNEL, HD_BENCH_RSS, HD_BENCH_MEASURED };

struct hd_bench_metric {
	char *name;		/* "wall_time_us"; of a series "p50 wall_time_us" */
	const char *unit;	/* "us", "bytes", "" */
};

struct hd_bench_run {
	unsigned side, number;		/* of its side, from 0 */
	bool warmup;			/* kept only when it failed */
	int64_t began;			/* seconds since 1970 */
	struct hd_subprocess_result end;
	char *why_failed;		/* NULL: it did not */
	double value[HD_BENCH_METRICS_MAX];
	char *recording;		/* path, or NULL */
	char *kept;			/* with --add: the folder with its CSVs, or NULL */
	char *id;			/* in the database, or NULL */
};

struct hd_bench_variant {
	const char *name;		/* "base", "head"; of one side "run" */
	struct hd_argv command;
	char *dir;			/* NULL: here */
	unsigned failed;
};

/* What is printed or written by every run, and is to be the same. */
struct hd_bench_output {
	const char *name;		/* "stdout", or the file as it was named */
	bool have;			/* the first run's: */
	bool cut;			/* longer than what is kept */
	uint8_t sum[HD_SHA256_BYTES];
	uint64_t bytes;
	struct hd_buf text;
	unsigned count[HD_BENCH_VARIANTS][HD_SAME_NOT + 1];
	double worst;			/* relative difference within the tolerance */
	struct hd_buf difference[HD_BENCH_VARIANTS];	/* raw bytes: a sentence on the first one, or nothing */
};

enum hd_bench_sameness {
	HD_BENCH_SAME_UNKNOWN,
	HD_BENCH_SAME_BYTES,
	HD_BENCH_SAME_WITHIN,
	HD_BENCH_SAME_VARIES,
	HD_BENCH_SAME_DIFFERS
};

struct hd_bench {
	const struct hd_bench_opts *o;
	struct hd_signal_watch watch;
	struct hd_bench_variant side[HD_BENCH_VARIANTS];
	unsigned nsides;
	struct hd_bench_run *runs;
	size_t nruns, cap;
	struct hd_bench_metric metrics[HD_BENCH_METRICS_MAX];
	unsigned nmetrics;
	struct hd_bench_output *outputs;
	size_t noutputs;
	struct hd_conditions before, after;
	uint64_t our_cpu_ns, rss_floor;
	const char *perf, *event;	/* with --profile */
	char *recordings;		/* the folder of it */
	int stopped_by;			/* 0, or the signal that ended the session */
	int64_t began;
	bool left_others;
	unsigned left_out;		/* values of series beyond HD_BENCH_METRICS_MAX */
	unsigned added;			/* runs into the database */
	char *db;			/* its absolute path or URL, for `add`; NULL before hd_bench_add() */
	struct hd_buf db_name;		/* the same for people */
	char *folder;			/* for what is kept until runs are added, or NULL */
	char *ended_early;		/* why not all runs were made, or NULL */
};

/* One metric of all sides. */
struct hd_bench_metric_summary {
	struct hd_timing timing[HD_BENCH_VARIANTS];
	struct hd_speedup speedup;
};

struct hd_bench_report {
	struct hd_bench_metric_summary column[HD_BENCH_METRICS_MAX];
	unsigned good[HD_BENCH_VARIANTS], failed[HD_BENCH_VARIANTS];
	struct hd_findings findings;
	bool steady;			/* wall time of each side, with two runs at least */
	unsigned at_floor;		/* runs whose peak RSS is the smallest there can be */
	enum hd_bench_sameness same;		/* of all outputs, the worst */
	const struct hd_bench_output *which;	/* of it */
	bool judged;
	enum hd_verdict verdict;
	struct hd_speedup_judged speed;
};

/* ---- variants.c ---- */
int hd_bench_variants_parse(struct hd_bench *b, int argc, char **argv, struct hd_log *log, struct hd_err *err);

/* ---- measure.c ---- */
int hd_bench_measure(struct hd_bench *b, struct hd_log *log, struct hd_err *err);
/* Append the last line that a process said, behind a colon. */
void hd_bench_append_stderr_line(struct hd_buf *to, const struct hd_subprocess_result *end);
void hd_bench_release(struct hd_bench *b);
/* Path of what `side` calls `path`, into `to`. */
void hd_bench_variant_path(struct hd_buf *to, const struct hd_bench_variant *side, const char *path);

/* ---- outputs.c ---- */
void hd_bench_outputs_init(struct hd_bench *b);
/* Compare what the run printed and wrote.  The sentence, yours, when a file was not written; NULL: fine. */
char *hd_bench_outputs_compare(struct hd_bench *b, const struct hd_bench_run *run, const struct hd_bench_variant *side);
enum hd_bench_sameness hd_bench_output_sameness(const struct hd_bench_output *out);
void hd_bench_outputs_release(struct hd_bench *b);

/* ---- csv_metrics.c ---- */
/* The values of the CSVs of a run.  The sentence, yours, when one cannot be read; NULL: fine. */
char *hd_bench_csv_metrics_read(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side);

/* Was the file written since?  _before looks, _written answers. */
struct hd_bench_file_stamp {
	bool there;
	long long size, changed_s, changed_ns, inode;
};
struct hd_bench_file_stamp hd_bench_file_stamp_of(const struct hd_bench_variant *side, const char *path);
bool hd_bench_file_stamp_same(const struct hd_bench_file_stamp *a, const struct hd_bench_file_stamp *b);

/* ---- perf_record.c ---- */
int hd_bench_perf_init(struct hd_bench *b, struct hd_err *err);
/* Run the command of a run once more and record it.  The sentence, yours, when that failed; NULL: fine. */
char *hd_bench_perf_record(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side);

/* ---- add_runs.c ---- */
/* Keep the CSVs of a run, which the next one will overwrite. */
int hd_bench_add_keep_csv(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side,
	struct hd_err *err);
int hd_bench_add(struct hd_bench *b, struct hd_err *err);
void hd_bench_add_release(struct hd_bench *b);

/* ---- report.c ---- */
int hd_bench_report_make(struct hd_bench_report *r, const struct hd_bench *b, struct hd_err *err);

/* ---- render/bench_text.c, render/bench_variability.c, render/bench_json.c ---- */
/* The label of a line; "" goes on with the one before. */
void hd_bench_text_label(struct hd_buf *out, const char *label, bool markdown);
void hd_bench_text_variability(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown);
const char *hd_bench_plural(unsigned n);		/* "s" or "" */
void hd_bench_text(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown);
void hd_bench_json(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r);
void hd_bench_csv(struct hd_buf *out, const struct hd_bench *b);

#endif
