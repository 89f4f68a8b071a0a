/*
 * model.c - see model.h
 */
#include "drift/model.h"

#include "drift/sizes.h"
#include "track/order.h"
#include "track/special.h"

#include <math.h>
#include <stdlib.h>

/* Of one row in the size of a run, however few rows there are. */
#define LEVERAGE_MAX 0.5
/* The normal quantile of 0.95. */
#define NORMAL_95 1.6448536269514722

static size_t runs_of(const struct hd_runs *in)
{
	return in->base + in->head;
}

static double mean_count(const double *y, size_t runs)
{
	double sum = 0;

	for (size_t r = 0; r < runs; r++)
		sum += y[r];
	return sum / (double)runs;
}

static double log_count(double y)
{
	return log(y + 0.5);
}

/* sd of the difference of two means, in sd of one run. */
static double spread_of_means(const struct hd_model *m)
{
	return sqrt(1 / (double)m->base + 1 / (double)m->head);
}

static void find_shift(struct hd_model *m)
{
	double a = mean_count(m->size, m->base), b = mean_count(m->size + m->base, m->head), squares = 0;
	double df = (double)(m->base + m->head) - 2, se;

	for (size_t r = 0; r < m->base + m->head; r++)
		squares += pow(m->size[r] - (r < m->base ? a : b), 2);
	m->shift = b - a;
	m->shift_p = 1;
	se = sqrt(squares / df) * spread_of_means(m);
	if (df > 0)
		m->shift_p = se > 0 ? 2 * hd_t_upper(fabs(m->shift) / se, df) : m->shift == 0;
}

/* ---- variances ---- */

static struct hd_moderated moments(const struct hd_model *m, const double *y)
{
	size_t runs = m->base + m->head;
	struct hd_moderated t = { .v = 1 / (mean_count(y, runs) + 0.5) };
	double squares = 0;

	for (size_t r = 0; r < runs; r++) {
		double z = log_count(y[r]) - m->size[r];

		if (r < m->base)
			t.mean_base += z / (double)m->base;
		else
			t.mean_head += z / (double)m->head;
	}
	for (size_t r = 0; r < runs; r++)
		squares += pow(log_count(y[r]) - m->size[r] - (r < m->base ? t.mean_base : t.mean_head), 2);
	t.s2 = m->df > 0 ? squares / m->df : 0;
	t.d = t.mean_head - t.mean_base;
	return t;
}

/* The part that a row of this v has in the sizes of runs, which are subtracted from it: by so much its own s2 is too small. */
static double leverage(const struct hd_model *m, double v)
{
	return m->information > 0 ? fmin(LEVERAGE_MAX, 1 / ((v + m->c2) * m->information)) : 0;
}

/* Winsorised: what lies beyond the 5th percentile from below and the 10th from above is moved there. */
static void winsorise(double *e, size_t n)
{
	double lo, hi;

	hd_order_sort(e, n);
	lo = hd_order_type7(e, n, 0.05);
	hi = hd_order_type7(e, n, 0.90);
	for (size_t i = 0; i < n; i++)
		e[i] = fmin(fmax(e[i], lo), hi);
}

/* Smyth 2004, 6.2: moments of ln F. */
static void fit_prior(struct hd_model *m, double *e, size_t n)
{
	double mean = 0, spread = 0, beyond;

	winsorise(e, n);
	for (size_t i = 0; i < n; i++)
		mean += (e[i] - hd_digamma(m->df / 2) + log(m->df / 2)) / (double)n;
	for (size_t i = 0; i < n; i++)
		spread += pow(e[i] - hd_digamma(m->df / 2) + log(m->df / 2) - mean, 2) / (double)(n - 1);
	beyond = spread - hd_trigamma(m->df / 2);
	m->d0 = beyond > 0 ? 2 * hd_trigamma_inverse(beyond) : INFINITY;
	m->s02 = beyond > 0 ? exp(mean + hd_digamma(m->d0 / 2) - log(m->d0 / 2)) : exp(mean);
}

/* Of the symbols that are counted often enough: v and s2. */
static size_t believed(const struct hd_model *m, const struct hd_runs *in, double *v, double *s2)
{
	size_t runs = runs_of(in), n = 0;

	for (size_t i = 0; i < in->symbols; i++) {
		struct hd_moderated t;

		if (mean_count(in->y + i * runs, runs) < HD_MODEL_COUNTED)
			continue;
		t = moments(m, in->y + i * runs);
		v[n] = t.v;
		s2[n++] = t.s2;
	}
	return n;
}

static int find_noise(struct hd_model *m, const struct hd_runs *in, double *room)
{
	double *v = room, *s2 = v + in->symbols, *e = s2 + in->symbols;
	size_t n = believed(m, in, v, s2), k = 0;

	for (size_t i = 0; i < n; i++)
		e[i] = s2[i] / hd_chi2_median(m->df) - v[i];
	if (n) {
		hd_order_sort(e, n);
		m->c2 = fmax(0, hd_order_median(e, n));
	}
	for (size_t i = 0; i < n; i++)
		if (s2[i] > 0)
			e[k++] = log(s2[i] / (v[i] + m->c2));
	if (k >= 3)
		fit_prior(m, e, k);
	m->df_t = fmin(m->d0 + m->df, (double)(k > 1 ? k : 1) * m->df);
	for (size_t i = 0; i < n; i++)
		s2[i] /= 1 - leverage(m, v[i]);
	return hd_noise_fit(&m->noise, v, s2, n, m->df);
}

int hd_model_fit(struct hd_model *out, const struct hd_runs *in)
{
	double *room;
	int rc;

	*out = (struct hd_model){ .base = in->base, .head = in->head, .df = (double)runs_of(in) - 2, .s02 = 1 };
	if (!in->base || !in->head)
		return HD_TRACK_NONE;
	out->size = calloc(runs_of(in), sizeof(*out->size));
	room = malloc((3 * in->symbols + 1) * sizeof(*room));
	rc = out->size && room ? hd_sizes_find(out, in) : HD_TRACK_NOMEM;
	if (rc >= 0) {
		find_shift(out);
		if (out->df > 0)
			rc = find_noise(out, in, room);
	}
	free(room);
	if (rc < 0)
		hd_model_release(out);
	return rc;
}

void hd_model_release(struct hd_model *m)
{
	free(m->size);
	m->size = NULL;
}

struct hd_moderated hd_model_test(const struct hd_model *m, const double *y)
{
	struct hd_moderated t = moments(m, y);
	double part = leverage(m, t.v), prior = m->s02 * (t.v + m->c2);
	struct hd_noise_variance own;

	t.p_greater = t.p_two = 1;
	t.s = t.s_pooled = sqrt(t.v);
	if (m->df > 0) {
		own = hd_noise_of(&m->noise, t.v, t.s2 / (1 - part), m->df, fabs(t.d) / spread_of_means(m) / sqrt(1 + part));
		t.s = sqrt(own.var * (1 + part));
		t.df = own.df;
		t.p_greater = t.d > 0 ? own.tail : 1 - own.tail;
		t.p_two = 2 * own.tail;
		t.s_pooled = sqrt(fmax(t.v, isinf(m->d0) ? prior : (m->d0 * prior + m->df * t.s2) / (m->d0 + m->df)));
	}
	t.se = t.s * spread_of_means(m);
	t.t = t.d / t.se;
	return t;
}

double hd_model_upper(const struct hd_model *m, const struct hd_moderated *t)
{
	return m->df > 0 ? t->d + hd_t_of_normal(NORMAL_95, m->df_t) * t->s_pooled * spread_of_means(m) : INFINITY;
}
