/*
 * changepoint.h - find the points at which a series of measurements changes its level
 *
 * The commands `history` and `gate` find change points in these steps:
 *
 *     1. clip outliers, so that a single value does not become a level
 *     2. find candidates by E-divisive (edivisive.h) in windows of 50 values that overlap by at most half
 *     3. move each candidate to where the values on each side of it, up to the next candidate, differ least from their
 *        mean
 *     4. keep the candidates that neither autocorrelated noise nor a slow trend explains (ar1_levels.h)
 *     5. remove the points whose magnitude is too small
 *
 * The p of a point is adjusted for the search: among series without a change, the fraction that gets a point by chance
 * is max_p.  With the option `independent`, p is that of a single t-test and is not adjusted.
 */
#ifndef HD_STATS_CHANGEPOINT_H
#define HD_STATS_CHANGEPOINT_H

#include "stats/edivisive.h"

struct hd_changepoint_opts {
	size_t window;			/* default 50 */
	double max_p, min_magnitude;	/* defaults 0.01 and 0 */
	/*
	 * Variants of the method.  They exist to reproduce published results and are not used otherwise.
	 *   independent    treat neighbouring values as independent: do t-tests instead of steps 1, 3 and 4
	 *   ddof_0         in the t-test, divide the variance by n instead of n - 1
	 *   skewed_merge   after point w was removed, test points w and w+1 of the remaining list again instead of
	 *                  points w-1 and w
	 */
	bool independent, ddof_0, skewed_merge;
};

extern const struct hd_changepoint_opts hd_changepoint_defaults;

/*
 * Find the change points of n values.  They are ascending; `out` has room for n.  The member q of the results has no
 * meaning.  Returns the number of points, which is 0 if n or o->window is below 2, or HD_STATS_NOMEM.
 */
long hd_changepoints(struct hd_changepoint *out, const double *v, size_t n, const struct hd_changepoint_opts *o);

#endif
