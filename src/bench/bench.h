/*
 * bench.h - the data of one `hotdrift bench` session, and the functions that its files share
 *
 *     cli/bench_options.c options
 *     cli/cmd_bench.c     the database and target of hotdrift.ini, exit status
 *     variants.c          which commands are measured: operands, --base and --head, folders, a target
 *     sweep.c             a session for each input size, and how the times grow
 *     measure.c           runs the commands and collects what each run produced
 *     outputs.c           compares what the runs print and write
 *     csv_metrics.c       reads CSV files that a run writes
 *     perf_record.c       records a second execution of each run with perf
 *     report.c            summaries, speed-up, throughput, comparison with the last runs, and verdict
 *     add_runs.c          adds the runs to the database
 *     differential.c      compares the outputs of two commands for generated inputs (differential.h)
 *     render/bench_*.c, web/bench_page.c     print the report
 *
 * bench.c has functions that several of these files use.  measure.c calls outputs.c, csv_metrics.c, perf_record.c and
 * hd_bench_add_keep_csv() of add_runs.c.
 *
 * A variant is a measured command: the base or the head of a comparison, or the only command.
 *
 * A metric is a column with one value per run.  The first HD_BENCH_MEASURED metrics are measured by `hotdrift bench`
 * itself, the others are read from CSV files that the runs write.  A missing value is NaN.
 *
 * A process has one session at a time, because the signal handlers of `watch` belong to the process.
 */
#ifndef HD_BENCH_BENCH_H
#define HD_BENCH_BENCH_H

#include "base/argv.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "base/string_list.h"
#include "base/subprocess.h"
#include "bench/text_compare.h"
#include "doctor/conditions.h"
#include "stats/timing.h"

enum { HD_BENCH_VARIANTS = 2, HD_BENCH_RUNS_MAX = 100000, HD_BENCH_METRICS_MAX = 32 };
/* An output of at most this size is compared number by number.  A longer one is compared by its SHA-256 only. */
enum { HD_BENCH_KEEP_BYTES = 64 << 20 };
/* The session ends after this many failed runs of one variant. */
enum { HD_BENCH_FAILURES_MAX = 3 };

/*
 * Value of hd_bench_opts.runs if --runs is not given.  The number of runs is then HD_BENCH_RUNS_DEFAULT or, with
 * --time, at least HD_BENCH_RUNS_LEAST.
 */
#define HD_BENCH_RUNS_UNSET UINT32_MAX
enum { HD_BENCH_RUNS_DEFAULT = 10, HD_BENCH_RUNS_LEAST = 5 };

enum hd_bench_throughput { HD_BENCH_NO_THROUGHPUT, HD_BENCH_ELEMENTS, HD_BENCH_BYTES };

/* Options of the command line.  The session borrows their strings. */
struct hd_bench_opts {
	unsigned runs, warmup;
	const char *warmup_time, *time, *noise, *throughput, *sizes, *iterations;
	/* options of a differential session (differential.h) */
	const char *generate, *seed, *corpus;
	unsigned values, batch;
	bool last;				/* --last: compare with the last stored runs; --add implies it */
	const char *target, *ini, *base, *head, *base_dir, *head_dir, *separator;
	/* command line and folder of the target in hotdrift.ini; NULL if no target is used */
	const char *target_run, *target_dir;
	const char *setup, *prepare, *conclude, *cleanup, *input, *timeout;
	const char *tolerance, *abs_tolerance, *min_speedup, *max_cv;
	const char *profile, *event, *frequency;
	/* busy_ms: how long to wait for a locked database.  Only --add uses it and the next four members. */
	unsigned busy_ms;
	const char *work, *session, *config, *commit;
	struct hd_string_list output_files, series;
	bool shell, no_compare, ignore_failure, strict, add, json;
	int format;
	const char *csv, *out, *html;
	/* parsed from the strings above */
	uint64_t timeout_ms;
	uint64_t warmup_ns, time_ns;		/* time budgets for each command; 0: none */
	double noise_part;			/* noise threshold as a fraction: 0.02 is 2 % */
	double relative, absolute;
	double speedup_wanted;			/* NaN: not given */
	double cv_limit;			/* limit for the cv of steady times, as a fraction */
};

enum { HD_BENCH_WALL, HD_BENCH_USER, HD_BENCH_KERNEL, HD_BENCH_RSS, HD_BENCH_MEASURED };

struct hd_bench_metric {
	char *name;		/* such as "wall_time_us" or, from a CSV file, "p50 wall_time_us" */
	const char *unit;	/* "us", "bytes", "" */
};

