/*
 * google_benchmark.c - read the JSON of Google Benchmark and of `hotdrift bench`; see micro_benchmark.h
 *
 * Google Benchmark: {"context":{...},"benchmarks":[{"name","run_name","run_type":"iteration" or "aggregate",
 * "repetition_index","iterations","real_time","cpu_time","time_unit","items_per_second","bytes_per_second",
 * "aggregate_name","aggregate_unit","error_occurred","error_message"}]}
 *
 * real_time is the time of one iteration in time_unit.  The rows of one run_name are repetitions of one benchmark.
 * Their aggregates are computed again; they are read only if the repetitions are not in the file
 * (--benchmark_report_aggregates_only).
 */
#include "series/micro_benchmark.h"

#include "base/mem.h"
#include "base/strtab.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

static const char *text_of(const struct hd_json *row, const char *key, size_t *n)
{
	const struct hd_json *v = hd_micro_member(row, key);

	*n = 0;
	return v && hd_json_kind(v) == HD_JSON_STRING ? hd_json_string(v, n) : NULL;
}

static bool is_text(const struct hd_json *row, const char *key, const char *wanted)
{
	size_t n;
	const char *text = text_of(row, key, &n);

	return text && n == strlen(wanted) && !memcmp(text, wanted, n);
}

/*
 * Return the factor from the time unit of a row to nanoseconds.  A row without a unit has nanoseconds.  NaN: the unit
 * is unknown.
 */
static double unit_ns(const struct hd_json *row)
{
	static const struct { const char *name; double ns; } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 },
									 { "s", 1e9 } };

	if (!hd_micro_member(row, "time_unit"))
		return 1;
	for (size_t i = 0; i < HD_COUNT(units); i++)
		if (is_text(row, "time_unit", units[i].name))
			return units[i].ns;
	return NAN;
}

static bool has_failed(const struct hd_json *row)
{
	const struct hd_json *v = hd_micro_member(row, "error_occurred");

	return v && hd_json_kind(v) == HD_JSON_BOOL && hd_json_bool(v);
}

/* The name that the repetitions of a benchmark share. */
static const char *run_name(const struct hd_json *row, size_t *n)
{
	const char *name = text_of(row, "run_name", n);

	return name ? name : text_of(row, "name", n);
}

/*
 * State while the benchmarks of one file are read.  The benchmark with id i in `names` is number first + i - 1 in
 * `all`.
 */
struct reading {
	struct hd_micro_benchmarks *all;
	size_t first;
	struct hd_strtab *names;
	const char *path;
	struct hd_log *log;
};

/* Set *b to the benchmark with this name.  A benchmark with a new name is added. */
static int find_or_add(struct reading *r, struct hd_micro_benchmark **b, const char *name, size_t n, struct hd_err *err)
{
	uint32_t known = hd_strtab_count(r->names), id = hd_strtab_addn(r->names, name, n);

	/* The empty string has id 0 and is not a name, so the first name has id 1. */
	if (id >= known || !id)
		return hd_micro_benchmarks_add(r->all, b, name, n, "google-benchmark", r->path, err);
	*b = &r->all->items[r->first + id - 1];
	return 0;
}

static void take_rates(struct hd_micro_benchmark *b, const struct hd_json *row)
{
	double cpu = hd_micro_number(row, "cpu_time") * unit_ns(row), n = (double)b->n;

	/* Update the means over the repetitions.  In the first repetition, the value replaces NaN. */
	b->cpu_ns = n > 1 ? b->cpu_ns + (cpu - b->cpu_ns) / n : cpu;
	b->elements_per_s = n > 1
		? b->elements_per_s + (hd_micro_number(row, "items_per_second") - b->elements_per_s) / n
		: hd_micro_number(row, "items_per_second");
	b->bytes_per_s = n > 1 ? b->bytes_per_s + (hd_micro_number(row, "bytes_per_second") - b->bytes_per_s) / n
			       : hd_micro_number(row, "bytes_per_second");
}

static int take_iteration(struct reading *r, const struct hd_json *row, struct hd_err *err)
{
	size_t n;
	const char *name = run_name(row, &n);
	double each = hd_micro_number(row, "real_time") * unit_ns(row), count = hd_micro_number(row, "iterations");
	struct hd_micro_benchmark *b;
	int rc;

	if (!name)
		return hd_fail(err, HD_EFORMAT, "%s: a benchmark has no name", r->path);
	if (has_failed(row)) {
		hd_warn(r->log, "lost.benchmark", "run the benchmark again",
			"%s: %.*s reported an error and is skipped",
			r->path, (int)(n < 200 ? n : 200), name);
		return 0;
	}
	if (!(each >= 0) || !isfinite(each))
		return hd_fail(err, HD_EFORMAT, "%s: %.*s has no real_time in ns, us, ms or s", r->path,
			(int)(n < 200 ? n : 200), name);
	rc = find_or_add(r, &b, name, n, err);
	if (rc < 0)
		return rc;
	count = count >= 1 ? count : 1;
	hd_micro_benchmark_sample(b, each * count, count);
	take_rates(b, row);
	return 0;
}

