/*
 * special_functions.h - compute distribution functions, their quantiles, and the special functions that they need
 *
 * The functions compute in long double where that helps; the relative error is about 1e-12 (1e-9 for beta functions of
 * arguments in the millions).  Arguments outside of the domain give NaN.  Upper tails are computed directly, so that
 * small p-values keep their digits.
 *
 * Sources: the continued fraction of the incomplete beta function is computed by Lentz's method (DLMF 8.17.22).
 * Student's t and the binomial distribution follow from this function (DLMF 8.17; Abramowitz and Stegun 26.5, 26.7).
 * Quantiles are found by bisection on the upper tail.
 */
#ifndef HD_STATS_SPECIAL_FUNCTIONS_H
#define HD_STATS_SPECIAL_FUNCTIONS_H

#include <stddef.h>

double hd_digamma(double x);				/* x > 0 */
double hd_trigamma(double x);				/* x > 0 */
double hd_trigamma_inverse(double y);			/* y > 0 */
double hd_beta_inc(double a, double b, double x);	/* regularised I_x(a, b); a, b > 0 */

double hd_normal_upper(double z);			/* P(Z > z) */
double hd_normal_quantile(double p);			/* P(Z <= z) = p */

double hd_t_upper(double t, double df);			/* P(T > t); df may be infinite */
double hd_t_quantile(double p, double df);		/* P(T <= t) = p */
/*
 * Return the t quantile at the probability P(Z <= x), with Z normal.  For df >= 4 it is an approximation, whose error
 * is at most 0.001 for |x| <= 1.96.  It is fast enough for thousands of rows that each have another df.  For smaller
 * df, hd_t_quantile() computes it.
 */
double hd_t_of_normal(double x, double df);

/* Return the median of the chi-squared distribution, divided by df, by the approximation of Wilson and Hilferty. */
double hd_chi2_median(double df);

/* Return P(X >= k), where X is the number of successes in n trials of probability p. */
double hd_binomial_upper(size_t k, size_t n, double p);

#endif
