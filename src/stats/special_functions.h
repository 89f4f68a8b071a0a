/*
 * special_functions.h - the functions that distributions are made of
 *
 * Computed in long double where that helps; good to about 1e-12 of the result
 * (beta functions of arguments in the millions: 1e-9).  Arguments outside of the
 * domain give NaN.  Tails are computed as tails, so that small p-values keep
 * their digits.
 *
 * Source: continued fraction of the incomplete beta function by Lentz's method,
 * DLMF 8.17.22; Student's t, F and binomial by it, DLMF 8.17 and Abramowitz and
 * Stegun 26.5, 26.7.  Quantiles by bisection and Newton on the tail.
 */
#ifndef HD_STATS_SPECIAL_FUNCTIONS_H
#define HD_STATS_SPECIAL_FUNCTIONS_H

#include <stddef.h>

double hd_lgamma(double x);
double hd_digamma(double x);				/* x > 0 */
double hd_trigamma(double x);				/* x > 0 */
double hd_trigamma_inverse(double y);			/* y > 0 */
double hd_beta_inc(double a, double b, double x);	/* regularised I_x(a, b); a, b > 0 */

double hd_normal_upper(double z);			/* P(Z > z) */
double hd_normal_quantile(double p);			/* P(Z <= z) = p */

double hd_t_upper(double t, double df);			/* P(T > t); df may be infinite */
double hd_t_quantile(double p, double df);		/* P(T <= t) = p */
/* The quantile with the p that x has in the normal, for thousands of rows with a df each: good to 0.001 up to x = 2.4. */
double hd_t_of_normal(double x, double df);

/* P(X >= k), X the successes among n of probability p. */
double hd_binomial_upper(size_t k, size_t n, double p);

#endif
