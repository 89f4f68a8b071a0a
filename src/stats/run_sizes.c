/*
 * run_sizes.c - see run_sizes.h
 */
#include "stats/run_sizes.h"

#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Tukey's biweight: a symbol whose distance exceeds this multiple of its scale has no weight. */
#define BIWEIGHT 4.0
enum { ROUNDS = 5 };	/* iterations of the biweight */
/*
 * The variance of each symbol is shrunk towards the typical variance of all symbols, which has the weight of this many
 * degrees of freedom.
 */
#define SHRINKAGE 4
/*
 * The level (the change that most symbols share) is estimated from the symbols that occur in all runs, provided that
 * they have at least this share of the profile's samples.
 */
#define ANCHORED 0.1

/*
 * Return the location of weighted values by Tukey's biweight, started at the weighted median.  Values whose distance
 * exceeds BIWEIGHT times their scale, multiplied by `widen`, have no weight.
 */
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

/*
 * The symbols that occur in each run of at least one side, base or head.  They determine the sizes (run_sizes.h) of the
 * runs of that side.
 */
struct present {
	size_t n, both;			/* number of symbols, and of those that are in all runs of both sides */
	double *z;			/* n x runs: ln(y + 1/2) minus the mean of the side */
	double *d, *v, *scale, *room;	/* d: the difference of the sides' means; v: counting variance of a run */
	bool (*on)[2];			/* the symbol is in each run of the base (on[i][0]), of the head (on[i][1]) */
	struct hd_weighted *w;
	double share_both;		/* samples of the symbols that are in all runs of both sides */
};

static int present_new(struct present *p, const struct hd_run_counts *in)
{
	size_t n = in->symbols + 1, runs = in->base + in->head;

	*p = (struct present){ .z = malloc(n * (runs + 4) * sizeof(*p->z)),
		.w = malloc(n * sizeof(*p->w)),
		.on = malloc(n * sizeof(*p->on)) };
	if (!p->z || !p->w || !p->on)
		return HD_STATS_NOMEM;
	p->d = p->z + n * runs;
	p->v = p->d + n;
	p->scale = p->v + n;
	p->room = p->scale + n;
	return HD_STATS_OK;
}

static void present_add(struct present *p, const double *y, const struct hd_run_counts *in)
{
	size_t runs = in->base + in->head;
	double *z = p->z + p->n * runs, mean[2] = { 0, 0 }, all = 0;
	bool *on = p->on[p->n];

	on[0] = on[1] = true;
	for (size_t r = 0; r < runs; r++) {
		on[r >= in->base] &= y[r] > 0;
		all += y[r];
		z[r] = log(y[r] + 0.5);
		mean[r >= in->base] += z[r] / (double)(r < in->base ? in->base : in->head);
	}
	if (!on[0] && !on[1])
		return;
	for (size_t r = 0; r < runs; r++)
		z[r] -= mean[r >= in->base];
	p->d[p->n] = mean[1] - mean[0];
	p->v[p->n] = 1 / (all / (double)runs + 0.5);
	p->both += on[0] && on[1];
	p->share_both += on[0] && on[1] ? all : 0;
	p->n++;
}

/*
 * Compute the scale of each symbol from its residuals z[r] - size[r].  The scales are shrunk towards the typical scale.
 * Returns the median, over the symbols, of the variance beyond counting.
 */
static double find_scales(struct present *p, const struct hd_run_counts *in, const double *size)
{
	double excess = 0;
	size_t runs = in->base + in->head, known = 0;

	for (size_t i = 0; i < p->n; i++) {
		double squares = 0,
		       df = (p->on[i][0] ? (double)in->base - 1 : 0) + (p->on[i][1] ? (double)in->head - 1 : 0);

		for (size_t r = 0; r < runs; r++)
			if (p->on[i][r >= in->base])
				squares += pow(p->z[i * runs + r] - size[r], 2);
		p->scale[i] = squares;
		if (df > 0)
			p->room[known++] = squares / df / hd_chi2_median(df) - p->v[i];
	}
	if (known) {
		hd_order_sort(p->room, known);
		excess = fmax(0, hd_order_median(p->room, known));
	}
	for (size_t i = 0; i < p->n; i++)
		p->scale[i] = sqrt(fmax(p->v[i],
			(p->scale[i] + SHRINKAGE * (p->v[i] + excess)) / ((double)runs - 2 + SHRINKAGE)));
	return excess;
}

/* Return the size (run_sizes.h) of run r, estimated from the symbols that occur in all runs of the side of r. */
static double size_of_run(struct present *p, const struct hd_run_counts *in, size_t r, double excess, bool robust)
{
	size_t runs = in->base + in->head, n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->on[i][r >= in->base])
			p->w[n++] = (struct hd_weighted){ p->z[i * runs + r], 1 / sqrt(p->v[i] + excess), p->scale[i] };
	return robust ? biweight(p->w, n, 1) : hd_weighted_median(p->w, n);
}

/* Return the mean of ln(total) over the runs from .. to - 1 of a side. */
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

static double find_level(struct present *p, const struct hd_run_counts *in, double excess)
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
	return biweight(p->w, n, sqrt(1 / (double)in->base + 1 / (double)in->head));
}

int hd_run_sizes_find(struct hd_run_sizes *out, const struct hd_run_counts *in)
{
	size_t runs = in->base + in->head;
	struct present p;
	int rc = present_new(&p, in);
	double excess = 0;

	for (size_t i = 0; rc >= 0 && i < in->symbols; i++)
		present_add(&p, in->y + i * runs, in);
	for (unsigned pass = 0; rc >= 0 && pass < 2; pass++) {
		for (size_t r = 0; r < runs && p.n; r++)
			out->size[r] = size_of_run(&p, in, r, excess, pass);
		if (!pass)
			excess = find_scales(&p, in, out->size);
	}
	for (size_t i = 0; rc >= 0 && i < p.n; i++)
		out->information += in->work ? 0 : 1 / (p.scale[i] * p.scale[i]);
	out->level = rc >= 0 && !in->work ? find_level(&p, in, excess) : 0;
	for (size_t r = 0; rc >= 0 && r < runs; r++)
		out->size[r] = in->work ? log(in->work[r])
					: out->size[r] + (r < in->base ? -out->level : out->level) / 2;
	free(p.z);
	free(p.w);
	free(p.on);
	return rc;
}
