/*
 * run_sizes.c - see run_sizes.h
 */
#include "stats/run_sizes.h"

#include "stats/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A symbol farther out than this many of its scales does not count; the number of iterations. */
#define BIWEIGHT 4.0
enum { ROUNDS = 5 };
/* A symbol's scale is drawn towards that of all symbols with the weight of this many degrees of freedom. */
#define DRAWN 4
/* The share of the profile that must be in all runs for the level to be estimated from symbols. */
#define ANCHORED 0.1

/* The median of chi-squared by its df (Wilson and Hilferty). */
double hd_chi2_median(double df)
{
	return pow(1 - 2 / (9 * df), 3);
}

static int by_x(const void *a, const void *b)
{
	const struct hd_weighted *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

double hd_weighted_median(struct hd_weighted *w, size_t n)
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

/* Tukey's biweight: from the weighted median on, what lies beyond BIWEIGHT of its own scale does not count. */
static double biweight(struct hd_weighted *w, size_t n, double widen)
{
	double at = hd_weighted_median(w, n);

	for (unsigned round = 0; round < ROUNDS; round++) {
		double sum = 0, all = 0;

		for (size_t i = 0; i < n; i++) {
			double u = (w[i].x - at) / (BIWEIGHT * w[i].scale * widen), k;

			if (fabs(u) >= 1)
				continue;
			k = (1 - u * u) * (1 - u * u) / (w[i].scale * w[i].scale);
			sum += k * w[i].x;
			all += k;
		}
		if (!(all > 0))
			break;
		at = sum / all;
	}
	return at;
}

/* The symbols that are in each run of a side: they tell how large its runs are. */
struct present {
	size_t n, both;			/* rows; rows that are on both sides */
	double *z;			/* n x runs: ln(y + 1/2) less the mean of the side */
	double *d, *v, *scale, *room;	/* d: the difference of the sides' means */
	bool (*on)[2];			/* is the row in each run of the base, of the head? */
	struct hd_weighted *w;
	double share_both;		/* share of all samples that the rows on both sides have */
};

static int present_new(struct present *p, const struct hd_run_counts *in)
{
	size_t n = in->symbols + 1, runs = in->base + in->head;

	*p = (struct present){ .z = malloc(n * (runs + 4) * sizeof(*p->z)), .w = malloc(n * sizeof(*p->w)), .on = malloc(n * sizeof(*p->on)) };
	if (!p->z || !p->w || !p->on)
		return HD_TRACK_NOMEM;
	p->d = p->z + n * runs;
	p->v = p->d + n;
	p->scale = p->v + n;
	p->room = p->scale + n;
	return HD_TRACK_OK;
}

static void present_add(struct present *p, const double *y, const struct hd_variance_model *m)
{
	size_t runs = m->base + m->head;
	double *z = p->z + p->n * runs, mean[2] = { 0, 0 }, all = 0;
	bool *on = p->on[p->n];

	on[0] = on[1] = true;
	for (size_t r = 0; r < runs; r++) {
		on[r >= m->base] &= y[r] > 0;
		all += y[r];
		z[r] = log(y[r] + 0.5);
		mean[r >= m->base] += z[r] / (double)(r < m->base ? m->base : m->head);
	}
	if (!on[0] && !on[1])
		return;
	for (size_t r = 0; r < runs; r++)
		z[r] -= mean[r >= m->base];
	p->d[p->n] = mean[1] - mean[0];
	p->v[p->n] = 1 / (all / (double)runs + 0.5);
	p->both += on[0] && on[1];
	p->share_both += on[0] && on[1] ? all : 0;
	p->n++;
}

/* From residuals after `size`: the median of what rows vary beyond counting, and a scale of each row, drawn towards it. */
static double find_scales(struct present *p, const struct hd_variance_model *m)
{
	double excess = 0;
	size_t runs = m->base + m->head, known = 0;

	for (size_t i = 0; i < p->n; i++) {
		double squares = 0,
		       df = (p->on[i][0] ? (double)m->base - 1 : 0) + (p->on[i][1] ? (double)m->head - 1 : 0);

		for (size_t r = 0; r < runs; r++)
			if (p->on[i][r >= m->base])
				squares += pow(p->z[i * runs + r] - m->size[r], 2);
		p->scale[i] = squares;
		if (df > 0)
			p->room[known++] = squares / df / hd_chi2_median(df) - p->v[i];
	}
	if (known) {
		hd_order_sort(p->room, known);
		excess = fmax(0, hd_order_median(p->room, known));
	}
	for (size_t i = 0; i < p->n; i++)
		p->scale[i] = sqrt(fmax(p->v[i], (p->scale[i] + DRAWN * (p->v[i] + excess)) / (m->df + DRAWN)));
	return excess;
}

/* The size of run r, by the rows that are on its side. */
static double size_of_run(struct present *p, const struct hd_variance_model *m, size_t r, double excess, bool robust)
{
	size_t runs = m->base + m->head, n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->on[i][r >= m->base])
			p->w[n++] = (struct hd_weighted){ p->z[i * runs + r], 1 / sqrt(p->v[i] + excess), p->scale[i] };
	return robust ? biweight(p->w, n, 1) : hd_weighted_median(p->w, n);
}

/* The mean over a side of ln of the runs' totals. */
static double mean_log_total(const struct hd_run_counts *in, size_t from, size_t to)
{
	size_t runs = in->base + in->head;
	double sum = 0;

	for (size_t r = from; r < to; r++) {
		double total = 0;

		for (size_t i = 0; i < in->symbols; i++)
			total += in->y[i * runs + r];
		sum += log(total + 0.5);
	}
	return sum / (double)(to - from);
}

static double find_level(struct present *p, const struct hd_variance_model *m, const struct hd_run_counts *in,
	double excess)
{
	double all = 0;
	size_t n = 0;

	for (size_t i = 0; i < in->symbols * (in->base + in->head); i++)
		all += in->y[i];
	if (!p->both || p->share_both < ANCHORED * all)
		return mean_log_total(in, in->base, in->base + in->head) - mean_log_total(in, 0, in->base);
	for (size_t i = 0; i < p->n; i++)
		if (p->on[i][0] && p->on[i][1])
			p->w[n++] = (struct hd_weighted){ p->d[i], 1 / sqrt(p->v[i] + excess), p->scale[i] };
	return biweight(p->w, n, sqrt(1 / (double)m->base + 1 / (double)m->head));
}

/* The sizes within each side first, then the level between the sides: a row that changed is an outlier only there. */
int hd_run_sizes_find(struct hd_variance_model *m, const struct hd_run_counts *in)
{
	size_t runs = in->base + in->head;
	struct present p;
	int rc = present_new(&p, in);
	double excess = 0;

	for (size_t i = 0; rc >= 0 && i < in->symbols; i++)
		present_add(&p, in->y + i * runs, m);
	for (unsigned pass = 0; rc >= 0 && pass < 2; pass++) {
		for (size_t r = 0; r < runs && p.n; r++)
			m->size[r] = size_of_run(&p, m, r, excess, pass);
		if (!pass)
			excess = find_scales(&p, m);
	}
	for (size_t i = 0; rc >= 0 && i < p.n; i++)
		m->information += in->work ? 0 : 1 / (p.scale[i] * p.scale[i]);
	m->level = rc >= 0 && !in->work ? find_level(&p, m, in, excess) : 0;
	for (size_t r = 0; rc >= 0 && r < runs; r++)
		m->size[r] = in->work ? log(in->work[r]) : m->size[r] + (r < m->base ? -m->level : m->level) / 2;
	free(p.z);
	free(p.w);
	free(p.on);
	return rc;
}
