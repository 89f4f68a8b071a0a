/*
 * ddmin.h - make a failing set of items small by delta debugging
 *
 * The algorithm is ddmin (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002): it tests
 * subsets of the n items, then their complements, then finer subsets.  The result is 1-minimal, unless the budget ended
 * first: the failure disappears if any one of its items is removed.  The number of tests is O(log n) if a single item
 * causes the failure, and O(n^2) at worst.
 */
#ifndef HD_BENCH_DDMIN_H
#define HD_BENCH_DDMIN_H

#include "base/err.h"

#include <stddef.h>

/*
 * Test whether n items (n > 0) still show the failure.  They are in their original order.  Returns 1 if they show it, 0
 * if not, < 0 on errors.
 */
typedef int hd_ddmin_test(void *context, const size_t *items, size_t n, struct hd_err *err);

/*
 * Reduce items[0..*n-1], which show a failure, to fewer items that still show it (delta debugging), and set *n.
 * *budget is decreased by one for each test.  When it is 0, the smallest set found so far is the result.  Returns 0, or
 * the negative result of a test.
 */
int hd_ddmin(size_t *items, size_t *n, hd_ddmin_test *test, void *context, unsigned *budget, struct hd_err *err);

#endif
