/*
 * resample.c - see resample.h
 */
#include "track/resample.h"

#include "track/order.h"
#include "track/random.h"
#include "track/special.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t seed = 0x686f7464726966;	/* the same every time */

/* The smallest index j for which at least k+1 of n draws are among the first j+1 values with probability `at`. */
static size_t rank_reaching(size_t n, size_t k, double at)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (hd_binomial_upper(k + 1, n, (double)(mid + 1) / (double)n) >= at)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void hd_resample_ranks(size_t n, size_t k, size_t *lo, size_t *hi)
{
	*lo = rank_reaching(n, k, 0.025);
	*hi = rank_reaching(n, k, 0.975);
}

/* Deviations from the mean in units of the largest one, so that no square overflows. */
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

/* Sum and sum of squares of a resample, over n. */
struct moments {
	double m1, m2;
};

static struct moments draw_plain(struct deviations *d, const double *dev)
{
	struct moments s = { 0, 0 };

	for (size_t i = 0; i < d->n; i++) {
		double x = dev[hd_random_below(&d->random, d->n)];

		s.m1 += x;
		s.m2 += x * x;
	}
	return (struct moments){ s.m1 / (double)d->n, s.m2 / (double)d->n };
}

/* Those that stand out, and the moments of the others. */
struct bulk {
	double extreme[2 * HD_SUMMARY_EXTREMES];
	double mean1, mean2;		/* of x and x^2 */
	double sd1, slope, rest;	/* x^2 = mean2 + slope z1 + rest z2, where x = mean1 + sd1 z1 */
	double skip;			/* 1 / ln(1 - P(an extreme is drawn)) */
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

	/* From one draw that hits an extreme to the next: geometric distances. */
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

static struct hd_interval middle_95(double *v, size_t n)
{
	size_t ranks[2] = { (n * 25 + 999) / 1000 - 1, (n * 975 + 999) / 1000 - 1 };

	hd_order_select(v, n, ranks, 2);
	return (struct hd_interval){ v[ranks[0]], v[ranks[1]] };
}

static void draw_all(struct hd_summary *out, struct deviations *d, const double *dev, double *means, double *stds)
{
	struct bulk b;

	if (!dev)
		look_at_bulk(&b, d);
	for (size_t i = 0; i < HD_SUMMARY_DRAWS; i++) {
		struct moments m = dev ? draw_plain(d, dev) : draw_large(d, &b);

		means[i] = m.m1;
		stds[i] = sqrt(fmax(m.m2 - m.m1 * m.m1, 0));
	}
	out->ci_mean = middle_95(means, HD_SUMMARY_DRAWS);
	out->ci_std = middle_95(stds, HD_SUMMARY_DRAWS);
	out->ci_mean.lo = (double)(d->mean + d->unit * out->ci_mean.lo);
	out->ci_mean.hi = (double)(d->mean + d->unit * out->ci_mean.hi);
	out->ci_std.lo = (double)(d->unit * out->ci_std.lo);
	out->ci_std.hi = (double)(d->unit * out->ci_std.hi);
}

int hd_resample_moments(struct hd_summary *out, const double *v, size_t n)
{
	struct deviations d = { .v = v, .n = n, .mean = hd_sum(v, n) / (long double)n, .random = hd_random_from(seed) };
	double *dev = NULL, *room;

	for (size_t i = 0; i < n; i++)
		d.unit = fmaxl(d.unit, fabsl(v[i] - d.mean));
	if (!(d.unit > 0)) {
		out->ci_mean = (struct hd_interval){ out->mean, out->mean };
		out->ci_std = (struct hd_interval){ 0, 0 };
		return HD_TRACK_OK;
	}
	room = malloc(sizeof(*room) * (2 * HD_SUMMARY_DRAWS + HD_SUMMARY_PLAIN));
	if (!room)
		return HD_TRACK_NOMEM;
	if (n <= HD_SUMMARY_PLAIN) {
		dev = room + 2 * HD_SUMMARY_DRAWS;
		for (size_t i = 0; i < n; i++)
			dev[i] = deviation(&d, i);
	}
	draw_all(out, &d, dev, room, room + HD_SUMMARY_DRAWS);
	free(room);
	return HD_TRACK_OK;
}
