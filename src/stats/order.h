/*
 * order.h - compute order statistics, by sorting or by selecting without sorting
 *
 * Selecting takes O(n) on average and O(n log n) at worst: quickselect, with heap sort as the fallback for bad pivots.
 * Values must be finite.  Nothing is allocated, except that hd_weighted_median() calls qsort(3), which may allocate.
 *
 * There are two definitions of a percentile:
 *   nearest rank   the value with rank ceil(percent/100 n), counted from 1: always one of the n values
 *   type 7         linear interpolation at index (n-1)p, p from 0 to 1 (Hyndman and Fan 1996; R, NumPy and
 *                  spreadsheets): for quartiles, Tukey's fences, and the bounds of intervals
 */
#ifndef HD_STATS_ORDER_H
#define HD_STATS_ORDER_H

#include <stddef.h>

void hd_order_sort(double *v, size_t n);

/*
 * Move the value of each rank in ranks[] (counted from 0) to the index of that rank.  The values before it are then not
 * larger, and those after it not smaller.  ranks[] is ascending, and each rank is below n.
 */
void hd_order_select(double *v, size_t n, const size_t *ranks, size_t nranks);

/* Return the index of the nearest rank of `percent` (0..100) among n > 0 values. */
size_t hd_order_nearest(size_t n, unsigned percent);

/*
 * Return the percentile at p (0..1) of n > 0 values, by type 7.  The values are sorted, or hd_order_select() has placed
 * those at hd_order_type7_rank() and at the next index.
 */
double hd_order_type7(const double *v, size_t n, double p);
size_t hd_order_type7_rank(size_t n, double p);

/* Return the median of n > 0 sorted values; if n is even, the mean of the middle two. */
double hd_order_median(const double *sorted, size_t n);

/* Return the sum of n values, computed with compensation of rounding errors. */
long double hd_sum(const double *v, size_t n);

struct hd_weighted {
	double x, weight;
	double scale;			/* a value of the caller: hd_weighted_median() only moves it together with x */
};
/* Return the weighted median: half of the weight is on each side of this value.  Sorts w.  Returns 0 if n is 0. */
double hd_weighted_median(struct hd_weighted *w, size_t n);

#endif
