/*
 * model.c - see model.h
 */
#include "drift/model.h"

#include "track/order.h"
#include "track/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- sizes of runs ---- */

struct weighted {
	double x, weight;
};

static int by_x(const void *a, const void *b)
{
	const struct weighted *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* Half of the weight lies on each side. */
static double weighted_median(struct weighted *w, size_t n)
{
	double all = 0, sum = 0;

	qsort(w, n, sizeof(*w), by_x);
	for (size_t i = 0; i < n; i++)
		all += w[i].weight;
	for (size_t i = 0; i < n; i++) {
		sum += w[i].weight;
		if (sum > all / 2)
			return w[i].x;
		if (sum == all / 2 && i + 1 < n)
			return (w[i].x + w[i + 1].x) / 2;
	}
	return 0;
}

static int find_sizes(struct hd_model *m, const struct hd_runs *in)
{
	size_t runs = runs_of(in), n = 0;
	struct weighted *w = malloc((in->symbols ? in->symbols : 1) * sizeof(*w));
	double *mean = malloc((in->symbols ? in->symbols : 1) * sizeof(*mean));

	if (!w || !mean) {
		free(w);
		free(mean);
		return HD_TRACK_NOMEM;
	}
	for (size_t i = 0; i < in->symbols; i++) {
		mean[i] = 0;
		for (size_t r = 0; r < runs; r++)
			mean[i] += log_count(in->y[i * runs + r]) / (double)runs;
	}
	for (size_t r = 0; r < runs; r++, n = 0) {
		for (size_t i = 0; i < in->symbols; i++) {
			const double *y = in->y + i * runs;
			double count = mean_count(y, runs);
			bool everywhere = true;

			for (size_t k = 0; k < runs; k++)
				everywhere = everywhere && y[k] > 0;
			if (everywhere)		/* what is new or gone tells nothing about a run's size */
				w[n++] = (struct weighted){ log_count(y[r]) - mean[i], sqrt(count) };
		}
		m->size[r] = in->work ? log(in->work[r]) : n ? weighted_median(w, n) : 0;
	}
	free(w);
	free(mean);
	return HD_TRACK_OK;
}

static void find_shift(struct hd_model *m)
{
	double a = mean_count(m->size, m->base), b = mean_count(m->size + m->base, m->head), squares = 0;
	double df = (double)(m->base + m->head) - 2, se;

	for (size_t r = 0; r < m->base + m->head; r++)
		squares += pow(m->size[r] - (r < m->base ? a : b), 2);
	m->shift = b - a;
	m->shift_p = 1;
	se = sqrt(squares / df * (1 / (double)m->base + 1 / (double)m->head));
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

static void find_prior(struct hd_model *m, const struct hd_runs *in, double *excess, double *ratio)
{
	double median_ratio = pow(1 - 2 / (9 * m->df), 3);
	size_t runs = runs_of(in), n = 0, k = 0;

	for (size_t i = 0; i < in->symbols; i++) {
		struct hd_moderated t = moments(m, in->y + i * runs);

		if (mean_count(in->y + i * runs, runs) >= HD_MODEL_COUNTED)
			excess[n++] = t.s2 / median_ratio - t.v;
	}
	if (n) {
		hd_order_sort(excess, n);
		m->c2 = fmax(0, hd_order_median(excess, n));
	}
	for (size_t i = 0; i < in->symbols; i++) {
		struct hd_moderated t = moments(m, in->y + i * runs);

		if (mean_count(in->y + i * runs, runs) >= HD_MODEL_COUNTED && t.s2 > 0)
			ratio[k++] = log(t.s2 / (t.v + m->c2));
	}
	m->d0 = 0;
	m->s02 = 1;
	if (k >= 3)
		fit_prior(m, ratio, k);
	m->df_t = fmin(m->d0 + m->df, (double)(k > 1 ? k : 1) * m->df);
}

int hd_model_fit(struct hd_model *out, const struct hd_runs *in)
{
	double *room;
	int rc;

	*out = (struct hd_model){ .base = in->base, .head = in->head, .df = (double)runs_of(in) - 2, .s02 = 1 };
	if (!in->base || !in->head)
		return HD_TRACK_NONE;
	out->size = calloc(runs_of(in), sizeof(*out->size));
	room = malloc((2 * in->symbols + 1) * sizeof(*room));
	rc = out->size && room ? find_sizes(out, in) : HD_TRACK_NOMEM;
	if (rc >= 0) {
		find_shift(out);
		if (out->df > 0)
			find_prior(out, in, room, room + in->symbols);
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
	double prior = m->s02 * (t.v + m->c2), var;

	t.p_greater = t.p_two = 1;
	if (!(m->df > 0)) {
		t.s = sqrt(t.v);
		t.se = t.s * sqrt(1 / (double)m->base + 1 / (double)m->head);
		return t;
	}
	var = isinf(m->d0) ? prior : (m->d0 * prior + m->df * t.s2) / (m->d0 + m->df);
	t.s = sqrt(fmax(t.v, var));
	t.se = t.s * sqrt(1 / (double)m->base + 1 / (double)m->head);
	t.t = t.d / t.se;
	t.df = m->df_t;
	t.p_greater = hd_t_upper(t.t, t.df);
	t.p_two = fmin(1, 2 * hd_t_upper(fabs(t.t), t.df));
	return t;
}
