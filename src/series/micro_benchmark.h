/*
 * micro_benchmark.h - read the results of micro-benchmark programs
 *
 *     Criterion.rs        target/criterion/GROUP/FUNCTION/VALUE/new/estimates.json, with benchmark.json and sample.json
 *                         beside it; a folder is searched for all of them
 *     Google Benchmark    the JSON of --benchmark_format=json or --benchmark_out
 *     hotdrift            the JSON of `hotdrift bench --json`, also of a sweep
 *
 * Figures are nanoseconds per iteration.  Intervals are 95 % confidence intervals over the repetitions
 * (stats/summary.h; by Student's t for the slope), except those of Criterion: they are read from its files and have its
 * confidence level.  Figures that come from an aggregate of Google Benchmark have no interval.
 *
 * A benchmark that reported an error has no result: it is skipped with the warning lost.benchmark.
 */
#ifndef HD_SERIES_MICRO_BENCHMARK_H
#define HD_SERIES_MICRO_BENCHMARK_H

#include "base/arena.h"
#include "base/json.h"
#include "base/log.h"
#include "stats/bootstrap.h"

/* A figure and its interval; NaN if unknown. */
struct hd_micro_figure {
	double value;
	struct hd_interval ci;
};

struct hd_micro_benchmark {
	const char *name;		/* raw text: "parse/rows/1000" */
	const char *tool;		/* "criterion", "google-benchmark", "hotdrift" */
	/* Samples: time_ns[i] is the total time of iterations[i] iterations. */
	double *time_ns, *iterations;
	size_t n;
	struct hd_micro_figure mean, median, slope;
	struct hd_micro_figure std;	/* standard deviation with the divisor n - 1 */
	/*
	 * R^2 of the least-squares line through the samples, which has an intercept, unlike the line of `slope`; NaN
	 * if all samples have the same number of iterations, or the same time, or if there are fewer than two
	 */
	double r2;
	double cpu_ns;			/* mean CPU time of an iteration; NaN: unknown */
	double elements_per_s, bytes_per_s;	/* NaN: unknown */
};

struct hd_micro_benchmarks {
	struct hd_arena arena;
	struct hd_micro_benchmark *items;
	size_t n, cap;
};

enum { HD_MICRO_BENCHMARKS_MAX = 20000, HD_MICRO_BENCHMARK_DEPTH = 12 };

void hd_micro_benchmarks_release(struct hd_micro_benchmarks *all);

/* Parse a file of Google Benchmark or of hotdrift; `path` is for messages. */
int hd_micro_benchmarks_parse(struct hd_micro_benchmarks *all, const char *text, size_t n, const char *path,
	struct hd_log *log, struct hd_err *err);

/* The texts of the files of one benchmark of Criterion, and their sizes; benchmark and sample may be NULL. */
struct hd_criterion_files {
	const char *estimates, *benchmark, *sample;
	size_t nestimates, nbenchmark, nsample;
	const char *path;		/* path of estimates.json, for messages */
	const char *name;		/* the name if there is no benchmark.json */
};
int hd_micro_benchmarks_parse_criterion(struct hd_micro_benchmarks *all, const struct hd_criterion_files *f,
	struct hd_err *err);

/*
 * Used by the readers: append a benchmark with unknown figures.  `name` is copied; `tool` must be a string literal.  *b
 * is valid until the next call.  HD_EFORMAT if the name is empty, or if there are HD_MICRO_BENCHMARKS_MAX benchmarks
 * already.
 */
int hd_micro_benchmarks_add(struct hd_micro_benchmarks *all, struct hd_micro_benchmark **b, const char *name, size_t n,
	const char *tool, const char *path, struct hd_err *err);
/* Add a sample to a benchmark.  A sample with an invalid time or count is skipped. */
void hd_micro_benchmark_sample(struct hd_micro_benchmark *b, double time_ns, double iterations);
/*
 * Compute mean and median from the samples and, if there are several, std; if their numbers of iterations vary, also
 * slope and r2.  keep: do not replace figures that are known, except r2.  HD_EIO: out of memory.
 */
int hd_micro_benchmark_summarize(struct hd_micro_benchmark *b, bool keep, struct hd_err *err);
/* Return the member `key` of an object; NULL if there is none, or if `object` is NULL or not an object. */
const struct hd_json *hd_micro_member(const struct hd_json *object, const char *key);
/* Return the value of a number.  NaN if v is NULL or not a number, or if the number is beyond the range of a double. */
double hd_micro_value(const struct hd_json *v);
double hd_micro_number(const struct hd_json *object, const char *key);	/* hd_micro_value() of hd_micro_member() */

#endif
