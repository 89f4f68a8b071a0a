/*
 * strata.h - compute a weighted sum of the means of groups (strata), and its interval by the bootstrap
 *
 *     sum = w[0] mean(v of stratum 0) + w[1] mean(v of stratum 1) + ...
 *
 * w is the weight of a stratum, and v are its values.
 *
 * The strata are fixed; only the values within a stratum are a sample.  A draw takes n - 1 values with replacement
 * from a stratum of n values, so that the variance of the drawn sum is the usual estimate, sum of w*w s*s/n with the
 * variance s*s of divisor n - 1 (Rao and Wu 1988, McCarthy and Snowden 1985).  With n values per draw it would be too
 * small by the factor (n - 1)/n, which is a half if n is 2.  The interval is the 2.5 % and the 97.5 % quantile (type 7)
 * of HD_STRATA_DRAWS draws with a fixed seed.
 */
#ifndef HD_STATS_STRATA_H
#define HD_STATS_STRATA_H

#include "stats/bootstrap.h"

#include <stddef.h>

enum { HD_STRATA_DRAWS = 2000 };

struct hd_stratum {
	size_t first, n;		/* values v[first] .. v[first + n - 1]; n > 0 */
	double weight;
};

double hd_strata_sum(const double *v, const struct hd_stratum *strata, size_t n);

/*
 * Compute the 95 % interval of the sum.  Returns HD_STATS_OK or HD_STATS_NOMEM.  If a stratum whose weight is not 0 has
 * a single value and this is not 0, its variance is unknown.  The function then returns HD_STATS_NONE.  Unless it
 * returns HD_STATS_OK, the interval is NaN.
 */
int hd_strata_interval(struct hd_interval *out, const double *v, const struct hd_stratum *strata, size_t n);

#endif
