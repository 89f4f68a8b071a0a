/*
 * sizes.c - see sizes.h
 */
#include "drift/sizes.h"

#include "track/order.h"

#include <math.h>
#include <stdlib.h>

/* How far out a symbol lies that says nothing about the size of a run, and how often that is asked again. */
#define BIWEIGHT 4.0
enum { ROUNDS = 5 };
/* Its scale is drawn towards that of all as if that were known from so many degrees of freedom. */
#define DRAWN 4

/* The median of chi-squared by its df (Wilson and Hilferty). */
double hd_chi2_median(double df)
{
	return pow(1 - 2 / (9 * df), 3);
}

struct weighted {
	double x, weight, scale;
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

/* Tukey's biweight: from the weighted median on, what lies beyond BIWEIGHT of its own scale does not count. */
static double biweight(struct weighted *w, size_t n, double widen)
{
	double at = weighted_median(w, n);

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

/* Rows that are in each run: what is new or gone tells nothing about a run's size. */
struct present {
	size_t n;
	double *z;			/* n x runs: ln (y + 1/2) less the mean of the side */
	double *d, *v, *scale, *room;	/* d: the difference of the sides' means */
	struct weighted *w;
};

static int present_new(struct present *p, const struct hd_runs *in)
{
	size_t n = in->symbols + 1, runs = in->base + in->head;

	*p = (struct present){ .z = malloc(n * (runs + 4) * sizeof(*p->z)), .w = malloc(n * sizeof(*p->w)) };
	if (!p->z || !p->w)
		return HD_TRACK_NOMEM;
	p->d = p->z + n * runs;
	p->v = p->d + n;
	p->scale = p->v + n;
	p->room = p->scale + n;
	return HD_TRACK_OK;
}

static void present_add(struct present *p, const double *y, const struct hd_model *m)
{
	size_t runs = m->base + m->head;
	double *z = p->z + p->n * runs, base = 0, head = 0, all = 0;

	for (size_t r = 0; r < runs; r++) {
		if (!(y[r] > 0))
			return;
		all += y[r];
		z[r] = log(y[r] + 0.5);
		*(r < m->base ? &base : &head) += z[r];
	}
	base /= (double)m->base;
	head /= (double)m->head;
	for (size_t r = 0; r < runs; r++)
		z[r] -= r < m->base ? base : head;
	p->d[p->n] = head - base;
	p->v[p->n++] = 1 / (all / (double)runs + 0.5);
}

/* Of residuals after `size`: the middle of what rows vary beyond counting, and a scale of each, drawn towards it. */
static double find_scales(struct present *p, const struct hd_model *m)
{
	double df = m->df > 0 ? m->df : 1, excess = 0;
	size_t runs = m->base + m->head;

	for (size_t i = 0; i < p->n; i++) {
		double squares = 0;

		for (size_t r = 0; r < runs; r++)
			squares += (p->z[i * runs + r] - m->size[r]) * (p->z[i * runs + r] - m->size[r]);
		p->scale[i] = squares;
		p->room[i] = squares / df / hd_chi2_median(df) - p->v[i];
	}
	if (p->n) {
		hd_order_sort(p->room, p->n);
		excess = fmax(0, hd_order_median(p->room, p->n));
	}
	for (size_t i = 0; i < p->n; i++)
		p->scale[i] = sqrt(fmax(p->v[i], (p->scale[i] + DRAWN * (p->v[i] + excess)) / (m->df + DRAWN)));
	return excess;
}

/* Within the sides run by run, then the sides against each other: a row that changed is far out only there. */
int hd_sizes_find(struct hd_model *m, const struct hd_runs *in)
{
	size_t runs = in->base + in->head;
	struct present p;
	int rc = present_new(&p, in);
	double apart, excess = 0;

	for (size_t i = 0; rc >= 0 && i < in->symbols; i++)
		present_add(&p, in->y + i * runs, m);
	for (unsigned pass = 0; rc >= 0 && pass < 2; pass++) {
		for (size_t r = 0; r < runs && p.n; r++) {
			for (size_t i = 0; i < p.n; i++)
				p.w[i] = (struct weighted){ p.z[i * runs + r], 1 / sqrt(p.v[i] + excess), p.scale[i] };
			m->size[r] = pass ? biweight(p.w, p.n, 1) : weighted_median(p.w, p.n);
		}
		if (!pass)
			excess = find_scales(&p, m);
	}
	for (size_t i = 0; rc >= 0 && i < p.n; i++) {
		p.w[i] = (struct weighted){ p.d[i], 1 / sqrt(p.v[i] + excess), p.scale[i] };
		m->information += in->work ? 0 : 1 / (p.scale[i] * p.scale[i]);
	}
	apart = rc >= 0 && p.n ? biweight(p.w, p.n, sqrt(1 / (double)m->base + 1 / (double)m->head)) : 0;
	for (size_t r = 0; rc >= 0 && r < runs; r++)
		m->size[r] = in->work ? log(in->work[r]) : m->size[r] + (r < m->base ? -apart : apart) / 2;
	free(p.z);
	free(p.w);
	return rc;
}