struct hd_bench_run {
	unsigned side, number;		/* index of the variant; number of the run in it, from 0 */
	bool warmup;			/* a warm-up run; hd_bench.runs has it only if it failed */
	int64_t began;			/* seconds since 1970 */
	struct hd_subprocess_result end;
	char *why_failed;		/* NULL: the run succeeded */
	double value[HD_BENCH_METRICS_MAX];
	char *recording;		/* path of its perf.data, or NULL */
	char *kept;			/* folder with copies of the run's CSV files (with --add), or NULL */
	char *id;			/* run id in the database, or NULL */
};

struct hd_bench_variant {
	const char *name;		/* "base" and "head", or "run" if there is only one */
	struct hd_argv command;
	char *dir;			/* working folder; NULL: the current one */
	unsigned failed;
};

/* A stream or file that every run produces, and that should be the same in all runs. */
struct hd_bench_output {
	const char *name;		/* "stdout", or the path as given */
	/*
	 * true after the first successful run, which can be a warm-up run; the fields up to `text` then describe its
	 * output, the reference
	 */
	bool have;
	unsigned side;			/* the command of that run */
	bool cut;			/* the output is longer than HD_BENCH_KEEP_BYTES */
	uint8_t sum[HD_SHA256_BYTES];
	uint64_t bytes;
	struct hd_buf text;
	/* numbers of runs by result of the comparison; the reference and warm-up runs are counted, too */
	unsigned count[HD_BENCH_VARIANTS][HD_SAME_NOT + 1];
	double worst;			/* largest relative difference within the tolerance */
	struct hd_buf difference[HD_BENCH_VARIANTS];	/* describes the first difference; raw bytes, empty: none */
};

/* Result of comparing an output between runs.  The report names the output with the largest value. */
enum hd_bench_sameness {
	HD_BENCH_SAME_UNKNOWN,		/* no run succeeded */
	HD_BENCH_SAME_BYTES,
	HD_BENCH_SAME_WITHIN,		/* only the number of blanks differs, or numbers differ within the tolerance */
	HD_BENCH_SAME_VARIES,		/* differs in a run of the base, or of the only command, from the reference */
	HD_BENCH_SAME_DIFFERS		/* differs only in runs of the head from the reference */
};

/* The wall times of the last session of a variant in the database, at most HD_STORED_TIMES_MAX. */
struct hd_bench_last {
	double *wall_us;		/* oldest first */
	size_t n;
	/* recorded: UTC text, NULL if there are no runs; commit: NULL if it is unknown */
	char *recorded, *commit;
};

struct hd_bench {
	const struct hd_bench_opts *o;
	struct hd_signal_watch watch;
	struct hd_bench_variant side[HD_BENCH_VARIANTS];
	unsigned nsides;
	struct hd_bench_run *runs;	/* in the order of execution */
	size_t nruns, cap;
	struct hd_bench_metric metrics[HD_BENCH_METRICS_MAX];
	unsigned nmetrics;
	struct hd_bench_output *outputs;
	size_t noutputs;
	struct hd_conditions before, after;	/* state of the machine before and after the session */
	uint64_t our_cpu_ns, rss_floor;
	const char *perf, *event;	/* with --profile: the perf program and the event to record */
	char *recordings;		/* with --profile: absolute path of the folder with the perf.data files */
	int stopped_by;			/* the signal that ended the session, or 0 */
	int64_t began;
	bool left_others;		/* a run left processes running */
	unsigned left_out;		/* number of values dropped because of HD_BENCH_METRICS_MAX */
	unsigned added;			/* number of runs added to the database */
	char *db;			/* absolute path or URL of the database, set by the caller of hd_bench_add() */
	struct hd_buf db_name;		/* name of the database in messages */
	char *folder;			/* temporary folder of hd_bench_add_keep_csv(), or NULL */
	char *ended_early;		/* why runs are missing, or NULL */
	unsigned warmups;		/* number of warm-up runs of each variant */
	enum hd_bench_throughput throughput;
	double work;			/* elements or bytes that a run processes */
	struct hd_bench_last last[HD_BENCH_VARIANTS];
};

/* One metric of all variants. */
struct hd_bench_metric_summary {
	struct hd_timing timing[HD_BENCH_VARIANTS];
	struct hd_speedup speedup;
};

struct hd_bench_report {
	struct hd_bench_metric_summary column[HD_BENCH_METRICS_MAX];
	unsigned good[HD_BENCH_VARIANTS], failed[HD_BENCH_VARIANTS];
	struct hd_findings findings;
	bool steady;			/* the wall time of each variant has a cv within the limit, and no drift */
	/*
	 * number of successful runs with a peak RSS not above that of a process that does nothing.  For these runs, the
	 * peak RSS is only an upper limit.
	 */
	unsigned at_floor;
	enum hd_bench_sameness same;	/* the largest value over all outputs */
	const struct hd_bench_output *which;	/* the output that `same` refers to; NULL: no output is compared */
	/* result for the head (the second command): faster or slower than the base, or within the noise threshold */
	enum hd_change change;
	struct hd_speedup since_last[HD_BENCH_VARIANTS];	/* last time / time now; unknown without b->last */
	enum hd_change last_change[HD_BENCH_VARIANTS];
	bool judged;			/* there is a verdict */
	enum hd_verdict verdict;	/* valid if `judged` */
	struct hd_speedup_judged speed;	/* valid if `judged` and a speed-up is required (--min-speedup) */
};

