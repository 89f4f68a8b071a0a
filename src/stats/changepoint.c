/*
 * changepoint.c - see changepoint.h
 */
#include "stats/changepoint.h"

#include "stats/edivisive.h"
#include "stats/ar1_levels.h"
#include "stats/order.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 2 };		/* neighbours on each side to which a value is compared */
#define REACH 4.0		/* limit of outliers, in robust standard deviations; values beyond it are clipped */

const struct hd_changepoint_opts hd_changepoint_defaults = { .window = 50, .max_p = 0.01 };

static int by_index(const void *a, const void *b)
{
	const struct hd_changepoint *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/*
 * Return the largest p-value with which a window accepts a candidate.  It is usually larger than max_p, because later
 * steps remove the candidates that are not significant.
 */
static double first_p(const struct hd_changepoint_opts *o)
{
	double p = o->max_p;

	if (!o->independent)
		return 0.05;
	return p < 0.05 ? 10 * p : p < 0.5 ? 2 * p : p;
}

/* Divide the series into windows and collect the candidates of all windows, ascending and without duplicates. */
static long split(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o)
{
	struct hd_edivisive_opts d = { .max_p = first_p(o), .ddof_0 = o->ddof_0 };
	struct hd_changepoint *found = malloc((o->window + 1) * sizeof(*found));
	size_t start = 0, count = 0;
	long got = found ? 0 : HD_STATS_NOMEM;

	while (got >= 0 && start < n) {
		size_t end = start + o->window < n ? start + o->window : n, next = start + o->window / 2;

		got = hd_edivisive(found, v + start, end - start, &d);
		if (got > 0)
			qsort(found, (size_t)got, sizeof(*found), by_index);
		for (long i = 0; i < got; i++) {
			found[i].index += start;
			if (!count || out[count - 1].index < found[i].index)
				out[count++] = found[i];
		}
		if (got > 0 && found[got - 1].index > next)
			next = found[got - 1].index;
		start = next;
	}
	free(found);
	return got < 0 ? got : (long)count;
}

/* Test the i-th point again, with the values between its present neighbour points. */
static void retest(struct hd_changepoint *points, size_t count, size_t i, const double *v, size_t n, bool ddof_0)
{
	double q;

	if (i >= count)
		return;
	q = points[i].q;
	points[i] = hd_edivisive_test(v, i ? points[i - 1].index : 0, points[i].index,
		i + 1 < count ? points[i + 1].index : n, ddof_0);
	points[i].q = q;
}

/*
 * Return the index of the change point to be removed next, or `count` if all points are significant and large enough.
 */
static size_t weakest(const struct hd_changepoint *points, size_t count, const struct hd_changepoint_opts *o)
{
	size_t worst = 0;

	for (size_t i = 1; i < count; i++)
		if (points[i].p > points[worst].p)
			worst = i;
	if (!count || points[worst].p >= o->max_p)
		return count ? worst : 0;
	worst = 0;
	for (size_t i = 1; i < count; i++)
		if (points[i].magnitude < points[worst].magnitude)
			worst = i;
	return points[worst].magnitude > o->min_magnitude ? count : worst;
}

/*
 * Return the division of [from, to) with the least sum of squares within its two parts.  That is the division with the
 * largest n m / (n + m) (difference of means)^2, where n and m are the lengths of the parts.
 */
static size_t best_place(const double *v, size_t from, size_t to)
{
	long double all = 0, left = 0, best = -1;
	size_t at = from + 1;

	for (size_t i = from; i < to; i++)
		all += v[i];
	for (size_t t = from + 1; t < to; t++) {
		long double n = (long double)(t - from), m = (long double)(to - t), d, gain;

		left += v[t - 1];
		d = left / n - (all - left) / m;
		gain = n * m / (n + m) * d * d;
		if (gain > best) {
			best = gain;
			at = t;
		}
	}
	return at;
}

/* Remove points until all that remain are significant and large enough. */
static size_t merge(struct hd_changepoint *out, size_t count, const double *v, size_t n,
	const struct hd_changepoint_opts *o)
{
	size_t w;

	while (count && (w = weakest(out, count, o)) < count) {
		memmove(&out[w], &out[w + 1], (count - w - 1) * sizeof(*out));
		count--;
		if (o->skewed_merge)
			retest(out, count, w + 1, v, n, o->ddof_0);
		else if (w)
			retest(out, count, w - 1, v, n, o->ddof_0);
		retest(out, count, w, v, n, o->ddof_0);
	}
	return count;
}

/* Return the median of the values at most SIDE away from t. */
static double local_median(const double *v, size_t n, size_t t)
{
	double near[2 * SIDE + 1];
	size_t from = t > SIDE ? t - SIDE : 0, to = t + SIDE < n ? t + SIDE + 1 : n;

	memcpy(near, v + from, (to - from) * sizeof(*near));
	hd_order_sort(near, to - from);
	return hd_order_median(near, to - from);
}

/*
 * Copy v to out with outliers clipped to REACH robust standard deviations around the local median.  room: scratch space
 * for n values.
 */
static void clip(double *out, double *room, const double *v, size_t n)
{
	double reach;

	for (size_t t = 0; t < n; t++)
		room[t] = fabs(v[t] - local_median(v, n, t));
	hd_order_sort(room, n);
	reach = REACH * 1.4826 * hd_order_median(room, n);
	for (size_t t = 0; t < n; t++) {
		double m = local_median(v, n, t);

		out[t] = fmin(fmax(v[t], m - reach), m + reach);
	}
}

/*
 * Set the means and the magnitude of each point from the values between its two neighbour points.  The p-values do not
 * change.
 */
static void describe(struct hd_changepoint *points, size_t count, const double *v, size_t n)
{
	for (size_t i = 0; i < count; i++) {
		double p = points[i].p;

		retest(points, count, i, v, n, false);
		points[i].p = p;
	}
}

static void move_all(struct hd_changepoint *points, size_t count, const double *v, size_t n)
{
	for (size_t i = 0; i < count; i++)
		points[i].index = best_place(v, i ? points[i - 1].index : 0, i + 1 < count ? points[i + 1].index : n);
}

/*
 * Select significant points.  If some are too small, remove the smallest one and select again, until all are large
 * enough. y: the values v with outliers clipped.
 */
static long choose(struct hd_changepoint *out, size_t count, const double *v, const double *y, size_t n,
	const struct hd_changepoint_opts *o)
{
	long got = (long)count;

	for (int pass = 0; got > 0 && pass < 2; pass++) {
		move_all(out, (size_t)got, y, n);
		got = hd_ar1_levels(out, (size_t)got, y, n, o->max_p);
	}
	while (got > 0) {
		size_t worst = 0;

		describe(out, (size_t)got, v, n);
		for (size_t i = 1; i < (size_t)got; i++)
			if (out[i].magnitude < out[worst].magnitude)
				worst = i;
		if (out[worst].magnitude > o->min_magnitude)
			break;
		memmove(&out[worst], &out[worst + 1], ((size_t)got - worst - 1) * sizeof(*out));
		got = hd_ar1_levels(out, (size_t)got - 1, y, n, o->max_p);
	}
	return got;
}

static long find(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o)
{
	double *y = malloc(2 * n * sizeof(*y));
	long got;

	if (!y)
		return HD_STATS_NOMEM;
	clip(y, y + n, v, n);
	got = split(out, y, n, o);
	if (got > 0)
		got = choose(out, (size_t)got, v, y, n, o);
	free(y);
	return got;
}

/* Find change points by the published method, which tests each point by a t-test of independent values. */
static long find_independent(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o)
{
	long got = split(out, v, n, o);

	for (size_t i = 0; got > 0 && i < (size_t)got; i++)
		retest(out, (size_t)got, i, v, n, o->ddof_0);
	return got > 0 ? (long)merge(out, (size_t)got, v, n, o) : got;
}

long hd_changepoints(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o)
{
	if (n < 2 || o->window < 2)
		return 0;
	return o->independent ? find_independent(out, v, n, o) : find(out, v, n, o);
}
