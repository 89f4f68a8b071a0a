/*
 * trend_marks.c - see trend.h: find change points, limits and rises
 */
#include "history/trend.h"

#include "base/mem.h"
#include "stats/twosample.h"
#include "stats/special_functions.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

/*
 * The smallest distance of a limit from the mean, relative to the mean, so that rounding of equal values is not
 * reported as a change.
 */
#define LEAST_SD 1e-9

/* A level with fewer points than LEVEL_LEAST does not undo a rise. */
enum { LEVEL_LEAST = 2 };

static const struct hd_changepoint_opts how = { .window = 50, .max_p = 0.01, .min_magnitude = 0.02 };

/* A cache: t[n] is the quantile of Student's t at 1 - alpha with n - 1 degrees of freedom; 0: not computed yet. */
struct quantiles {
	double alpha, t[HD_TREND_LIMIT_POINTS + 1];
};

/*
 * Compute the upper and the lower prediction limit (see hd_prediction_limit()) from the last values of v[0 .. n - 1].
 */
static struct hd_trend_limit limit_of_last(const double *v, size_t n, struct quantiles *q)
{
	size_t most = n < HD_TREND_LIMIT_POINTS ? n : HD_TREND_LIMIT_POINTS;
	struct hd_trend_limit l = { .lo = NAN, .hi = NAN, .mean = NAN, .sd = NAN };
	double width;

	if (most < HD_TREND_LIMIT_LEAST)
		return l;
	if (q->t[most] == 0)
		q->t[most] = hd_t_quantile(1 - q->alpha, (double)most - 1);
	l.n = most;
	hd_mean_sd(v + (n - most), most, &l.mean, &l.sd);
	width = fmax(q->t[most] * l.sd * sqrt(1 + 1 / (double)most), LEAST_SD * fabs(l.mean));
	l.hi = l.mean + width;
	l.lo = l.mean - width;
	return l;
}

void hd_trend_limit_since(struct hd_trend_limit *limit, const double *v, size_t n, double alpha)
{
	*limit = limit_of_last(v, n, &(struct quantiles){ .alpha = alpha });
}

/* Collect the values that are not NaN, and the point of each. */
static size_t gather(double **out, size_t **point, const struct hd_trend_values *v)
{
	size_t n = 0;

	*out = hd_new_array(double, v->n + 1);
	*point = hd_new_array(size_t, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		if (isnan(v->of[i].value))
			continue;
		(*point)[n] = i;
		(*out)[n++] = v->of[i].value;
	}
	return n;
}

/* Find the rises between the levels that the change points separate. */
static void find_rises(struct hd_trend_marks *m, const double *v, size_t n, const size_t *point,
	const struct hd_changepoint *points, size_t changes)
{
	struct hd_level *levels = hd_new_array(struct hd_level, changes + 1);
	double sd;

	for (size_t i = 0; i <= changes; i++) {
		struct hd_level *l = &levels[i];

		l->from = i ? points[i - 1].index : 0;
		l->to = i < changes ? points[i].index : n;
		hd_mean_sd(v + l->from, l->to - l->from, &l->value, &sd);
	}
	m->rises = hd_new_array(struct hd_rise, changes + 1);
	m->nrises = hd_rises(m->rises, levels, changes + 1, how.min_magnitude, LEVEL_LEAST, &m->best);
	for (size_t i = 0; i < m->nrises; i++) {
		m->rises[i].last = point[m->rises[i].last];
		m->rises[i].first = point[m->rises[i].first];
	}
	free(levels);
}

int hd_trend_mark(struct hd_trend_marks *m, const struct hd_trend_values *v, double alpha)
{
	double *plain;
	size_t *point, n = gather(&plain, &point, v), from = 0;
	struct hd_changepoint *points = hd_new_array(struct hd_changepoint, n + 1);
	struct quantiles q = { .alpha = alpha };
	long got = hd_changepoints(points, plain, n, &how), next = 0;

	*m = (struct hd_trend_marks){ .of = hd_new_array(struct hd_trend_mark, v->n + 1), .n = v->n };
	for (size_t i = 0; i < n && got >= 0; i++) {
		struct hd_trend_mark *k = &m->of[point[i]];

		/*
		 * The limit of a point is computed from the points since the last change before it.  A point at which
		 * a change begins is therefore compared with the old level.
		 */
		k->limit = limit_of_last(plain + from, i - from, &q);
		k->above = k->limit.n && plain[i] > k->limit.hi;
		k->below = k->limit.n && plain[i] < k->limit.lo;
		if (next < got && points[next].index == i) {
			k->change = true;
			k->before = points[next].before;
			k->after = points[next].after;
			k->p = points[next].p;
			m->changes++;
			from = i;
			next++;
		}
	}
	if (got >= 0) {
		m->next = limit_of_last(plain + from, n - from, &q);
		m->best = NAN;
		if (n)
			find_rises(m, plain, n, point, points, (size_t)got);
	}
	free(points);
	free(plain);
	free(point);
	if (got < 0) {
		hd_trend_marks_release(m);
		return (int)got;
	}
	return 0;
}

void hd_trend_marks_release(struct hd_trend_marks *m)
{
	free(m->of);
	free(m->rises);
	*m = (struct hd_trend_marks){ 0 };
}
