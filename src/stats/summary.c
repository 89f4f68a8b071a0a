/*
 * summary.c - see summary.h
 */
#include "stats/summary.h"

#include "stats/order.h"
#include "stats/bootstrap.h"

#include <math.h>

static double deviation(const double *v, size_t n, long double mean)
{
	long double squares = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		long double d = v[i] - mean;

		squares += d * d;
		first += d;		/* would be 0 if the mean were exact */
	}
	squares -= first * first / (long double)n;
	return (double)sqrtl(fmaxl(squares / (long double)n, 0));
}

/* Ranks that will be selected, ascending, each once. */
struct ranks {
	size_t at[20], n;
};

static void want(struct ranks *r, size_t rank)
{
	size_t i = r->n;

	for (size_t j = 0; j < r->n; j++)
		if (r->at[j] == rank)
			return;
	for (; i > 0 && r->at[i - 1] > rank; i--)
		r->at[i] = r->at[i - 1];
	r->at[i] = rank;
	r->n++;
}

/* A percentile with the indexes of its interval. */
struct percentile {
	size_t at, lo, hi;
};

static struct percentile percentile_of(size_t n, unsigned percent, struct ranks *r)
{
	struct percentile p = { .at = hd_order_nearest(n, percent) };

	hd_bootstrap_ranks(n, percent, &p.lo, &p.hi);
	want(r, p.at);
	if (p.lo != HD_BOOTSTRAP_NONE)
		want(r, p.lo);
	if (p.hi != HD_BOOTSTRAP_NONE)
		want(r, p.hi);
	return p;
}

static struct hd_interval interval_of(const double *v, struct percentile p)
{
	return (struct hd_interval){ p.lo == HD_BOOTSTRAP_NONE ? -INFINITY : v[p.lo],
		p.hi == HD_BOOTSTRAP_NONE ? INFINITY : v[p.hi] };
}

static void want_type7(struct ranks *r, size_t n, double p)
{
	size_t at = hd_order_type7_rank(n, p);

	want(r, at);
	want(r, at + 1 < n ? at + 1 : at);
}

static void count_outliers(struct hd_summary *out, const double *v, size_t n)
{
	long double reach = 1.5L * ((long double)out->q3 - out->q1), lo = out->q1 - reach, hi = out->q3 + reach;

	out->fence_lo = (double)lo;
	out->fence_hi = (double)hi;
	for (size_t i = 0; i < n; i++)
		out->outliers += v[i] < lo || v[i] > hi;
}

int hd_summarize(struct hd_summary *out, double *v, size_t n)
{
	struct ranks r = { .n = 0 };
	struct percentile p50, p95, p99;
	long double sum;

	*out = (struct hd_summary){ .n = n };
	if (!n)
		return HD_STATS_NONE;
	p50 = percentile_of(n, 50, &r);
	p95 = percentile_of(n, 95, &r);
	p99 = percentile_of(n, 99, &r);
	want_type7(&r, n, 0.25);
	want_type7(&r, n, 0.75);
	want(&r, 0);
	want(&r, n - 1);
	if (n > HD_SUMMARY_PLAIN) {
		want(&r, HD_SUMMARY_EXTREMES - 1);
		want(&r, n - HD_SUMMARY_EXTREMES);
	}
	/*
	 * Sum before selecting: selecting reorders the values, and another order would change the last digits of the
	 * sum.
	 */
	sum = hd_sum(v, n);
	out->sum = (double)sum;
	out->mean = (double)(sum / (long double)n);
	out->std = deviation(v, n, sum / (long double)n);
	hd_order_select(v, n, r.at, r.n);
	out->min = v[0];
	out->max = v[n - 1];
	out->p50 = v[p50.at];
	out->p95 = v[p95.at];
	out->p99 = v[p99.at];
	out->ci_p50 = interval_of(v, p50);
	out->ci_p95 = interval_of(v, p95);
	out->ci_p99 = interval_of(v, p99);
	out->q1 = hd_order_type7(v, n, 0.25);
	out->q3 = hd_order_type7(v, n, 0.75);
	count_outliers(out, v, n);
	return hd_bootstrap_moments(&out->ci_mean, &out->ci_std, v, n);
}
