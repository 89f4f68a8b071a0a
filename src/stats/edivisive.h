/*
 * edivisive.h - divide a series of values recursively by energy distance
 *
 * E-divisive (Matteson and James 2014) takes the division of values into [from, t) and [t, k) with the largest
 *
 *     Q(t, k) = 2/(n+m) sum |x - y|  -  2m/((n+m)(n-1)) sum |x - x'|  -  2n/((n+m)(m-1)) sum |y - y'|
 *
 * over all t and k.  n and m are the lengths of the two parts, x and x' are values of the first part, y and y' of the
 * second, and each sum is over all pairs of values.  The term of a part of one value is 0.  If the division is
 * significant, both sides are divided in turn, the best division first, until none is significant.
 *
 * The significance of a division is that of a pooled t-test (standard deviations with n - 1), or of a permutation test
 * with p = (b+1)/(P+1), where b of P shuffles have a Q at least as large; so p is never 0, except with the option
 * p_from_0.
 */
#ifndef HD_STATS_EDIVISIVE_H
#define HD_STATS_EDIVISIVE_H

#include "stats/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_changepoint {
	size_t index;		/* index of the first value after the change */
	double q;		/* Q of the division */
	double p;
	/* means of the values before and after the change, up to the neighbouring changes known at that time */
	double before, after;
	/* the larger one of |after / before - 1| and |before / after - 1|; infinite if one mean is 0; 0 if both are */
	double magnitude;
};

struct hd_edivisive_opts {
	double max_p;
	unsigned permutations;		/* 0: t-test */
	uint64_t seed;
	bool k_end;			/* try only divisions with k at the end of the values that are divided */
	/* The last two options reproduce published results. */
	bool ddof_0;			/* divide variances by n instead of n - 1 */
	bool p_from_0;			/* p = b/(P+1) instead of (b+1)/(P+1), so that p can be 0 */
};

/*
 * Divide n values.  `out` has room for n change points, which are in the order of discovery.  Returns their number or
 * HD_STATS_NOMEM.
 */
long hd_edivisive(struct hd_changepoint *out, const double *v, size_t n, const struct hd_edivisive_opts *o);

/*
 * Compare the means of [from, t) and [t, to) by a t-test.  All fields of the result are set; q is 0.
 */
struct hd_changepoint hd_edivisive_test(const double *v, size_t from, size_t t, size_t to, bool ddof_0);

/*
 * Set q[t] to Q(t, n) for t = 1..n-1, and q[0] to 0.  Returns the t with the largest q[t], which is 0 if no Q is above
 * 0, or HD_STATS_NOMEM.  The function needs memory for (n+1)*(n+1) doubles.
 */
long hd_edivisive_curve(double *q, const double *v, size_t n);

#endif
