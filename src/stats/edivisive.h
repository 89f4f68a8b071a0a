/*
 * edivisive.h - divide a series of values recursively by energy distance
 *
 * E-divisive (Matteson and James 2014) takes the division of values into [from, t) and [t, k) with the largest
 *
 *     Q(t, k) = 2/(n+m) sum |x - y|  -  2m/((n+m)(n-1)) sum |x - x'|  -  2n/((n+m)(m-1)) sum |y - y'|
 *
 * over all t and k; n and m are the lengths of the two parts, and the term of a part of one value is 0.  If the
 * division is significant, both sides are divided in turn, the best division first, until none is significant.
 *
 * The significance of a division is that of a pooled t-test (standard deviations with n - 1), or of a permutation test
 * with p = (b+1)/(P+1), where b of P shuffles have a Q at least as large; it is never 0.
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
	double before, after;	/* means of the neighbouring stretches */
	double magnitude;	/* relative change, up or down, whichever is larger */
};

struct hd_edivisive_opts {
	double max_p;
	unsigned permutations;		/* 0: t-test */
	uint64_t seed;
	bool k_end;			/* only k = n */
	/* to reproduce published results: ddof_0 divides variances by n; p_from_0 computes p as b / (P + 1) */
	bool ddof_0, p_from_0;
};

/* Divide n values.  `out` has room for n points, in the order of discovery.  Returns their number or HD_STATS_NOMEM. */
long hd_edivisive(struct hd_changepoint *out, const double *v, size_t n, const struct hd_edivisive_opts *o);

/* Return the t-test of [from, t) against [t, to), with means and magnitude; q is 0. */
struct hd_changepoint hd_edivisive_test(const double *v, size_t from, size_t t, size_t to, bool ddof_0);

/*
 * Set q[t] = Q(t, n) for t = 0..n-1, with Q(0) = 0.  Returns the t of the largest, or HD_STATS_NOMEM (needs n*n
 * doubles).
 */
long hd_edivisive_curve(double *q, const double *v, size_t n);

#endif
