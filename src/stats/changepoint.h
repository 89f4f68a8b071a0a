/*
 * changepoint.h - where a history of measurements moved
 *
 * E-divisive (Matteson and James 2014): the division of values into [from, t) and
 * [t, k) with the largest
 *
 *     Q(t, k) = 2/(n+m) sum |x - y|  -  2m/((n+m)(n-1)) sum |x - x'|  -  2n/((n+m)(m-1)) sum |y - y'|
 *
 * n and m the lengths of the two, over all t and all k; a part of one value has no
 * spread.  A division that is significant is kept, and its two sides are divided in
 * turn, the best one first, until none is.
 *
 * hd_changepoints() is what history and gate use.  It clips outliers, so that a single value is no level, and looks for
 * candidates by E-divisive in windows of 50 values that overlap by half.  hd_ar1_levels() (ar1_levels.h) then keeps the candidates
 * that autocorrelated noise and a slow trend do not explain.  Points of too little magnitude are removed, and each
 * point lies where the two stretches around it differ from their means the least.
 *
 * p of hd_changepoints() is adjusted for the search: max_p is the part of histories without a change that get a point.
 * p of hd_edivisive() is that of one division: a pooled t-test with ddof 1, or a permutation test with p = (b+1)/(P+1), b of P
 * shuffles with a Q at least as large: never 0.
 */
#ifndef HD_STATS_CHANGEPOINT_H
#define HD_STATS_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_changepoint {
	size_t index;		/* of the first value after the change */
	double q;		/* of the division */
	double p;
	double before, after;	/* means of the neighbouring stretches */
	double magnitude;	/* the relative change, in the direction in which it is larger */
};

struct hd_changepoint_opts {
	size_t window;			/* default 50 */
	double max_p, min_magnitude;	/* defaults 0.01 and 0 */
	/*
	 * To repeat published results only.  independent: neighbouring values are taken as independent, candidates are tested by
	 * t-tests and not moved.  ddof_0: the t-test takes a standard deviation with n.  skewed_merge: after the point w is
	 * removed, the points w and w+1 of the shorter list are tested again, not w-1 and w.
	 */
	bool independent, ddof_0, skewed_merge;
};

extern const struct hd_changepoint_opts hd_changepoint_defaults;

/*
 * Up to n points into out (room for n), ascending.  Returns how many, or
 * HD_TRACK_NOMEM.
 */
long hd_changepoints(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o);

/* One division after another of all values, without windows: t-test at max_p, or `permutations` shuffles.  k_end: only k = n. */
struct hd_edivisive_opts {
	double max_p;
	unsigned permutations;		/* 0: t-test */
	uint64_t seed;
	bool k_end, ddof_0;
	bool p_from_0;			/* to repeat published results only: p = b/(P+1) */
};
/* In the order in which they were found. */
long hd_edivisive(struct hd_changepoint *out, const double *v, size_t n, const struct hd_edivisive_opts *o);

/* Q(t, n) for t = 0..n-1 into q; Q(0) is 0.  Returns the t of the largest.  Needs n*n doubles: HD_TRACK_NOMEM. */
long hd_edivisive_curve(double *q, const double *v, size_t n);

#endif
