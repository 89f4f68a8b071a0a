/*
 * fuzz_benchmarks.c - read any bytes as results of micro-benchmarks
 *
 * The whole input is read as the file of Google Benchmark or of `bench`.  Then it is divided at bytes 0x1e, and the
 * parts are read as estimates.json, benchmark.json and sample.json of Criterion.  Invariants: each time is finite and
 * not negative, each count of iterations is positive, and the series of a run can be stored.
 */
#include "history/run_benchmarks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct hd_micro_benchmarks *all)
{
	struct hd_run_csv_set set = { .n = 0 };
	struct hd_run run = { .target = "t" };
	struct hd_err err;

	for (size_t i = 0; i < all->n; i++) {
		const struct hd_micro_benchmark *b = &all->items[i];

		assert(*b->name && *b->tool);
		for (size_t k = 0; k < b->n; k++)
			assert(b->time_ns[k] >= 0 && isfinite(b->time_ns[k]) && b->iterations[k] > 0);
		assert(isnan(b->r2) || b->r2 <= 1 + 1e-6);
	}
	assert(hd_run_benchmarks_add(&set, all, "a* = b\n*/c = d::e", &err) >= 0);
	run.series = set.series;
	run.nseries = set.n;
	assert(hd_run_check(&run, &err) >= 0);
	hd_run_csv_set_release(&set);
}

/* Return the next part of the input, which has *left bytes at *at, and its length in *n; NULL after the last part. */
static const char *next_part(const uint8_t **at, size_t *left, size_t *n)
{
	const uint8_t *from = *at, *mark = *left ? memchr(from, 0x1e, *left) : NULL;

	if (!from)
		return NULL;
	*n = mark ? (size_t)(mark - from) : *left;
	*left -= *n + (mark != NULL);
	*at = mark ? mark + 1 : NULL;
	return (const char *)from;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_micro_benchmarks all = { .n = 0 };
	struct hd_criterion_files f = { .path = "x/new/estimates.json", .name = "x" };
	struct hd_log log = { 0 };
	struct hd_err err;

	if (!size)
		return 0;
	if (hd_micro_benchmarks_parse(&all, (const char *)data, size, "x.json", &log, &err) >= 0)
		check(&all);
	hd_micro_benchmarks_release(&all);
	f.estimates = next_part(&data, &size, &f.nestimates);
	f.benchmark = next_part(&data, &size, &f.nbenchmark);
	f.sample = next_part(&data, &size, &f.nsample);
	if (hd_micro_benchmarks_parse_criterion(&all, &f, &err) >= 0)
		check(&all);
	hd_micro_benchmarks_release(&all);
	hd_log_release(&log);
	return 0;
}
