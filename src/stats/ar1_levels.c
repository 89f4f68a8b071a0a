/*
 * ar1_levels.c - see ar1_levels.h
 */
#include "stats/ar1_levels.h"

#include "stats/special_functions.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RHO_MOST 0.98L
/* A sum of squares below this fraction of the sum of the squared values is rounding error. */
#define ROUNDING 1e-24L

/* Prefix sums of the values minus their mean and trend, so that a sum over a level takes constant time. */
struct history {
	size_t n;
	long double *u, *sum, *square, *cross;	/* cross[t]: sum of u[i] u[i-1] for 0 < i < t */
	long double least;			/* lower bound of a sum of squares */
};

static int history_alloc(struct history *h, size_t n)
{
	*h = (struct history){ .n = n, .u = malloc(4 * (n + 1) * sizeof(*h->u)) };
	if (!h->u)
		return HD_STATS_NOMEM;
	h->sum = h->u + n + 1;
	h->square = h->sum + n + 1;
	h->cross = h->square + n + 1;
	return HD_STATS_OK;
}

/* Load the values minus their mean and minus a linear trend that changes by `slope` from one value to the next. */
static void history_load(struct history *h, const double *v, double slope)
{
	long double mean = hd_sum(v, h->n) / (long double)h->n, middle = ((long double)h->n - 1) / 2;

	h->sum[0] = h->square[0] = h->cross[0] = 0;
	for (size_t t = 0; t < h->n; t++) {
		h->u[t] = v[t] - mean - slope * ((long double)t - middle);
		h->sum[t + 1] = h->sum[t] + h->u[t];
		h->square[t + 1] = h->square[t] + h->u[t] * h->u[t];
		h->cross[t + 1] = h->cross[t] + (t ? h->u[t] * h->u[t - 1] : 0);
	}
	h->least = ROUNDING * (h->square[h->n] + (long double)h->n * mean * mean);
}

/* Return the common slope of all levels, by least squares. */
static double slope_within(const double *v, const size_t *ends, size_t count)
{
	long double up = 0, across = 0;

	for (size_t i = 0; i <= count; i++) {
		size_t len = ends[i + 1] - ends[i];
		long double mean = hd_sum(v + ends[i], len) / (long double)len;

		for (size_t k = 0; k < len; k++) {
			long double x = (long double)k - ((long double)len - 1) / 2;

			up += x * (v[ends[i] + k] - mean);
			across += x * x;
		}
	}
	return across > 0 ? (double)(up / across) : 0;
}

static long double level(const struct history *h, size_t from, size_t to)
{
	return (h->sum[to] - h->sum[from]) / (long double)(to - from);
}

/* Sums over the residuals r, from which rho and the sum of squared innovations are computed. */
struct sums {
	long double square, cross;		/* sums of r[t] r[t] and of r[t] r[t-1] */
};

static void add_level(struct sums *s, const struct history *h, size_t from, size_t to, int sign)
{
	long double m = level(h, from, to), len = (long double)(to - from), all = h->sum[to] - h->sum[from];

	s->square += sign * (h->square[to] - h->square[from] - len * m * m);
	s->cross += sign *
		(h->cross[to] - h->cross[from + 1] - m * (2 * all - h->u[from] - h->u[to - 1]) + (len - 1) * m * m);
}

/* Add or subtract (sign -1) the product of the two residuals next to the change point at index `at`. */
static void add_edge(struct sums *s, const struct history *h, size_t from, size_t at, size_t to, int sign)
{
	s->cross += sign * (h->u[at - 1] - level(h, from, at)) * (h->u[at] - level(h, at, to));
}

struct fit {
	long double innovations;		/* sum of squares */
	double rho;
};

static struct fit fit(const struct history *h, const struct sums *s, size_t first_to, size_t last_from)
{
	long double a = h->u[0] - level(h, 0, first_to), z = h->u[h->n - 1] - level(h, last_from, h->n);
	long double inner = s->square - a * a - z * z, rho = inner > 0 ? s->cross / inner : 0;

	rho = fminl(fmaxl(rho, 0), RHO_MOST);
	return (struct fit){ fmaxl(s->square - 2 * rho * s->cross + rho * rho * inner, h->least), (double)rho };
}

/* Compute the sums for a series with change points ends[1..count].  ends[0] is 0 and ends[count + 1] is n. */
static struct sums sums_of(const struct history *h, const size_t *ends, size_t count)
{
	struct sums s = { 0, 0 };

	for (size_t i = 0; i <= count; i++)
		add_level(&s, h, ends[i], ends[i + 1], 1);
	for (size_t i = 1; i <= count; i++)
		add_edge(&s, h, ends[i - 1], ends[i], ends[i + 1], 1);
	return s;
}

/*
 * Return the fit without the change point ends[i], 1 <= i <= count.  *s has the sums with all points, and is modified.
 */
static struct fit fit_without(struct sums *s, const struct history *h, const size_t *ends, size_t count, size_t i)
{
	size_t from = ends[i - 1], at = ends[i], to = ends[i + 1];

	add_level(s, h, from, at, -1);
	add_level(s, h, at, to, -1);
	add_level(s, h, from, to, 1);
	add_edge(s, h, from, at, to, -1);
	if (i > 1) {
		add_edge(s, h, ends[i - 2], from, at, -1);
		add_edge(s, h, ends[i - 2], from, to, 1);
	}
	if (i < count) {
		add_edge(s, h, at, to, ends[i + 2], -1);
		add_edge(s, h, from, to, ends[i + 2], 1);
	}
	return fit(h, s, i == 1 ? to : ends[1], i == count ? from : ends[count]);
}