/* ---- bench.c ---- */

/*
 * The order of runs: one variant "a a a ...", two variants "A B  B A  A B ...", so that a steady drift of the machine
 * affects both equally.  Warm-up runs come first, in the same order.
 *
 *     struct hd_schedule s = hd_schedule_init(2, warmup, runs);
 *     while (s.now_ns = clock(), hd_schedule_next(&s, &step))
 *             ...     step.side, step.warmup, step.number
 *
 * A round has one run of each variant.  With a time budget, a phase (warm-up or measurement) gets more rounds until it
 * has lasted that long for each variant.  `warmup` and `runs` are then the smallest numbers of rounds.
 */
struct hd_schedule {
	unsigned sides, warmup, runs;
	uint64_t warmup_ns, time_ns;	/* time budgets for each variant; 0: none */
	uint64_t now_ns;		/* current time; the caller sets it before each call if there is a budget */
	unsigned done;			/* number of steps of this phase so far */
	unsigned warmups;		/* number of warm-up rounds; set when the warm-up is over */
	uint64_t began_ns;		/* time of the first step of this phase */
	bool measuring;			/* the warm-up is over */
};

struct hd_schedule_step {
	unsigned side;		/* 0: the base, or the only variant */
	bool warmup;
	unsigned number;	/* index among the runs of this variant and kind, from 0 */
};

struct hd_schedule hd_schedule_init(unsigned sides, unsigned warmup, unsigned runs);
bool hd_schedule_next(struct hd_schedule *s, struct hd_schedule_step *step);	/* false: no step is left */

/* Append `path`, a path from the folder of the variant, as a path from the current folder.  An absolute one is kept. */
void hd_bench_variant_path(struct hd_buf *to, const struct hd_bench_variant *side, const char *path);
/* Append ": " and the last line that the process wrote to stderr (its first 300 bytes), if there is one. */
void hd_bench_append_stderr_line(struct hd_buf *to, const struct hd_subprocess_result *end);

/* Identity, size and change time of a file.  They show whether a run wrote the file. */
struct hd_bench_file_stamp {
	bool there;
	long long size, changed_s, changed_ns, inode;
};
struct hd_bench_file_stamp hd_bench_file_stamp_of(const struct hd_bench_variant *side, const char *path);
bool hd_bench_file_stamp_same(const struct hd_bench_file_stamp *a, const struct hd_bench_file_stamp *b);

/* ---- variants.c ---- */

/*
 * Set b->side (the commands to measure) and b->nsides (their number) from the operands and options.  If a target of
 * hotdrift.ini is used, the caller has stored its command line in b->o->target_run.
 */
int hd_bench_variants_parse(struct hd_bench *b, int argc, char **argv, struct hd_err *err);

/* ---- measure.c ---- */

/*
 * Run the session.  It ends early, with the result 0, after a signal (b->stopped_by) or after too many failed runs
 * (b->ended_early).  It fails if a command, or a hook such as --setup or --prepare, cannot be started, if a hook fails,
 * or if hd_bench_perf_init() or hd_bench_add_keep_csv() fails.
 */
int hd_bench_measure(struct hd_bench *b, struct hd_log *log, struct hd_err *err);
void hd_bench_release(struct hd_bench *b);

/* ---- outputs.c ---- */

void hd_bench_outputs_init(struct hd_bench *b);
/*
 * Compare the outputs of a run, which has not failed so far, with the references, and count the results in b->outputs.
 * The reference of an output is the first content that was read.  Returns NULL or, if a file cannot be read, a message
 * that the caller frees.
 */
char *hd_bench_outputs_compare(struct hd_bench *b, const struct hd_bench_run *run, const struct hd_bench_variant *side);
enum hd_bench_sameness hd_bench_output_sameness(const struct hd_bench_output *out);
void hd_bench_outputs_release(struct hd_bench *b);

/* ---- csv_metrics.c ---- */

/*
 * Read the CSV files of a run into run->value.  Returns NULL or, if a file cannot be read, a message that the caller
 * frees.
 */
char *hd_bench_csv_metrics_read(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side);

/* ---- perf_record.c ---- */

/* With --profile: create the folder, choose perf and the event, and try a recording.  Otherwise do nothing. */
int hd_bench_perf_init(struct hd_bench *b, struct hd_err *err);
/*
 * Execute the command of a run once more, under perf record.  Sets run->recording, also on failure.  Returns NULL or,
 * on failure, a message that the caller frees.
 */
