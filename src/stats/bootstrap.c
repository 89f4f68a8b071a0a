/*
 * bootstrap.c - see bootstrap.h
 */
#include "stats/bootstrap.h"

#include "stats/order.h"
#include "stats/random.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF_MISS 0.025			/* the probability that a 95 % interval misses the truth at each end */
enum {
	MISS = 25, /* HALF_MISS in thousandths */
	/*
	 * STD_MISS: with up to HD_SUMMARY_PLAIN values, the bootstrap-t of std excludes this many thousandths of the
	 * draws at each end.  If it excluded 25, it would cover the true std for only 90 % of normal samples of 20
	 * values, and for 80 % of lognormal ones.
	 */
	STD_MISS = 5,
};

static const uint64_t seed = 0x686f7464726966;	/* fixed, for reproducible results */

/* Return the smallest k in 1..n+1 with P(at least k of n values lie below the p-quantile) <= bound. */
static size_t rank_at_most(size_t n, double p, double bound)
{
	size_t lo = 1, hi = n + 1;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (hd_binomial_upper(mid, n, p) <= bound)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void hd_bootstrap_ranks(size_t n, unsigned percent, size_t *lo, size_t *hi)
{
	double p = percent / 100.0;

	*lo = rank_at_most(n, p, 1 - HALF_MISS) - 2;
	if (*lo > n)
		*lo = HD_BOOTSTRAP_NONE;
	*hi = rank_at_most(n, p, HALF_MISS) - 1;
	if (*hi == n)
		*hi = HD_BOOTSTRAP_NONE;
}

/* The deviations of values from their mean, divided by the largest absolute deviation, so that no square overflows. */
struct deviations {
	const double *v;
	size_t n;
	long double mean, unit;
	struct hd_random random;
};

static double deviation(const struct deviations *d, size_t i)
{
	return (double)((d->v[i] - d->mean) / d->unit);
}

struct intervals {
	struct hd_interval mean, std;
};

/* Sum and sum of squares of a resample, each divided by n. */
struct moments {
	double m1, m2;
};

/* The extreme values, and the moments of the others. */
struct bulk {
	double extreme[2 * HD_SUMMARY_EXTREMES];
	double mean1, mean2;		/* means of x and x^2 */
	/*
	 * a draw of a value x that is not extreme: x = mean1 + sd1 z1, and x^2 = mean2 + slope z1 + rest z2; z1 and z2
	 * are uncorrelated and have variance 1
	 */
	double sd1, slope, rest;
	/*
	 * 1 / ln(1 - P(a draw is extreme)).  Between two draws of extreme values, there are floor(ln(random number) *
	 * skip) other draws
	 */
	double skip;
};

static void look_at_bulk(struct bulk *b, const struct deviations *d)
{
	enum { T = HD_SUMMARY_EXTREMES };
	long double s1 = 0, s2 = 0, s3 = 0, s4 = 0, m = (long double)(d->n - 2 * T), var1, cov, var2;

	for (size_t i = 0; i < T; i++) {
		b->extreme[i] = deviation(d, i);
		b->extreme[T + i] = deviation(d, d->n - T + i);
	}
	for (size_t i = T; i < d->n - T; i++) {
		double x = deviation(d, i), x2 = x * x;

		s1 += x;
		s2 += x2;
		s3 += x2 * x;
		s4 += x2 * x2;
	}
	s1 /= m, s2 /= m, s3 /= m, s4 /= m;
	var1 = fmaxl(s2 - s1 * s1, 0);
	cov = s3 - s1 * s2;
	var2 = fmaxl(s4 - s2 * s2, 0);
	b->mean1 = (double)s1;
	b->mean2 = (double)s2;
	b->sd1 = (double)sqrtl(var1);
	b->slope = var1 > 0 ? (double)(cov / sqrtl(var1)) : 0;
	b->rest = (double)sqrtl(fmaxl(var2 - (long double)b->slope * b->slope, 0));
	b->skip = 1 / log1p(-2.0 * T / (double)d->n);
}

static struct moments draw_large(struct deviations *d, const struct bulk *b)
{
	struct moments s = { 0, 0 };
	double radius, angle, left, n = (double)d->n, root;
	size_t extremes = 0;

	/*
	 * Draw the extreme values: the HD_SUMMARY_EXTREMES smallest and largest of the sample.  Each draw is an extreme
	 * value with the same probability, so the number of draws from one to the next has a geometric distribution,
	 * and the draws between need not be made.
	 */
	for (double at = -1; ; extremes++) {
		double x;

		at += 1 + floor(log(hd_random_unit(&d->random)) * b->skip);
		if (at >= n)
			break;
		x = b->extreme[hd_random_below(&d->random, 2 * HD_SUMMARY_EXTREMES)];
		s.m1 += x;
		s.m2 += x * x;
	}
	left = n - (double)extremes;
	root = sqrt(left);
	radius = sqrt(-2 * log(hd_random_unit(&d->random)));
	angle = 2 * M_PI * hd_random_unit(&d->random);
	s.m1 += left * b->mean1 + root * b->sd1 * radius * cos(angle);
	s.m2 += left * b->mean2 + root * (b->slope * radius * cos(angle) + b->rest * radius * sin(angle));
	return (struct moments){ s.m1 / n, s.m2 / n };
}

/*
 * Return the interval between two nearest-rank percentiles of n values: those at `miss` and at 1000 - `miss`
 * thousandths.  Reorders v.
 */
static struct hd_interval middle(double *v, size_t n, size_t miss)
{
	size_t ranks[2] = { (n * miss + 999) / 1000 - 1, (n * (1000 - miss) + 999) / 1000 - 1 };

	hd_order_select(v, n, ranks, 2);
	return (struct hd_interval){ v[ranks[0]], v[ranks[1]] };
}

/*
 * Convert an end of an interval to the unit of the values, rounded to nine digits: the last digits of a logarithm
 * depend on the version of the C library.
 */
static double end_of(const struct deviations *d, long double zero, double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.8e", (double)(zero + d->unit * x));
	return strtod(text, NULL);
}

/* Convert the intervals of the scaled deviations to the unit of the original values. */
static void from_deviations(struct intervals *out, const struct deviations *d)
{
	out->mean.lo = end_of(d, d->mean, out->mean.lo);
	out->mean.hi = end_of(d, d->mean, out->mean.hi);
	out->std.lo = end_of(d, 0, out->std.lo);
	out->std.hi = end_of(d, 0, out->std.hi);
}

/* ---- up to HD_SUMMARY_PLAIN values: bootstrap-t ---- */

/* Estimates from a sample: the mean, the logarithm of the variance (with divisor n-1), and their standard errors. */
struct estimate {
	double mean, mean_se, log_var, log_var_se;
};

static struct estimate estimate(const double *x, size_t n)
{
	double m = (double)(hd_sum(x, n) / (long double)n), m2 = 0, m4 = 0, df = (double)n - 1;
	struct estimate e = { .mean = m };

	for (size_t i = 0; i < n; i++) {
		double d2 = (x[i] - m) * (x[i] - m);

		m2 += d2;
		m4 += d2 * d2;
	}
	e.mean_se = sqrt(m2 / df / (double)n);
	e.log_var = log(m2 / df);
	/* The variance of ln s^2 is about (kurtosis - (n-3)/(n-1)) / n. */
	e.log_var_se = sqrt(fmax(m4 * (double)n / (m2 * m2) - (df - 2) / df, 0) / (double)n);
	return e;
}

static double studentized(double difference, double se)
{
	return se > 0 ? difference / se : difference > 0 ? INFINITY : difference < 0 ? -INFINITY : 0;
}

/* Return the interval from the smaller lower end to the larger upper end. */
static struct hd_interval wider(struct hd_interval a, struct hd_interval b)
{
	return (struct hd_interval){ fmin(a.lo, b.lo), fmax(a.hi, b.hi) };
}

/*
 * Return the 95 % interval of the standard deviation of normal values, by the chi-squared distribution (Wilson and
 * Hilferty 1931).
 */
static struct hd_interval normal_std(double s, double df)
{
	double z = hd_normal_quantile(1 - HALF_MISS), mid = 1 - 2 / (9 * df), half = z * sqrt(2 / (9 * df));

	return (struct hd_interval){ s / pow(mid + half, 1.5), mid > half ? s / pow(mid - half, 1.5) : INFINITY };
}

static void draw_plain(struct intervals *out, struct deviations *d, double *dev, double *t_mean, double *t_var)
{
	double *draw = dev + d->n, m2 = 0, t = hd_t_quantile(1 - HALF_MISS, (double)d->n - 1);
	struct estimate e;
	struct hd_interval q;

	for (size_t i = 0; i < d->n; i++) {
		dev[i] = deviation(d, i);
		m2 += dev[i] * dev[i];
	}
	e = estimate(dev, d->n);
	out->mean = (struct hd_interval){ e.mean - t * e.mean_se, e.mean + t * e.mean_se };
	out->std = (struct hd_interval){ 0, INFINITY };
	if (d->n < HD_SUMMARY_LEAST)
		return;
	for (size_t b = 0; b < HD_SUMMARY_DRAWS; b++) {
		struct estimate s;

		for (size_t i = 0; i < d->n; i++)
			draw[i] = dev[hd_random_below(&d->random, d->n)];
		s = estimate(draw, d->n);
		t_mean[b] = studentized(s.mean - e.mean, s.mean_se);
		t_var[b] = isinf(s.log_var) ? -INFINITY : studentized(s.log_var - log(m2 / (double)d->n), s.log_var_se);
	}
	q = middle(t_mean, HD_SUMMARY_DRAWS, MISS);
	out->mean = wider(out->mean,
		(struct hd_interval){ e.mean - q.hi * e.mean_se, e.mean - q.lo * e.mean_se });
	q = middle(t_var, HD_SUMMARY_DRAWS, STD_MISS);
	out->std = (struct hd_interval){ exp((e.log_var - q.hi * e.log_var_se) / 2),
		exp((e.log_var - q.lo * e.log_var_se) / 2) };
	out->std = wider(out->std, normal_std(exp(e.log_var / 2), (double)d->n - 1));
}

/* ---- more values: percentile bootstrap ---- */

static void draw_many(struct intervals *out, struct deviations *d, double *means, double *stds)
{
	struct bulk b = { 0 };

	look_at_bulk(&b, d);
	for (size_t i = 0; i < HD_SUMMARY_DRAWS; i++) {
		struct moments m = draw_large(d, &b);

		means[i] = m.m1;
		stds[i] = sqrt(fmax(m.m2 - m.m1 * m.m1, 0));
	}
	out->mean = middle(means, HD_SUMMARY_DRAWS, MISS);
	out->std = middle(stds, HD_SUMMARY_DRAWS, MISS);
}

int hd_bootstrap_moments(struct hd_interval *mean, struct hd_interval *std, const double *v, size_t n)
{
	struct intervals both = { { -INFINITY, INFINITY }, { 0, INFINITY } };
	struct deviations d = { .v = v, .n = n, .mean = hd_sum(v, n) / (long double)n, .random = hd_random_from(seed) };
	double *room;

	for (size_t i = 0; i < n; i++)
		d.unit = fmaxl(d.unit, fabsl(v[i] - d.mean));
	if (n >= 2 && !(d.unit > 0))
		both = (struct intervals){ { (double)d.mean, (double)d.mean }, { 0, 0 } };
	if (n >= 2 && d.unit > 0) {
		room = malloc(sizeof(*room) * (2 * HD_SUMMARY_DRAWS + 2 * HD_SUMMARY_PLAIN));
		if (!room)
			return HD_STATS_NOMEM;
		if (n <= HD_SUMMARY_PLAIN)
			draw_plain(&both, &d, room + 2 * HD_SUMMARY_DRAWS, room, room + HD_SUMMARY_DRAWS);
		else
			draw_many(&both, &d, room, room + HD_SUMMARY_DRAWS);
		from_deviations(&both, &d);
		free(room);
	}
	*mean = both.mean;
	*std = both.std;
	return HD_STATS_OK;
}
