/*
 * noise.h - estimate the run-to-run noise of symbols beyond counting error
 *
 * All variances are those of ln(cost).  The variance of a symbol between runs is v + c^2: v is the counting variance,
 * and c is the symbol's own noise, a relative standard deviation.  Symbols differ in c, and a few runs contain little
 * information about the c of a single symbol.  So the distribution of c is estimated from all symbols, and it is then
 * updated with the runs of one symbol (empirical Bayes):
 *
 *     prior        ln c is normal with a mean and a standard deviation; a small part is flat, for outlying symbols
 *     likelihood   df s2 / (v + c^2) is chi-squared with df degrees of freedom
 *     posterior    their product, on a grid of HD_NOISE_GRID values of c
 *
 * The mean and the standard deviation of the prior are not estimated as one pair of numbers.  Instead, the result is an
 * average over a grid of such pairs; the weight of a pair is its likelihood over all symbols times a weak hyperprior.
 * So if there are few symbols, many pairs have weight, and the prior is wide.
 *
 * The p-value of a difference of means is the normal tail averaged over the posterior.  For intervals, the posterior is
 * approximated by the scaled inverse chi-squared distribution with the same two moments of 1 / (v + c^2), which gives
 * degrees of freedom.  They are many if counting dominates the variance.  If the symbol is noisy, they are little more
 * than the degrees of freedom of its runs.
 */
#ifndef HD_STATS_NOISE_H
#define HD_STATS_NOISE_H

#include "stats/status.h"

#include <stddef.h>

enum { HD_NOISE_GRID = 64 };

struct hd_noise {
	double prior[HD_NOISE_GRID];	/* weight of each c; the sum is 1 */
	double c2[HD_NOISE_GRID];	/* c squared */
	double cv;			/* the typical c: exp of the estimated mean of ln c */
	double spread;			/* estimated standard deviation of ln c */
};

/*
 * Estimate the prior from the counting variances v and the sample variances s2 of n symbols.  df: degrees of freedom
 * of each s2.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
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