char *hd_bench_perf_record(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side);

/* ---- add_runs.c ---- */

/*
 * Create a folder for the run below b->folder (run->kept).  Copy the CSV files of the run into it, unless the run
 * failed, because the next run overwrites them.  Write the values that were measured here as CSV files beside them.
 */
int hd_bench_add_keep_csv(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side,
	struct hd_err *err);
/*
 * Add all runs that have a folder with CSV files (run->kept) to the database b->db by running `hotdrift add`, and set
 * the id of each.  The first run that cannot be added ends this, and the result is its error.
 */
int hd_bench_add(struct hd_bench *b, struct hd_err *err);
void hd_bench_add_release(struct hd_bench *b);		/* remove the temporary copies */

/* ---- report.c ---- */

/* Summarise the session in *r, which borrows from `b`.  Fails only if memory is exhausted. */
int hd_bench_report_make(struct hd_bench_report *r, const struct hd_bench *b, struct hd_err *err);

/*
 * Write the values of a metric, of all successful runs of a variant in their order, to `v`, which has room for
 * b->nruns.  Runs without the value are skipped.  Returns the number of values.
 */
size_t hd_bench_values(const struct hd_bench *b, unsigned side, unsigned metric, double *v);

/*
 * Units of work per second, computed from the mean wall time and its interval; NaN if they are unknown.  The upper end
 * of the interval is infinite if the interval of the time reaches down to 0.
 */
struct hd_bench_rate {
	double per_second;
	struct hd_interval ci;
};
struct hd_bench_rate hd_bench_rate_of(const struct hd_bench *b, const struct hd_bench_report *r, unsigned side);
const char *hd_bench_throughput_name(enum hd_bench_throughput kind);	/* "elements", "bytes" */

/* ---- render/bench_*.c ---- */

/* Append the label at the start of a line of the report.  If the label is "", the line continues the previous one. */
void hd_bench_text_label(struct hd_buf *out, const char *label, bool markdown);
struct hd_table;
/* Initialise `t` with a row for each metric: statistics of one variant, or the comparison of two. */
void hd_bench_table(struct hd_table *t, const struct hd_bench *b, const struct hd_bench_report *r);
/*
 * hd_bench_text_output() appends the line that says whether the outputs of the runs are the same,
 * hd_bench_text_verdict() the line with the verdict.  Each appends nothing if there is nothing to report.
 */
void hd_bench_text_output(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown);
void hd_bench_text_verdict(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown);
void hd_bench_text_variability(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown);
const char *hd_bench_plural(unsigned n);		/* "s" or "" */
void hd_bench_text(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown);
/* Append a value with its unit, such as "1.23 ms", or "-" if the value is not finite. */
void hd_bench_text_value(struct hd_buf *out, double v, const char *unit);
/* hd_bench_text_ratio() appends a ratio with about three digits, hd_bench_text_ratios() an interval: "0.98 .. 1.02". */
void hd_bench_text_ratio(struct hd_buf *out, double v);
void hd_bench_text_ratios(struct hd_buf *out, struct hd_interval ci);
/* Append the throughput, and its interval if known: "12.3 Melements/s (12.1 Melements/s .. 12.5 Melements/s)". */
void hd_bench_text_rate(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_rate *rate);
/* Append what a change means, for example ": within noise (2 %)".  Appends nothing if the ratio alone is clear. */
void hd_bench_text_change(struct hd_buf *out, enum hd_change change, const struct hd_speedup *s, double noise);
/*
 * Append "1.05 times as fast as the last 10 runs (...)" for a variant.  Appends nothing if there are no earlier runs.
 */
void hd_bench_text_since_last(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	unsigned side);
/* Append the line with the command of a variant and its folder. */
void hd_bench_text_command(struct hd_buf *out, const struct hd_bench *b, unsigned side, bool markdown);
void hd_bench_text_throughput(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown);
void hd_bench_text_last(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown);
void hd_bench_json(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r);
/*
 * Write the JSON of the session as the next value of an open array or object.  key: name of the member, or NULL in an
 * array.
 */
void hd_bench_json_session(struct hd_jsonw *w, const char *key, const struct hd_bench *b,
	const struct hd_bench_report *r);
void hd_json_speedup(struct hd_jsonw *w, const char *key, const struct hd_speedup *s);
/*
 * hd_bench_csv_header() appends the header line of the CSV, hd_bench_csv() the lines of a session.  swept: name of an
 * additional first column, or NULL.
 */
void hd_bench_csv_header(struct hd_buf *out, const struct hd_bench *b, const char *swept);
void hd_bench_csv(struct hd_buf *out, const struct hd_bench *b, const char *swept, double value);

#endif
