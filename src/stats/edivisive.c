/*
 * edivisive.c - see edivisive.h
 */
#include "stats/edivisive.h"

#include "stats/random.h"
#include "stats/special_functions.h"
#include "stats/twosample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two-dimensional prefix sums of distances: s[i][j] is the sum of |v_a - v_b| over a < i, b < j.  With them, the sum
 * over any block of pairs takes constant time.
 */
struct distances {
	double *s;
	size_t n;
};

static int build(struct distances *d, const double *v, size_t n)
{
	size_t w = n + 1;

	d->n = n;
	d->s = calloc(w * w, sizeof(*d->s));
	if (!d->s)
		return HD_STATS_NOMEM;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= n; j++)
			d->s[i * w + j] = fabs(v[i - 1] - v[j - 1]) + d->s[(i - 1) * w + j] + d->s[i * w + j - 1] -
				d->s[(i - 1) * w + j - 1];
	return HD_STATS_OK;
}

/* Return the sum of |v_a - v_b| over a in [a0, a1) and b in [b0, b1). */
static double block(const struct distances *d, size_t a0, size_t a1, size_t b0, size_t b1)
{
	size_t w = d->n + 1;

	return d->s[a1 * w + b1] - d->s[a0 * w + b1] - d->s[a1 * w + b0] + d->s[a0 * w + b0];
}

static double q_of(const struct distances *d, size_t from, size_t t, size_t k)
{
	double n = (double)(t - from), m = (double)(k - t), q;

	q = 2 / (n + m) * block(d, from, t, t, k);
	/* block() of an interval with itself counts each pair twice, so the factor 2 of the formula is omitted. */
	if (n > 1)
		q -= m / ((n + m) * (n - 1)) * block(d, from, t, from, t);
	if (m > 1)
		q -= n / ((n + m) * (m - 1)) * block(d, t, k, t, k);
	return q;
}

struct best {
	size_t t;
	double q;
};

static struct best best_division(const struct distances *d, size_t from, size_t to, bool k_end)
{
	struct best best = { from, -INFINITY };

	for (size_t t = from + 1; t < to; t++)
		for (size_t k = k_end ? to : t + 1; k <= to; k++) {
			double q = q_of(d, from, t, k);

			if (q > best.q)
				best = (struct best){ t, q };
		}
	return best;
}

/* ---- significance ---- */

static double moment(const double *v, size_t n, double *mean, bool ddof_0)
{
	double sd;

	hd_mean_sd(v, n, mean, &sd);
	if (n < 2)
		return 0;
	return ddof_0 ? sd * sd * (double)(n - 1) / (double)n : sd * sd;
}

struct hd_changepoint hd_edivisive_test(const double *v, size_t from, size_t t, size_t to, bool ddof_0)
{
	size_t n = t - from, m = to - t;
	struct hd_changepoint c = { .index = t, .p = 1 };
	double vn = moment(v + from, n, &c.before, ddof_0), vm = moment(v + t, m, &c.after, ddof_0),
	       df = (double)(n + m) - 2, se;

	if (c.before != 0 && c.after != 0)
		c.magnitude = fmax(fabs(c.after / c.before - 1), fabs(c.before / c.after - 1));
	else
		c.magnitude = c.before == c.after ? 0 : INFINITY;
	if (df <= 0)
		return c;
	se = sqrt(((double)(n - 1) * vn + (double)(m - 1) * vm) / df * (1 / (double)n + 1 / (double)m));
	if (se > 0)
		c.p = 2 * hd_t_upper(fabs(c.after - c.before) / se, df);
	else
		c.p = c.after != c.before ? 0 : 1;
	return c;
}

/*
 * Set c->p by a permutation test.  Shuffle the values within each of the stretches found so far.  Count how often the
 * best Q (edivisive.h) of the shuffled values is at least as large as the best Q of the original values.
 */
static int permute(struct hd_changepoint *c, const double *v, const size_t *ends, size_t nends, size_t n,
	const struct hd_edivisive_opts *o, struct hd_random *r)
{
	double *room = malloc(n * sizeof(*room));
	unsigned above = 0;
	int rc = room ? HD_STATS_OK : HD_STATS_NOMEM;

	for (unsigned p = 0; rc >= 0 && p < o->permutations; p++) {
		struct distances d = { 0 };
		double best = -INFINITY;

		memcpy(room, v, n * sizeof(*room));
		for (size_t e = 0; e + 1 < nends; e++)
			for (size_t i = ends[e + 1]; i-- > ends[e] + 1; ) {
				size_t k = ends[e] + hd_random_below(r, i - ends[e] + 1);
				double x = room[i];

				room[i] = room[k];
				room[k] = x;
			}
		for (size_t e = 0; rc >= 0 && e + 1 < nends; e++) {
			rc = build(&d, room + ends[e], ends[e + 1] - ends[e]);
			if (rc >= 0)
				best = fmax(best, best_division(&d, 0, d.n, o->k_end).q);
			free(d.s);
		}
		above += best >= c->q;
	}
	free(room);
	c->p = (above + !o->p_from_0) / (o->permutations + 1.0);
	return rc;
}

/* ---- recursive division ---- */

static void insert(size_t *ends, size_t *n, size_t t)
{
	size_t i = (*n)++;

	for (; ends[i - 1] > t; i--)
		ends[i] = ends[i - 1];
	ends[i] = t;
}

static struct hd_changepoint best_of_all(const struct distances *d, const double *v, const size_t *ends, size_t nends,
	const struct hd_edivisive_opts *o)
{
	struct best best = { 0, -INFINITY };
	size_t stretch = 0;
	struct hd_changepoint c;

	for (size_t e = 0; e + 1 < nends; e++) {
		struct best b = best_division(d, ends[e], ends[e + 1], o->k_end);

		if (b.q > best.q) {
			best = b;
			stretch = e;
		}
	}
	if (best.q == -INFINITY)
		return (struct hd_changepoint){ .p = 1, .q = best.q };
	c = hd_edivisive_test(v, ends[stretch], best.t, ends[stretch + 1], o->ddof_0);
	c.q = best.q;
	return c;
}

long hd_edivisive(struct hd_changepoint *out, const double *v, size_t n, const struct hd_edivisive_opts *o)
{
	size_t *ends = malloc((n + 2) * sizeof(*ends)), nends = 2;
	struct hd_random r = hd_random_from(o->seed);
	struct distances d = { 0 };
	long found = 0;
	int rc = ends ? build(&d, v, n) : HD_STATS_NOMEM;

	if (rc >= 0) {
		ends[0] = 0;
		ends[1] = n;
	}
	while (rc >= 0 && nends < n + 1) {
		struct hd_changepoint c = best_of_all(&d, v, ends, nends, o);

		if (c.q == -INFINITY)
			break;
		if (o->permutations)
			rc = permute(&c, v, ends, nends, n, o, &r);
		if (rc < 0 || !(c.p <= o->max_p))
			break;
		insert(ends, &nends, c.index);
		out[found++] = c;
	}
	free(d.s);
	free(ends);
	return rc < 0 ? rc : found;
}

long hd_edivisive_curve(double *q, const double *v, size_t n)
{
	struct distances d;
	size_t best = 0;

	if (build(&d, v, n) < 0)
		return HD_STATS_NOMEM;
	for (size_t t = 0; t < n; t++) {
		q[t] = t ? q_of(&d, 0, t, n) : 0;
		if (q[t] > q[best])
			best = t;
	}
	free(d.s);
	return (long)best;
}
