/*
 * ddmin.h - make a failing set of items small by delta debugging
 *
 * The algorithm is ddmin (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002): subsets of
 * n items, then their complements, then finer subsets.  The result is 1-minimal: without any one of its items the test
 * does not fail, unless the budget ended first.  The number of tests is O(n log n) for a single item and O(n^2) at
 * worst.
 */
#ifndef HD_BENCH_DDMIN_H
#define HD_BENCH_DDMIN_H

#include "base/err.h"

#include <stddef.h>

/* Return 1 if the items still fail, 0 if not, or < 0.  The items are in their order; n is above 0. */
typedef int hd_ddmin_test(void *context, const size_t *items, size_t n, struct hd_err *err);

/*
 * Reduce items[0..*n-1], which fail, and set *n.  *budget is decreased by each test; at 0, the items found so far are
 * the result.  Returns 0, or < 0 from a test.
 */
int hd_ddmin(size_t *items, size_t *n, hd_ddmin_test *test, void *context, unsigned *budget, struct hd_err *err);

#endif
