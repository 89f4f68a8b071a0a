/*
 * noise.h - how much a symbol varies of itself, beyond what counting explains
 *
 * A symbol's variance from run to run is v + c^2: v that of counting, c its own noise.
 * Symbols differ in c, and a handful of runs tells little about one of them; so all
 * symbols together say what c may be, and the runs of one correct it:
 *
 *     prior        ln c normal, with a middle and a spread; a small part ANY flat, for the symbol that is like no other
 *     likelihood   df s2 / (v + c^2) is chi-squared with df degrees of freedom
 *     posterior    their product, on HD_NOISE_GRID values of c
 *
 * Middle and spread are not estimated once: each pair of a grid of them counts by its
 * likelihood over all symbols (and a weak prior of its own), so that few symbols give
 * a vague answer and not a wrong one.
 *
 * A difference of means is normal with that variance, so that its p is the mean of the
 * normal's tails over the posterior.  An interval wants degrees of freedom: those of the
 * scaled inverse chi-squared with the same two moments of 1 / (v + c^2).  A symbol whose
 * variance is that of counting is known well and has many; one that is noisy has
 * little more than its runs give.
 */
#ifndef HD_STATS_NOISE_H
#define HD_STATS_NOISE_H

#include <stddef.h>

enum { HD_NOISE_GRID = 64 };

struct hd_noise {
	double prior[HD_NOISE_GRID];	/* of each c; sum 1 */
	double c2[HD_NOISE_GRID];	/* of each, squared */
	double cv, spread;		/* means over the posterior: exp(middle), sd of ln c */
};

/* v and s2 of n symbols.  HD_TRACK_NOMEM. */
int hd_noise_fit(struct hd_noise *out, const double *v, const double *s2, size_t n, double df);

struct hd_noise_variance {
	double var, df;
	double tail;			/* P(N > x), N normal with the variance v + c^2, over what c may be */
};
/*
 * The noise of one symbol, from its own runs and the prior of all symbols.
 * v, s2, df: the counting variance of its runs, their sample variance and its degrees of freedom.
 * v_mean: the counting variance of one run that the answer is for; it differs from v where the sides' counts differ.
 * x >= 0: the deviation whose tail is wanted, in the unit of one run.
 */
struct hd_noise_variance hd_noise_of(const struct hd_noise *n, double v, double v_mean, double s2, double df, double x);

#endif
