/*
 * noise.c - see noise.h
 */
#include "stats/noise.h"

#include <math.h>
#include <stdlib.h>

/* The grid of c: 0.0003 to 2, equidistant in ln c. */
#define LN_LEAST -8.111728083308073
#define LN_MOST 0.6931471805599453
/*
 * Number of grid points for the hyperprior.  The mean of ln c is searched from ln 0.2 % to ln 20 %; ln 2 % is the most
 * likely.
 */
enum { MIDDLES = 15, SPREADS = 7, PAIRS = MIDDLES * SPREADS };
#define MIDDLE_LEAST 0.002
#define MIDDLE_MOST 0.2
#define MIDDLE_LIKELY 0.02
#define MIDDLE_SD 1.5
static const double spreads[SPREADS] = { 0.15, 0.25, 0.4, 0.55, 0.75, 1.0, 1.3 };
#define FLAT 0.01			/* weight of the flat part of the prior (noise.h) */

#define DF_MOST 1e4
/* values of c with a smaller part of the posterior are skipped in the sum of a tail probability */
#define NEGLIGIBLE 1e-12

static double ln_c(size_t k)
{
	return LN_LEAST + (double)k * (LN_MOST - LN_LEAST) / (HD_NOISE_GRID - 1);
}

static void squares_of_grid(double *c2)
{
	for (size_t k = 0; k < HD_NOISE_GRID; k++)
		c2[k] = exp(2 * ln_c(k));
}

static double middle_of(size_t pair)
{
	return log(MIDDLE_LEAST) + (double)(pair / SPREADS) * log(MIDDLE_MOST / MIDDLE_LEAST) / (MIDDLES - 1);
}

static void normal_prior(double *w, double middle, double spread)
{
	double all = 0;

	for (size_t k = 0; k < HD_NOISE_GRID; k++)
		all += w[k] = exp(-pow((ln_c(k) - middle) / spread, 2) / 2);
	for (size_t k = 0; k < HD_NOISE_GRID; k++)
		w[k] = (1 - FLAT) * w[k] / all + FLAT / HD_NOISE_GRID;
}

/* Compute the likelihood at each c, scaled so that the largest value is 1. */
static void likelihood(double *l, const double *c2, double v, double s2, double df)
{
	double most = -INFINITY;

	for (size_t k = 0; k < HD_NOISE_GRID; k++) {
		double var = v + c2[k];

		l[k] = -df / 2 * (log(var) + s2 / var);
		most = fmax(most, l[k]);
	}
	for (size_t k = 0; k < HD_NOISE_GRID; k++)
		l[k] = exp(l[k] - most);
}

static double ln_evidence(const double *prior, const double *l, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double p = 0;

		for (size_t k = 0; k < HD_NOISE_GRID; k++)
			p += prior[k] * l[i * HD_NOISE_GRID + k];
		sum += log(p);
	}
	return sum;
}

static void average(struct hd_noise *out, const double (*prior)[HD_NOISE_GRID], double *weight)
{
	double most = -INFINITY, all = 0, middle = 0;

	for (size_t h = 0; h < PAIRS; h++)
		most = fmax(most, weight[h]);
	for (size_t h = 0; h < PAIRS; h++)
		all += weight[h] = exp(weight[h] - most);
	for (size_t h = 0; h < PAIRS; h++) {
		double w = weight[h] / all;

		middle += w * middle_of(h);
		out->spread += w * spreads[h % SPREADS];
		for (size_t k = 0; k < HD_NOISE_GRID; k++)
			out->prior[k] += w * prior[h][k];
	}
	out->cv = exp(middle);
}

int hd_noise_fit(struct hd_noise *out, const double *v, const double *s2, size_t n, double df)
{
	double(*prior)[HD_NOISE_GRID] = malloc(PAIRS * sizeof(*prior)),
	*l = malloc((n + 1) * HD_NOISE_GRID * sizeof(*l)), weight[PAIRS];
	int rc = prior && l ? HD_STATS_OK : HD_STATS_NOMEM;

	*out = (struct hd_noise){ 0 };
	squares_of_grid(out->c2);
	for (size_t i = 0; rc >= 0 && i < n; i++)
		likelihood(l + i * HD_NOISE_GRID, out->c2, v[i], s2[i], df);
	for (size_t h = 0; rc >= 0 && h < PAIRS; h++) {
		normal_prior(prior[h], middle_of(h), spreads[h % SPREADS]);
		weight[h] = ln_evidence(prior[h], l, n) - pow((middle_of(h) - log(MIDDLE_LIKELY)) / MIDDLE_SD, 2) / 2;
	}
	if (rc >= 0)
		average(out, (const double (*)[HD_NOISE_GRID])prior, weight);
	free(prior);
	free(l);
	return rc;
}

struct hd_noise_variance hd_noise_of(const struct hd_noise *n, double v, double v_mean, double s2, double df, double x)
{
	double l[HD_NOISE_GRID], all = 0, mean = 0, spread = 0, tail = 0;

	likelihood(l, n->c2, v, s2, df);
	for (size_t k = 0; k < HD_NOISE_GRID; k++)
		all += l[k] *= n->prior[k];
	for (size_t k = 0; k < HD_NOISE_GRID; k++) {
		double precision = 1 / (v_mean + n->c2[k]);

		mean += l[k] / all * precision;
		spread += l[k] / all * precision * precision;
		if (l[k] > NEGLIGIBLE * all)
			tail += l[k] / all * erfc(x * sqrt(precision / 2)) / 2;
	}
	spread -= mean * mean;
	return (struct hd_noise_variance){ 1 / mean,
		2 * mean * mean < DF_MOST * spread ? 2 * mean * mean / spread : DF_MOST, tail };
}
