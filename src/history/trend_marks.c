/*
 * trend_marks.c - see trend.h: find change points, limits and rises, and check them by cost
 */
#include "history/trend_functions.h"

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

/*
 * Return the cost of the level that begins at a change.  mean: the mean share before and after it; cost: the cost
 * before it, in a unit in which it is the share of the oldest level.
 */
static double cost_after(const struct hd_trend_mark *k, const double mean[2], double cost)
{
	if (k->share_only)
		return cost;
	if (isfinite(k->cost.pct) && cost > 0)
		return cost * (1 + k->cost.pct / 100);
	return mean[0] > 0 && cost > 0 ? cost * mean[1] / mean[0] : mean[1];
}

/* Find the rises between the levels that the change points separate.  costs: rises of the cost, not of the values. */
static void find_rises(struct hd_trend_marks *m, const double *v, const size_t *point, size_t n, bool costs)
{
	struct hd_level *levels = hd_new_array(struct hd_level, m->changes + 1);
	double *mean = hd_new_array(double, m->changes + 1), sd, best;
	size_t nlevels = 0, at = m->changes;

	for (size_t i = 0, to; i < n; i = to) {
		struct hd_level *l = &levels[nlevels];

		to = i + 1;
		while (to < n && !m->of[point[to]].change)
			to++;
		*l = (struct hd_level){ .from = i, .to = to };
		hd_mean_sd(v + i, to - i, &mean[nlevels], &sd);
		l->value = mean[nlevels];
		if (costs && nlevels)
			l->value = cost_after(&m->of[point[i]], &mean[nlevels - 1], l[-1].value);
		nlevels++;
	}
	free(m->rises);
	free(m->rise_costs);
	m->rises = hd_new_array(struct hd_rise, nlevels + 1);
	m->rise_costs = hd_new_array(struct hd_cost_change, nlevels + 1);
	m->nrises = hd_rises(m->rises, levels, nlevels, how.min_magnitude, LEVEL_LEAST, &best);
	if (!costs)
		m->best = best;		/* that of the values */
	for (size_t i = m->nrises; i-- > 0;) {
		struct hd_rise *r = &m->rises[i];

		r->after = mean[at];
		while (levels[at].to - 1 != r->last)
			at--;
		r->before = mean[at];
		r->last = point[r->last];
		r->first = point[r->first];
		m->rise_costs[i] = hd_cost_change_unknown;
	}
	free(levels);
	free(mean);
}

