/*
 * noise.h - estimate the run-to-run noise of symbols beyond counting error
 *
 * The variance of a symbol between runs is v + c^2: v is the counting variance, c the symbol's own noise.  Symbols
 * differ in c, and a few runs say little about a single one.  So all symbols together estimate the distribution of c,
 * and the runs of one symbol update it (empirical Bayes):
 *
 *     prior        ln c is normal with a mean and a standard deviation; a small part is flat, for outlying symbols
 *     likelihood   df s2 / (v + c^2) is chi-squared with df degrees of freedom
 *     posterior    their product, on a grid of HD_NOISE_GRID values of c
 *
 * Mean and standard deviation of the prior are not point estimates: a grid of pairs is averaged with weights
 * proportional to their likelihood over all symbols times a weak hyperprior.  So with few symbols the result is
 * vague, not wrong.
 *
 * The p-value of a difference of means is the normal tail averaged over the posterior.  For intervals, the posterior is
 * approximated by the scaled inverse chi-squared distribution with the same two moments of 1 / (v + c^2), which gives
 * degrees of freedom: many if counting dominates the variance, little more than those of its runs if the symbol is
 * noisy.
 */
#ifndef HD_STATS_NOISE_H
#define HD_STATS_NOISE_H

#include "stats/status.h"

#include <stddef.h>

enum { HD_NOISE_GRID = 64 };

struct hd_noise {
	double prior[HD_NOISE_GRID];	/* weight of each c; the sum is 1 */
	double c2[HD_NOISE_GRID];	/* c squared */
	double cv, spread;		/* posterior means: exp(mean of ln c), standard deviation of ln c */
};

/* Fit the prior to the counting variances v and sample variances s2 of n symbols.  HD_STATS_OK or HD_STATS_NOMEM. */
int hd_noise_fit(struct hd_noise *out, const double *v, const double *s2, size_t n, double df);

struct hd_noise_variance {
	double var, df;
	/* probability that a normal variate of variance v_mean + c^2 exceeds x, averaged over c */
	double tail;
};
/*
 * Estimate the variance of one symbol from its own runs and the prior.
 *
 *     v        counting variance of the symbol's runs
 *     v_mean   counting variance of the run that the result is applied to; it differs from v if base and head have
 *              different sample counts
 *     s2, df   sample variance of the symbol's runs, and its degrees of freedom
 *     x        deviation of a single run, >= 0; `tail` of the result is the probability of a larger one
 */
struct hd_noise_variance hd_noise_of(const struct hd_noise *n, double v, double v_mean, double s2, double df, double x);

#endif
