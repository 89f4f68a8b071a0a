/*
 * multiple.h - adjust p-values for the number of tests
 *
 *     Benjamini-Hochberg   the false-discovery rate (J. R. Statist. Soc. B 57, 1995)
 *     Benjamini-Yekutieli  the same under any dependence (Ann. Statist. 29, 2001)
 *     Holm, Bonferroni     the probability of at least one false discovery (Scand. J. Statist. 6, 1979)
 *
 * The null hypothesis of a test is rejected at level q if the adjusted p of the test is at most q.
 */
#ifndef HD_STATS_MULTIPLE_H
#define HD_STATS_MULTIPLE_H

#include "stats/status.h"

#include <stddef.h>

enum hd_multiple { HD_MULTIPLE_BH, HD_MULTIPLE_BY, HD_MULTIPLE_HOLM, HD_MULTIPLE_BONFERRONI };

/*
 * Compute the adjusted p-values from n p-values; the two arrays must not overlap.  NaN stays NaN and does not count as
 * a test.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_multiple_adjust(enum hd_multiple method, double *adjusted, const double *p, size_t n);

/*
 * n rows FAIL if their change is at least a limit and their p at most a threshold (the guard).  If nothing changed, a
 * row then FAILs with a probability of at most min(chance, p), where `chance` is the probability that noise alone
 * reaches its limit.  Return the p at which these probabilities sum to alpha; 1 if they never exceed it.  Sorts
 * `chance`.
 */
double hd_multiple_guard(double *chance, size_t n, double alpha);

#endif
