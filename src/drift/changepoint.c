/*
 * changepoint.c - windows and merging; see changepoint.h
 */
#include "drift/changepoint.h"

#include "drift/divide.h"
#include "track/summary.h"

#include <stdlib.h>
#include <string.h>

const struct hd_changepoint_opts hd_changepoint_defaults = { .window = 50, .max_p = 0.001 };

static int by_index(const void *a, const void *b)
{
	const struct hd_changepoint *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* The first pass lets weaker points through: merging finds which of them stand. */
static double first_p(double p)
{
	return p < 0.05 ? 10 * p : p < 0.5 ? 2 * p : p;
}

/* All windows: points into out, ascending, each once. */
static long split(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o)
{
	struct hd_divide_opts d = { .max_p = first_p(o->max_p), .ddof_0 = o->ddof_0 };
	struct hd_changepoint *found = malloc((o->window + 1) * sizeof(*found));
	size_t start = 0, count = 0;
	long got = found ? 0 : HD_TRACK_NOMEM;

	while (got >= 0 && start < n) {
		size_t end = start + o->window < n ? start + o->window : n, next = start + o->window / 2;

		got = hd_divide(found, v + start, end - start, &d);
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

/* Test the i-th point between its neighbours of now. */
static void retest(struct hd_changepoint *points, size_t count, size_t i, const double *v, size_t n, bool ddof_0)
{
	double q;

	if (i >= count)
		return;
	q = points[i].q;
	points[i] = hd_divide_test(v, i ? points[i - 1].index : 0, points[i].index, i + 1 < count ? points[i + 1].index : n, ddof_0);
	points[i].q = q;
}

/* The point to take away next, or count when all may stay. */
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

/* The division of [from, to) with the least sum of squares: n m / (n + m) (difference of means)^2 is largest. */
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

static void move_to_place(struct hd_changepoint *points, size_t count, const double *v, size_t n, bool ddof_0)
{
	for (size_t i = 0; i < count; i++)
		points[i].index = best_place(v, i ? points[i - 1].index : 0, i + 1 < count ? points[i + 1].index : n);
	for (size_t i = 0; i < count; i++)
		retest(points, count, i, v, n, ddof_0);
}

/* Take points away until all that stay are significant and large enough. */
static size_t merge(struct hd_changepoint *out, size_t count, const double *v, size_t n, const struct hd_changepoint_opts *o)
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

long hd_changepoints(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o)
{
	long got = n < 2 || o->window < 2 ? 0 : split(out, v, n, o);
	size_t count;

	if (got <= 0)
		return got;
	count = (size_t)got;
	for (size_t i = 0; i < count; i++)
		retest(out, count, i, v, n, o->ddof_0);
	count = merge(out, count, v, n, o);
	if (!o->stay) {
		move_to_place(out, count, v, n, o->ddof_0);
		count = merge(out, count, v, n, o);
	}
	return (long)count;
}
