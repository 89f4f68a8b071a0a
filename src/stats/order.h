/*
 * order.h - order statistics: sorting, and selecting without sorting
 *
 * Selecting takes O(n) for any input order: quickselect, with heap sort as the fallback for bad pivots.  Values must be
 * finite.  Nothing is allocated.
 *
 * There are two definitions of a percentile, which are never mixed:
 *   nearest rank   the value with rank ceil(p/100 n), counted from 1: always a measured value
 *   type 7         linear interpolation at (n-1)p (Hyndman and Fan 1996; R, NumPy and spreadsheets): for quartiles and
 *                  Tukey's fences
 */
#ifndef HD_STATS_ORDER_H
#define HD_STATS_ORDER_H

#include <stddef.h>

void hd_order_sort(double *v, size_t n);

/*
 * Put the value of each rank in ranks[] (ascending, below n) into its place: smaller values are then before it, larger
 * ones after it.
 */
void hd_order_select(double *v, size_t n, const size_t *ranks, size_t nranks);

/* The index of the nearest rank of `percent` (0..100) among n > 0 values. */
size_t hd_order_nearest(size_t n, unsigned percent);

/* Type 7 at p (0..1) of n > 0 values.  The values at hd_order_type7_rank() and at the next index must be in place. */
double hd_order_type7(const double *v, size_t n, double p);
size_t hd_order_type7_rank(size_t n, double p);

/* The median of n > 0 sorted values; the mean of the middle two if n is even. */
double hd_order_median(const double *sorted, size_t n);

/* The sum of n values, with compensation of rounding errors. */
long double hd_sum(const double *v, size_t n);

struct hd_weighted {
	double x, weight;
	double scale;			/* not used here; travels with x when the values are sorted */
};
/* The weighted median: the value with half of the weight on each side.  Sorts w.  0 if n is 0. */
double hd_weighted_median(struct hd_weighted *w, size_t n);

#endif
