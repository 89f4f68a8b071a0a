/*
 * order.h - order statistics: sorting, and selecting without sorting
 *
 * Selecting costs a few passes over the values, whatever their order was: a
 * quickselect that falls back to a heap sort when its pivots are bad.  Values are
 * finite numbers.  Nothing is allocated.
 *
 * Two kinds of percentile, which are never mixed:
 *   nearest rank   the value with rank ceil(p/100 n), counted from 1: always one that was measured
 *   type 7         between the values around (n-1)p, linearly (Hyndman and Fan 1996; what R, NumPy and
 *                  spreadsheets do): for quartiles and Tukey's fences
 */
#ifndef HD_STATS_ORDER_H
#define HD_STATS_ORDER_H

#include <stddef.h>

void hd_order_sort(double *v, size_t n);

/*
 * Put v[ranks[i]] where a sort would put it, for each i; smaller values then stand
 * before, larger ones behind.  ranks ascend and are below n.
 */
void hd_order_select(double *v, size_t n, const size_t *ranks, size_t nranks);

/* The index of the nearest rank of `percent` (0..100) among n > 0 values. */
size_t hd_order_nearest(size_t n, unsigned percent);

/* Type 7 at p (0..1) of n > 0 values, of which those at the next lower and upper index are in their places. */
double hd_order_type7(const double *v, size_t n, double p);
size_t hd_order_type7_rank(size_t n, double p);		/* the lower of the two indexes */

/* The median of sorted values, the mean of the middle two when n is even; n > 0. */
double hd_order_median(const double *sorted, size_t n);

#endif