int hd_trend_mark(struct hd_trend_marks *m, const struct hd_trend_values *v, double alpha)
{
	double *plain;
	size_t *point, n = gather(&plain, &point, v), from = 0;
	struct hd_changepoint *points = hd_new_array(struct hd_changepoint, n + 1);
	struct quantiles q = { .alpha = alpha };
	long got = hd_changepoints(points, plain, n, &how), next = 0;

	*m = (struct hd_trend_marks){ .of = hd_new_array(struct hd_trend_mark, v->n + 1), .n = v->n };
	for (size_t i = 0; i < v->n; i++)
		m->of[i].cost = hd_cost_change_unknown;
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
			find_rises(m, plain, point, n, false);
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

/* ---- costs ---- */

/* The levels between the change points of a symbol. */
struct levels {
	size_t n, *first;		/* runs first[k] .. first[k + 1] - 1 are at level k */
	const struct hd_trend_values *v;
	struct hd_trend_loader loader;
	const char *symbol, *object;
};

struct stretch {
	size_t from, to;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Return the last runs of a level. */
static struct stretch end_of(const struct levels *l, size_t level)
{
	size_t from = l->first[level], to = l->first[level + 1];

	return (struct stretch){ to - least(to - from, HD_COST_CHANGE_RUNS), to };
}

/* Return the first runs of a level. */
static struct stretch beginning_of(const struct levels *l, size_t level)
{
	size_t from = l->first[level], to = l->first[level + 1];

	return (struct stretch){ from, from + least(to - from, HD_COST_CHANGE_RUNS) };
}

/* Load the functions of some runs, and the symbol itself, which is not among them if its rank is too low. */
static int load_side(struct hd_trend_functions *f, struct hd_trend_function *own, struct levels *l, struct stretch s,
	struct hd_err *err)
{
	const struct hd_trend_function *found;
	int rc = 0;

	for (size_t i = s.from; i < s.to && rc >= 0; i++) {
		own->self[f->runs] = l->v->run[i] / 100 * (double)l->loader.t->runs[i].weight;
		rc = hd_trend_functions_add(f, &l->loader, i, err);
	}
	found = hd_trend_functions_named(f, l->symbol, l->object);
	if (found)
		own->key = found->key;
	return rc;
}

static int judge(struct hd_cost_change *cost, struct levels *l, struct stretch base, struct stretch head,
	struct hd_err *err)
{
	struct hd_trend_functions f[2] = { { 0 }, { 0 } };
	struct hd_trend_function own[2] = { { .key = UINT32_MAX }, { .key = UINT32_MAX } };
	int rc = load_side(&f[0], &own[0], l, base, err);

	if (rc >= 0)
		rc = load_side(&f[1], &own[1], l, head, err);
	if (rc >= 0)
		hd_trend_functions_compare(cost, &(struct hd_trend_pair){ &own[0], &own[1] }, 1, &f[0], &f[1]);
	free(f[0].items);
	free(f[1].items);
	return rc;
}

/* Return the number of the level that begins at a point. */
static size_t level_at(const struct levels *l, size_t point)
{
	size_t k = 0;

	while (l->first[k] != l->loader.t->points[point].first)
		k++;
	return k;
}

/* Estimate the cost of each rise, and drop those without a change of cost. */
static int judge_rises(struct hd_trend_marks *m, struct levels *l, struct hd_err *err)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < m->nrises && rc >= 0; i++) {
		size_t now = i + 1 < m->nrises ? level_at(l, m->rises[i + 1].first) - 1 : l->n - 1;
		struct hd_cost_change cost;

		rc = judge(&cost, l, end_of(l, level_at(l, m->rises[i].first) - 1), beginning_of(l, now), err);
		if (rc < 0 || hd_cost_change_is_none(&cost))
			continue;
		m->rises[kept] = m->rises[i];
		m->rise_costs[kept++] = cost;
	}
	m->nrises = kept;
	return rc;
}

int hd_trend_mark_costs(struct hd_trend_marks *m, const struct hd_trend_values *v, const struct hd_trend *t,
	struct hd_db *db, const char *symbol, const char *object, struct hd_err *err)
{
	struct levels l = { .n = 1, .first = hd_new_array(size_t, m->changes + 2), .v = v, .symbol = symbol,
		.object = object };
	bool *some = hd_new_array(bool, t->nruns + 1);
	double *plain;
	size_t *point, n = gather(&plain, &point, v);
	int rc = 0;

	for (size_t i = 0; i < t->npoints; i++)
		if (m->of[i].change)
			l.first[l.n++] = t->points[i].first;
	l.first[l.n] = t->nruns;
	for (size_t k = 0; k < l.n; k++) {
		struct stretch s[] = { beginning_of(&l, k), end_of(&l, k) };

		for (size_t j = 0; j < HD_COUNT(s); j++)
			for (size_t i = s[j].from; i < s[j].to; i++)
				some[i] = true;
	}
	hd_trend_loader_init(&l.loader, t, db, some);
	for (size_t i = 0, k = 1; i < t->npoints && rc >= 0; i++) {
		if (!m->of[i].change)
			continue;
		rc = judge(&m->of[i].cost, &l, end_of(&l, k - 1), beginning_of(&l, k), err);
		m->of[i].share_only = hd_cost_change_is_none(&m->of[i].cost);
		k++;
	}
	if (rc >= 0 && m->changes) {
		find_rises(m, plain, point, n, true);
		rc = judge_rises(m, &l, err);
	}
	hd_trend_loader_release(&l.loader);
	free(l.first);
	free(some);
	free(plain);
	free(point);
	if (rc < 0)
		hd_trend_marks_release(m);
	return rc < 0 ? rc : 0;
}

void hd_trend_marks_release(struct hd_trend_marks *m)
{
	free(m->of);
	free(m->rises);
	free(m->rise_costs);
	*m = (struct hd_trend_marks){ 0 };
}
