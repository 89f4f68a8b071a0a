/*
 * total.h - did the program as a whole get slower?
 *
 * The total is the cost of all rows together, per unit of work if the work is known.  The level is what most symbols did
 * (run_sizes.h).  If they moved together, two readings explain it equally well:
 *
 *     machine   the machine was slower, or there was more work; symbols are to be compared relative to the level
 *     program   most of the program got slower; symbols are to be compared as they are
 *
 * A profile alone cannot tell which holds.  The number of work units can, and so can a latency that moved as well.
 *
 *     FAIL          the total grew by `limit_total` at least, p (one-sided) at most `p_total`; without a second
 *                   observation, under both readings
 *     INCONCLUSIVE  without a second observation, the level moved: its 95 % interval excludes 0, and it is beyond
 *                   limit_total in either direction.  Also if the total's upper bound is not below the limit
 *     PASS          the one-sided 96 % upper bound of the total's change is below the limit.  For the bound, the variance
 *                   of runs is drawn towards 2 %, because a few runs may agree by chance
 */
#ifndef HD_STATS_TOTAL_H
#define HD_STATS_TOTAL_H

#include "stats/variance_model.h"
#include "stats/outcome.h"

struct hd_total_opts {
	double limit;			/* relative: 0.06 */
	double p;			/* of a FAIL: 0.005 */
};

struct hd_total {
	struct hd_movement cost;		/* of the total, per unit of work if known */
	struct hd_movement level;		/* of most symbols; d is 0 if the work is known */
	double limit, upper;		/* relative; upper: one-sided 96 % bound of cost */
	bool level_moved, work;		/* work: it is known */
	struct hd_moderated relative;	/* the total relative to the level */
	enum hd_verdict verdict;	/* with the work if it is known, else by the profile alone */
	enum hd_verdict observed;	/* if a second observation says that the program moved */
};

/* Judge again without growth that is accepted: `accepted` of the base total, 0 .. */
void hd_total_without(struct hd_total *t, double accepted, const struct hd_total_opts *o);

/* HD_TRACK_NOMEM. */
int hd_total_judge(struct hd_total *out, const struct hd_run_counts *in, const struct hd_variance_model *m,
	const struct hd_total_opts *o);

#endif