/*
 * Return the effective number of independent tests in a search for the best division of n values.  The formula was
 * calibrated by simulation of series without a change: 8 to 300 values, rho 0 to 0.9 (docs/statistics.md has the
 * rates).
 */
static double divisions(size_t n)
{
	return 31 + 0.2 * (double)n;
}

/* Return the degrees of freedom, at least 1: n minus the four estimated parameters (two levels, rho, the slope). */
static double freedom(size_t n)
{
	return fmax(1, (double)n - 4);
}

static long double price(size_t n, double max_p)
{
	double df = freedom(n), t = hd_t_quantile(1 - max_p / (2 * divisions(n)), df);

	return (long double)n * log1pl((long double)t * t / df);
}

static double p_of(size_t n, long double with, long double without)
{
	double df = freedom(n), t = sqrt(fmax(0, df * (double)(without / with - 1)));

	return fmin(1, 2 * divisions(n) * hd_t_upper(t, df));
}

/*
 * Find the change point whose removal increases the sum of squared innovations least.  *best becomes the fit without
 * that point.  Returns the index of the point in `ends`.
 */
static size_t cheapest(struct fit *best, const struct history *h, const size_t *ends, size_t count)
{
	struct sums all = sums_of(h, ends, count);
	size_t at = 0;

	for (size_t i = 1; i <= count; i++) {
		struct sums s = all;
		struct fit f = fit_without(&s, h, ends, count, i);

		if (!at || f.innovations < best->innovations) {
			*best = f;
			at = i;
		}
	}
	return at;
}

static void set_p(struct hd_changepoint *points, const struct history *h, const size_t *ends, size_t count)
{
	struct sums all = sums_of(h, ends, count);
	struct fit with = fit(h, &all, ends[1], ends[count]);

	for (size_t i = 1; i <= count; i++) {
		struct sums s = all;

		points[i - 1].index = ends[i];
		points[i - 1].p = p_of(h->n, with.innovations, fit_without(&s, h, ends, count, i).innovations);
	}
}

static struct fit fit_all(const struct history *h, const size_t *ends, size_t count)
{
	struct sums s = sums_of(h, ends, count);

	return fit(h, &s, ends[1], ends[count]);
}

/*
 * The best result so far: the set of change points with the lowest cost, and the common slope of the levels.
 */
struct choice {
	size_t *ends, count;
	double slope;
	long double cost;
};

static void consider(struct choice *best, const struct history *h, const size_t *ends, size_t count, double slope,
	long double extra)
{
	long double cost = (long double)h->n * logl(fit_all(h, ends, count).innovations) + extra;

	if (cost > best->cost)
		return;
	memcpy(best->ends, ends, (count + 2) * sizeof(*ends));
	best->count = count;
	best->slope = slope;
	best->cost = cost;
}

/*
 * Backward elimination: remove the point whose removal costs least, until none is left.  Each set on the way is
 * evaluated with and without a trend.  *best becomes the best choice of all; *plain becomes the best one that has a
 * point and no trend.  each: the cost of a change point or of a trend.  flat: room for the values without the trend.
 */
static void walk(struct choice *best, struct choice *plain, const struct history *h, struct history *flat, size_t *ends,
	size_t count, const double *v, long double each)
{
	for (size_t left = count; ; left--) {
		double slope = slope_within(v, ends, left);
		struct fit f;
		size_t i;

		history_load(flat, v, slope);
		consider(best, flat, ends, left, slope, (long double)(left + 1) * each);
		consider(best, h, ends, left, 0, (long double)left * each);
		if (left)
			consider(plain, h, ends, left, 0, (long double)left * each);
		if (!left)
			break;
		i = cheapest(&f, h, ends, left);
		memmove(&ends[i], &ends[i + 1], (left + 1 - i) * sizeof(*ends));
	}
}

static double p_of_trend(struct history *h, const double *v, double slope)
{
	const size_t ends[2] = { 0, h->n };
	long double with;

	history_load(h, v, slope);
	with = fit_all(h, ends, 0).innovations;
	history_load(h, v, 0);
	return p_of(h->n, with, fit_all(h, ends, 0).innovations);
}

long hd_ar1_levels(struct hd_changepoint *points, size_t count, const double *v, size_t n, double max_p)
{
	size_t *ends = malloc(3 * (count + 2) * sizeof(*ends));
	struct choice best = { .ends = ends ? ends + count + 2 : NULL, .cost = INFINITY };
	struct choice plain = { .ends = ends ? ends + 2 * (count + 2) : NULL, .cost = INFINITY };
	struct history h = { 0 }, flat = { 0 };
	double trend = 1;
	int rc = ends && count ? history_alloc(&h, n) : ends ? HD_STATS_OK : HD_STATS_NOMEM;

	if (rc >= 0 && count)
		rc = history_alloc(&flat, n);
	if (rc >= 0 && count) {
		ends[0] = 0;
		for (size_t i = 0; i < count; i++)
			ends[i + 1] = points[i].index;
		ends[count + 1] = n;
		history_load(&h, v, 0);
		walk(&best, &plain, &h, &flat, ends, count, v, price(n, max_p));
		if (!best.count && best.slope != 0) {
			trend = p_of_trend(&h, v, best.slope);
			best = plain;		/* report a trend without a step as a staircase */
		}
		history_load(&h, v, best.slope);
		set_p(points, &h, best.ends, best.count);
		for (size_t i = 0; i < best.count; i++)
			points[i].p = fmin(points[i].p, trend);
	}
	free(h.u);
	free(flat.u);
	free(ends);
	return rc < 0 ? rc : (long)best.count;
}
