/*
 * total.h - judge whether the program as a whole got slower
 *
 * The total is the cost of all symbols, per unit of work if the work is known.  The level is the change that most
 * symbols share (run_sizes.h).  If most symbols changed together, there are two explanations:
 *
 *     machine   the machine was slower, or there was more work: compare symbols relative to the level
 *     program   most of the program got slower: compare symbols as they are
 *
 * The profile alone does not decide between them.  A second observation does: the number of work units, or a latency
 * that changed as well.
 *
 *     FAIL          the total grew by at least hd_total_opts.limit, with a one-sided p of at most hd_total_opts.p;
 *                   without a second observation, it must have grown as much relative to the level, too, and the level
 *                   must not have moved (see INCONCLUSIVE)
 *     INCONCLUSIVE  without a second observation, the total grew as a FAIL requires, but not relative to the level; or
 *                   the level moved: its 95 % interval excludes 0, and it is beyond the limit in either direction.
 *                   Also if the total does not FAIL, but the upper bound of its change is not below the limit
 *     PASS          none of these: the one-sided 96 % upper bound of the total's change is below the limit.  For this
 *                   bound the variance between runs is shrunk towards 2 %, because a few runs may agree by chance
 */
#ifndef HD_STATS_TOTAL_H
#define HD_STATS_TOTAL_H

#include "stats/variance_model.h"

enum hd_verdict { HD_PASS, HD_INCONCLUSIVE, HD_FAIL, HD_SHIFT, HD_NOT_COMPARABLE };	/* verdict.h explains them */
const char *hd_verdict_name(enum hd_verdict v);

struct hd_total_opts {
	double limit;			/* relative: 0.06 */
	double p;			/* p-value at which a change FAILs: 0.005 */
};

struct hd_total {
	struct hd_movement cost;	/* change of the total, per unit of work if known */
	struct hd_movement level;	/* change of most symbols; d is 0 if the work is known */
	double limit, upper;		/* relative; upper: one-sided 96 % bound of `cost` */
	bool level_moved;
	bool work;			/* the work is known */
	struct hd_moderated relative;	/* the total relative to the level */
	/* the verdict about the total: from the work if it is known, otherwise from the profile alone */
	enum hd_verdict verdict;
	enum hd_verdict observed;	/* the verdict if a second observation shows that the program changed */
};

/*
 * Judge the total again after subtracting growth that the user accepted: `accepted` >= 0, in units of the base total.
 */
void hd_total_without(struct hd_total *t, double accepted, const struct hd_total_opts *o);

/* Judge the total.  Returns HD_STATS_OK or HD_STATS_NOMEM. */
int hd_total_judge(struct hd_total *out, const struct hd_run_counts *in, const struct hd_variance_model *m,
	const struct hd_total_opts *o);

#endif
