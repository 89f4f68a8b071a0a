/*
 * bisect_class.h - decide whether a commit is on the good or on the bad side of a change
 *
 * The two ends of a range of commits are measured by some runs each, and differ.  The threshold lies between them: half
 * way, or a given percentage from the good end towards the bad one.  A commit is classified if the mean of its runs is
 * farther from the threshold than chance explains:
 *
 *     t = (mean - threshold) / (s sqrt(1/n + 1/(4 n_good) + 1/(4 n_bad)))
 *
 * s is the standard deviation of runs within commits, pooled over all commits with several runs, but at least the
 * standard error of counting samples.  The test is two-sided at HD_BISECT_CLASS_ALPHA.  This level is low, because a
 * bisection makes about a dozen tests.
 */
#ifndef HD_STATS_BISECT_CLASS_H
#define HD_STATS_BISECT_CLASS_H

#include "stats/summary.h"

#include <stdbool.h>
#include <stddef.h>

#define HD_BISECT_CLASS_ALPHA 0.01
/*
 * The default limit of hd_bisect_class_unmoved(), in per cent: the ends did not move if the whole 95 % interval of the
 * change is within this limit.  It is equal to the default limit of `hotdrift gate`.
 */
#define HD_BISECT_CLASS_SMALL_PCT 10

enum hd_bisect_class { HD_BISECT_CLASS_GOOD, HD_BISECT_CLASS_BAD, HD_BISECT_CLASS_UNSURE };
const char *hd_bisect_class_name(enum hd_bisect_class s);	/* "good", "bad", "unsure" */

/*
 * Sums from which the variance of runs of the same commit is computed, pooled over commits.  The caller
 * zero-initialises the struct, calls hd_bisect_class_add() once per commit, and sets `counting`.  A commit with fewer
 * than two runs adds nothing.
 */
struct hd_bisect_class_spread {
	double sum, df;			/* sum of squared deviations from the commits' means; its degrees of freedom */
	/* largest standard error of a value due to counting samples, in its unit; 0: the values are not counts */
	double counting;
};
void hd_bisect_class_add(struct hd_bisect_class_spread *s, const double *v, size_t n);

struct hd_bisect_class_ends {
	double good, bad, threshold;	/* good, bad: means */
	size_t n_good, n_bad;
};
/*
 * Compute the threshold between the two ends.  limit: distance of the threshold from the good end towards the bad end,
 * in per cent of the good end; 0: the threshold is half way between the ends.
 */
struct hd_bisect_class_ends hd_bisect_class_between(const double *good, size_t n_good, const double *bad, size_t n_bad,
	double limit);

/*
 * Classify a commit by its n > 0 runs.  If the variance is unknown (no commit has two runs, and the values are not
 * counts), the side of the threshold decides, and the result is never UNSURE.
 */
enum hd_bisect_class hd_bisect_class_of(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s,
	const double *v, size_t n);
/*
 * Return the one-sided p-value: the probability that the mean of these runs is on its side of the threshold only by
 * chance.  NaN: the variance is unknown.
 */
double hd_bisect_class_p(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s, const double *v,
	size_t n);
/*
 * Return the 95 % interval of the change from the good end to the bad end, in per cent of the good end.  NaN: the
 * variance is unknown, or the mean of the good end is 0.
 */
struct hd_interval hd_bisect_class_change(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s);
/*
 * Return true if the 95 % interval of the change is within -limit .. limit per cent, false also if the interval is
 * unknown.  limit 0: HD_BISECT_CLASS_SMALL_PCT.
 */
bool hd_bisect_class_unmoved(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s,
	double limit);
/*
 * Return true if the ends differ significantly and the bad end is beyond the threshold.  If the variance is unknown,
 * any difference between the ends counts as significant.
 */
bool hd_bisect_class_moved(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s);

#endif