/* Use an aggregate as the result of a benchmark whose repetitions are not in the file. */
static int take_aggregate(struct reading *r, const struct hd_json *row, struct hd_err *err)
{
	static const struct { const char *name; size_t offset; } figures[] = {
		{ "mean", offsetof(struct hd_micro_benchmark, mean) },
		{ "median", offsetof(struct hd_micro_benchmark, median) },
		{ "stddev", offsetof(struct hd_micro_benchmark, std) },
	};
	size_t n, which = 0;
	const char *name = run_name(row, &n);
	double v = hd_micro_number(row, "real_time") * unit_ns(row);
	struct hd_micro_benchmark *b;
	int rc;

	while (which < HD_COUNT(figures) && !is_text(row, "aggregate_name", figures[which].name))
		which++;
	if (which == HD_COUNT(figures) || !name || !(v >= 0) || !isfinite(v))
		return 0;
	rc = find_or_add(r, &b, name, n, err);
	if (rc < 0 || b->n)
		return rc;
	((struct hd_micro_figure *)((char *)b + figures[which].offset))->value = v;
	if (!which) {
		b->cpu_ns = hd_micro_number(row, "cpu_time") * unit_ns(row);
		b->elements_per_s = hd_micro_number(row, "items_per_second");
		b->bytes_per_s = hd_micro_number(row, "bytes_per_second");
	}
	return 0;
}

static int take_google(struct hd_micro_benchmarks *all, const struct hd_json *rows, const char *path,
	struct hd_log *log, struct hd_err *err)
{
	struct reading r = { all, all->n, hd_strtab_new(), path, log };
	int rc = 0;

	for (size_t i = 0; i < hd_json_count(rows) && rc >= 0; i++)
		if (!is_text(hd_json_at(rows, i), "run_type", "aggregate"))
			rc = take_iteration(&r, hd_json_at(rows, i), err);
	for (size_t i = 0; i < hd_json_count(rows) && rc >= 0; i++)
		if (is_text(hd_json_at(rows, i), "run_type", "aggregate"))
			rc = take_aggregate(&r, hd_json_at(rows, i), err);
	for (size_t i = r.first; i < all->n && rc >= 0; i++)
		rc = hd_micro_benchmark_summarize(&all->items[i], false, err);
	hd_strtab_free(r.names);
	return rc;
}

/* ---- hotdrift bench --json ---- */

/* Append the words of a command, separated by blanks. */
static void command_name(struct hd_buf *out, const struct hd_json *side)
{
	const struct hd_json *words = hd_micro_member(side, "command");

	for (size_t i = 0; words && i < hd_json_count(words); i++) {
		size_t n = 0;
		const char *word = hd_json_kind(hd_json_at(words, i)) == HD_JSON_STRING
					   ? hd_json_string(hd_json_at(words, i), &n) : "";

		hd_buf_adds(out, i ? " " : "");
		hd_buf_add(out, word, strnlen(word, n));
	}
}

static int take_side(struct hd_micro_benchmarks *all, const struct hd_json *bench, const struct hd_json *side, size_t i,
	const char *path, struct hd_err *err)
{
	const struct hd_json *runs = hd_micro_member(bench, "runs"), *rate = hd_micro_member(bench, "throughput");
	const struct hd_json *rates = hd_micro_member(rate, "sides");
	bool two = hd_json_count(hd_json_get(bench, "sides")) > 1;
	struct hd_micro_benchmark *b;
	struct hd_buf name = { 0 };
	size_t n;
	const char *side_name = text_of(side, "name", &n);
	int rc;

	if (two && side_name)
		hd_buf_addf(&name, "%.*s: ", (int)(n < 64 ? n : 64), side_name);
	command_name(&name, side);
	rc = hd_micro_benchmarks_add(all, &b, hd_buf_str(&name), name.len, "hotdrift", path, err);
	hd_buf_release(&name);
	if (rc < 0)
		return rc;
	if (rates && i < hd_json_count(rates)) {
		double per_second = hd_micro_number(hd_json_at(rates, i), "per_second");

		if (is_text(rate, "unit", "bytes"))
			b->bytes_per_s = per_second;
		else
			b->elements_per_s = per_second;
	}
	for (size_t k = 0; runs && k < hd_json_count(runs); k++) {
		const struct hd_json *run = hd_json_at(runs, k), *failed = hd_micro_member(run, "failed");
		size_t run_side;
		const char *its = text_of(run, "side", &run_side);

		if (its && side_name && run_side == n && !memcmp(its, side_name, n) &&
			(!failed || hd_json_kind(failed) == HD_JSON_NULL))
			hd_micro_benchmark_sample(b, hd_micro_number(run, "wall_time_us") * 1e3, 1);
	}
	return hd_micro_benchmark_summarize(b, false, err);
}

static int take_bench(struct hd_micro_benchmarks *all, const struct hd_json *bench, const char *path,
	struct hd_err *err)
{
	const struct hd_json *sides = hd_micro_member(bench, "sides");
	int rc = 0;

	for (size_t i = 0; sides && i < hd_json_count(sides) && rc >= 0; i++)
		rc = take_side(all, bench, hd_json_at(sides, i), i, path, err);
	return rc;
}

int hd_micro_benchmarks_parse(struct hd_micro_benchmarks *all, const char *text, size_t n, const char *path,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_json_doc *doc = NULL;
	const struct hd_json *root, *rows, *values;
	int rc = hd_json_parse(&doc, text, n, path, err);

	if (rc < 0)
		return rc;
	root = hd_json_root(doc);
	rows = hd_micro_member(root, "benchmarks");
	values = hd_micro_member(root, "values");
	if (is_text(root, "format", "hotdrift.bench")) {
		rc = take_bench(all, root, path, err);
	} else if (is_text(root, "format", "hotdrift.bench-sweep")) {
		for (size_t i = 0; values && i < hd_json_count(values) && rc >= 0; i++)
			rc = take_bench(all, hd_micro_member(hd_json_at(values, i), "bench"), path, err);
	} else if (rows && hd_json_kind(rows) == HD_JSON_ARRAY) {
		rc = take_google(all, rows, path, log, err);
	} else {
		rc = hd_fail(err, HD_EFORMAT, "%s: neither the JSON of Google Benchmark nor that of hotdrift bench; of "
			"Criterion give the folder target/criterion, or a file estimates.json", path);
	}
	hd_json_free(doc);
	return rc;
}
