/*
 * multiple.h - p-values of many tests, adjusted for their number
 *
 *     Benjamini-Hochberg   the rate of false ones among those rejected (J. R. Statist. Soc. B 57, 1995)
 *     Benjamini-Yekutieli  the same under any dependence (Ann. Statist. 29, 2001)
 *     Holm, Bonferroni     the chance of a single false one (Scand. J. Statist. 6, 1979)
 *
 * A test is rejected at level q when its adjusted p is <= q.  The default is BH at 0.05.
 */
#ifndef HD_STATS_MULTIPLE_H
#define HD_STATS_MULTIPLE_H

#include <stddef.h>

enum hd_multiple { HD_MULTIPLE_BH, HD_MULTIPLE_BY, HD_MULTIPLE_HOLM, HD_MULTIPLE_BONFERRONI };

/* adjusted: in the order of p; NaN stays NaN and does not count.  0 or HD_TRACK_NOMEM. */
int hd_multiple_adjust(enum hd_multiple method, double *adjusted, const double *p, size_t n);

#endif
