/*
 * bisect_class.h - is a commit on the good or on the bad side of a move?
 *
 * Two ends of a history are known, each by some runs, and differ.  Between them lies a
 * threshold: the middle, or so many per cent from the good end towards the bad one.  The
 * mean of a commit's runs is on a side when it is further from the threshold than chance:
 *
 *     t = (mean - threshold) / (s sqrt(1/n + 1/(4 n_good) + 1/(4 n_bad)))
 *
 * s the standard deviation of runs within commits, pooled over all that were measured several times, but
 * no less than that of counting samples; t with as many degrees of freedom, two-sided at
 * HD_BISECT_CLASS_ALPHA: a bisection asks a dozen times.
 */
#ifndef HD_STATS_BISECT_CLASS_H
#define HD_STATS_BISECT_CLASS_H

#include "stats/summary.h"

#include <stdbool.h>
#include <stddef.h>

#define HD_BISECT_CLASS_ALPHA 0.01
#define HD_BISECT_CLASS_SMALL_PCT 10	/* without a limit, a change that is surely smaller is none: the default limit of gate */

enum hd_bisect_class { HD_BISECT_CLASS_GOOD, HD_BISECT_CLASS_BAD, HD_BISECT_CLASS_UNSURE };
const char *hd_bisect_class_name(enum hd_bisect_class s);	/* "good", "bad", "unsure" */

/* Runs within commits: add each commit with what its runs measured. */
struct hd_bisect_class_spread {
	double sum, df;
	double counting;		/* the largest sd that counting alone gives; 0: not counted */
};
void hd_bisect_class_add(struct hd_bisect_class_spread *s, const double *v, size_t n);

struct hd_bisect_class_ends {
	double good, bad, threshold;	/* means of the ends */
	size_t n_good, n_bad;
};
/* limit: per cent of the good end, towards the bad one; 0: the middle. */
struct hd_bisect_class_ends hd_bisect_class_between(const double *good, size_t n_good, const double *bad, size_t n_bad,
	double limit);

/* n > 0 runs of a commit. */
enum hd_bisect_class hd_bisect_class_of(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s,
	const double *v, size_t n);
/* The probability that the runs of a decided commit are on the wrong side by chance: one tail.  NaN: the spread is unknown. */
double hd_bisect_class_p(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s, const double *v,
	size_t n);
/* The 95 % interval of the change from good to bad, in per cent of good.  NaN: the spread is unknown. */
struct hd_interval hd_bisect_class_change(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s);
/* Return true if that interval excludes a change of `limit` per cent in both directions; 0: of HD_BISECT_CLASS_SMALL_PCT. */
bool hd_bisect_class_unmoved(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s,
	double limit);
/* Are the ends apart, each on its side of the threshold? */
bool hd_bisect_class_moved(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s);

#endif
