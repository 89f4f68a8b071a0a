/*
 * growth.h - find out how a time grows with the size of the input
 *
 * Each candidate is a line over a function of the size n, with a start-up time that does not depend on n:
 *
 *     t = base + factor f(n),   base >= 0, factor > 0,   f = log2 n, n, n log2 n, n^2, n^3
 *
 * The lines are fitted to the median time of each size by weighted least squares.  The weight is 1 / median^2, because
 * the noise of a time is proportional to it.  Medians are used, because times have outliers on one side.
 *
 * The choice:
 *
 *   constant  if the best line (that with the smallest error, see below) rises by no more than the fraction `noise`
 *             from the smallest to the largest size, or if its factor is not above 0 with p < HD_GROWTH_P (one-sided;
 *             Student's t with the variance of the runs within their sizes, or of the residuals if there are fewer than
 *             two runs per size on average)
 *   else      the slowest growing one of the lines that predict well.  Each size is predicted from the others, and the
 *             relative errors are averaged as squares (cross-validation; Stone 1974).  A line predicts well if its
 *             error exceeds the smallest one by no more than the standard error of the medians (the rule of one
 *             standard error; Breiman et al. 1984).  All lines have two parameters, so none fits better only by
 *             having more of them
 *
 * `also` names the other lines that predict well: the data do not distinguish them.
 *
 * r2 is the share of the variance of the times of all runs that the fitted line explains.
 */
#ifndef HD_STATS_GROWTH_H
#define HD_STATS_GROWTH_H

#include "stats/status.h"

#include <stdbool.h>
#include <stddef.h>

#define HD_GROWTH_P 0.01

enum hd_growth_order {
	HD_GROWTH_CONSTANT, HD_GROWTH_LOG, HD_GROWTH_LINEAR, HD_GROWTH_LINEAR_LOG, HD_GROWTH_QUADRATIC,
	HD_GROWTH_CUBIC, HD_GROWTH_ORDERS
};

struct hd_growth_line {
	bool usable;			/* the factor is above 0; always true for the constant */
	double base, factor;		/* base: in the unit of the times; factor: the same unit per unit of f(n) */
	double error;			/* root mean square of the relative errors of cross-validation */
	double r2;			/* NaN for the constant, and if all times are equal */
};

enum { HD_GROWTH_SIZES_LEAST = 3 };

struct hd_growth {
	size_t sizes;			/* distinct sizes */
	bool known;			/* there are at least HD_GROWTH_SIZES_LEAST sizes: the next fields are valid */
	enum hd_growth_order order;
	bool also[HD_GROWTH_ORDERS];
	double p;			/* p-value of the factor of the best line; NaN if no line rises */
	struct hd_growth_line line[HD_GROWTH_ORDERS];
};

/*
 * Fit all candidates.  sizes: n values of 1 or more, in any order.  times[i]: the positive time of a run with
 * sizes[i].  noise: a fraction of 0 or more.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_growth_make(struct hd_growth *out, const double *sizes, const double *times, size_t n, double noise);

/* Return the name of an order, such as "O(n log n)". */
const char *hd_growth_name(enum hd_growth_order order);
/* Return the time that a line predicts for the size n. */
double hd_growth_at(const struct hd_growth *g, enum hd_growth_order order, double n);

#endif
