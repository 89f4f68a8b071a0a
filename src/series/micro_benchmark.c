/*
 * micro_benchmark.c - see micro_benchmark.h
 */
#include "series/micro_benchmark.h"

#include "base/mem.h"
#include "stats/fit.h"
#include "stats/special_functions.h"
#include "stats/summary.h"
#include "track/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct hd_micro_figure unknown = { NAN, { NAN, NAN } };

/* ---- the list ---- */

int hd_micro_benchmarks_add(struct hd_micro_benchmarks *all, struct hd_micro_benchmark **b, const char *name, size_t n,
	const char *tool, const char *path, struct hd_err *err)
{
	const char *copy = hd_arena_strndup(&all->arena, name, strnlen(name, n));

	if (!*copy)
		return hd_fail(err, HD_EFORMAT, "%s: a benchmark has no name", path);
	if (all->n == HD_MICRO_BENCHMARKS_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: more than %d benchmarks", path, HD_MICRO_BENCHMARKS_MAX);
	HD_GROW(all->items, all->n + 1, all->cap);
	*b = &all->items[all->n++];
	**b = (struct hd_micro_benchmark){ .name = copy, .tool = tool, .mean = unknown, .median = unknown,
		.std = unknown, .slope = unknown, .r2 = NAN, .cpu_ns = NAN, .elements_per_s = NAN, .bytes_per_s = NAN };
	return 0;
}

void hd_micro_benchmark_sample(struct hd_micro_benchmark *b, double time_ns, double iterations)
{
	size_t n = b->n;

	if (!(time_ns >= 0) || !isfinite(time_ns) || !(iterations > 0) || !isfinite(iterations))
		return;
	/* The capacity is 0, or the smallest power of two that is at least n.  So the arrays are full at these n. */
	if (!(n & (n - 1))) {
		b->time_ns = hd_realloc(b->time_ns, n ? 2 * n : 1, sizeof(*b->time_ns));
		b->iterations = hd_realloc(b->iterations, n ? 2 * n : 1, sizeof(*b->iterations));
	}
	b->time_ns[n] = time_ns;
	b->iterations[n] = iterations;
	b->n++;
}

void hd_micro_benchmarks_release(struct hd_micro_benchmarks *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->items[i].time_ns);
		free(all->items[i].iterations);
	}
	free(all->items);
	hd_arena_release(&all->arena);
	*all = (struct hd_micro_benchmarks){ 0 };
}

const struct hd_json *hd_micro_member(const struct hd_json *object, const char *key)
{
	return object ? hd_json_get(object, key) : NULL;
}

double hd_micro_value(const struct hd_json *v)
{
	const char *text = v ? hd_json_number(v) : "";
	struct hd_number n;

	return *text && hd_number_read(text, strlen(text), &n) == HD_NUMBER ? n.v : NAN;
}

double hd_micro_number(const struct hd_json *object, const char *key)
{
	return hd_micro_value(hd_micro_member(object, key));
}

/* ---- figures ---- */

static void set(struct hd_micro_figure *f, bool keep, double value, struct hd_interval ci)
{
	if (!keep || isnan(f->value))
		*f = (struct hd_micro_figure){ value, ci };
}

/*
 * Fit a line through the origin, time = slope * iterations, by least squares, and compute the slope's 95 % interval by
 * Student's t.  b->r2 is that of a line with an intercept.  If all numbers of iterations are equal, nothing is set.
 */
static void fit_slope(struct hd_micro_benchmark *b, bool keep)
{
	long double sxx = 0, sxy = 0, rest = 0;
	struct hd_fit line;
	double slope, half;

	for (size_t i = 0; i < b->n; i++) {
		sxx += (long double)b->iterations[i] * b->iterations[i];
		sxy += (long double)b->iterations[i] * b->time_ns[i];
	}
	slope = (double)(sxy / sxx);
	for (size_t i = 0; i < b->n; i++) {
		long double off = b->time_ns[i] - slope * (long double)b->iterations[i];

		rest += off * off;
	}
	if (hd_fit_line(&line, b->iterations, b->time_ns, b->n) < 0 || !isfinite(slope))
		return;
	half = hd_t_quantile(0.975, (double)b->n - 1) * sqrt((double)(rest / sxx) / ((double)b->n - 1));
	set(&b->slope, keep, slope, (struct hd_interval){ slope - half, slope + half });
	b->r2 = line.r2;
}

int hd_micro_benchmark_summarize(struct hd_micro_benchmark *b, bool keep, struct hd_err *err)
{
	static const struct hd_interval none = { NAN, NAN };
	double *each;
	struct hd_summary s;
	int rc;

	if (!b->n)
		return 0;
	each = hd_new_array(double, b->n);
	for (size_t i = 0; i < b->n; i++)
		each[i] = b->time_ns[i] / b->iterations[i];
	rc = hd_summarize(&s, each, b->n);
	free(each);
	if (rc < 0)
		return hd_fail(err, HD_EIO, "no memory for %zu samples", b->n);
	set(&b->mean, keep, s.mean, b->n > 1 ? s.ci_mean : none);
	set(&b->median, keep, s.p50, b->n > 1 ? s.ci_p50 : none);
	if (b->n > 1) {
		/*
		 * hd_summarize() divides the variance by n.  Convert its standard deviation to the divisor n - 1, which
		 * Criterion and Google Benchmark use.
		 */
		double scale = sqrt((double)b->n / (double)(b->n - 1));

		set(&b->std, keep, scale * s.std, (struct hd_interval){ scale * s.ci_std.lo, scale * s.ci_std.hi });
		fit_slope(b, keep);
	}
	return 0;
}
