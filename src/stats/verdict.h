/*
 * verdict.h - judge whether symbols, and the profile as a whole, got slower
 *
 * The limit of a row is a relative change: `limit` (10 %), but at least what amounts to `floor` (0.5 %) of the base
 * total.  A new symbol has the floor alone.
 *
 *     FAIL          the change is at least the limit; q is at most 0.05 (one-sided, Benjamini-Hochberg over the gated
 *                   rows with weights 1 / limit); and p is below the guard
 *     SHIFT         the row would FAIL, but one of its domains did not grow: the cost came from another row
 *     PASS          the one-sided 95 % upper bound of the change is below the limit
 *     INCONCLUSIVE  none of these; runs_needed per side decide it with a probability of about 0.8
 *
 * Guard: if nothing changed, a row FAILs by chance with a probability of at most min(P(change >= limit), p).  The
 * guard is the p at which these sum to `alpha` (0.3 %) over the gated rows.  It has no effect if the limits are many
 * standard errors away; it keeps small profiles from failing by chance.  Counts below HD_FEW_SAMPLES are also tested
 * exactly (conditional binomial) and the larger p is used, because ln(y + 1/2) is not normal there.
 *
 * Two measures of change (total.h): if work is unknown and most symbols got cheaper, the unchanged ones seem slower
 * relative to them.  So the smaller one of the change relative to the level and the absolute change decides.
 *
 * Gated rows have a share of at least floor/2, pooled over both sides.  Pooling makes the selection independent of the
 * difference if nothing changed, and includes cold symbols that become hot.  Only a row whose cost is at least the
 * floor on one side can make the profile INCONCLUSIVE.
 *
 * A domain is a sum of rows between which cost may have moved: for example all functions under one caller, or a
 * function with its callees.  hd_domain_stay() tests whether it grew.  The limit is that of the row, taken as cost;
 * if the row grew by more than twice as much, as after a rename or inlining, the limit is that of the domain as if it
 * were one symbol.  A row whose domain stayed is a SHIFT; a row whose domain is unclear is INCONCLUSIVE.
 *
 * The profile is NOT_COMPARABLE if a precondition fails; else FAIL if a gated row or the total is; else INCONCLUSIVE
 * if a gated row or the total is; else PASS.  An improvement or a SHIFT never fails.
 */
#ifndef HD_STATS_VERDICT_H
#define HD_STATS_VERDICT_H

#include "stats/total.h"
#include "stats/variance_model.h"

struct hd_verdict_opts {
	double limit, floor, q;		/* 0.10, 0.005, 0.05 */
	double alpha;			/* upper bound (0.003) of the probability of a FAIL if nothing changed */
	struct hd_total_opts total;
	size_t rest;			/* the last `rest` rows are not symbols; only the totals include them */
};
extern const struct hd_verdict_opts hd_verdict_defaults;

/* Domains of a row: two sums with other rows, and the sum with the row of its old name. */
enum { HD_DOMAIN_OLD_NAME = 2, HD_DOMAINS_PER_ROW, HD_RUNS_NEEDED_MAX = 99, HD_FEW_SAMPLES = 400 };
#define HD_NO_DOMAIN SIZE_MAX

/* The domains of a profile, and to which of them each row belongs. */
struct hd_domains {
	size_t n;
	const double *y;			/* n x runs: sums of samples */
	size_t (*of)[HD_DOMAINS_PER_ROW];	/* for each row: indexes of its domains, or HD_NO_DOMAIN */
	double p;				/* significance level for its growth: alpha / rows that failed */
};

/*
 * The result of testing whether a domain of a row grew.  If the domain stayed the same although the row grew, the cost
 * only moved within the domain.
 *
 *     STAYED    the 95 % upper bound of the domain's growth is below the limit, and it grew by less than half of the
 *               row's growth
 *     GREW      the upper bound does not exclude that the domain grew as much as the row, so the domain does not
 *               explain the row's growth (this test is not applied to HD_DOMAIN_OLD_NAME); or the domain grew by the
 *               limit or by half of the row's growth, with a p of at most hd_domains.p
 *     UNCLEAR   neither: the domain explains the row's growth, but may have grown, too
 */
enum hd_stay { HD_STAY_GREW, HD_STAY_UNCLEAR, HD_STAY_STAYED };

struct hd_symbol_verdict {
	struct hd_moderated test;
	double share_base, share_head;	/* of the side's samples */
	double cost_head;		/* cost in the head in units of the base total: share_base * ratio of costs */
	bool is_new, is_gone, gated;
	/* relative change of cost with its 95 % interval; compared with the level if the work is unknown */
	double change, lo, hi;
	double least;			/* the smaller one of `change` and the absolute change */
	bool improved;			/* it got cheaper, both relative to the level and absolutely */
	double upper;			/* one-sided 95 % upper bound of the change */
	double limit;			/* relative */
	double p, q;			/* p and q of growth by at least `least`; q is NaN if the row is not gated */
	double q_changed;		/* q of any change relative to the level: two-sided, over gated rows */
	enum hd_verdict verdict;
	/*
	 * If INCONCLUSIVE: the number of runs per side for a verdict.  HD_RUNS_NEEDED_MAX + 1: more than that.  0:
	 * unknown, because the row grew only relative to other symbols.
	 */
	unsigned runs_needed;
	double s_common;		/* standard deviation of a run, for the mean sample count of both sides */
	double counted;			/* share of counting noise in the variance, 0 .. 1; longer runs reduce it */
	size_t shift_domain;		/* for a SHIFT: index of the domain */
};

struct hd_judged_profile {
	enum hd_verdict verdict;
	size_t gated, failed, shifted, unsure;	/* numbers of rows */
	struct hd_total total;
	double net;			/* relative change of the total cost */
};

/* Return true if it is worth searching for the origin of the row's cost: it FAILs, or is new and INCONCLUSIVE. */
bool hd_may_be_shift(const struct hd_symbol_verdict *s);

/* Return the verdict of a profile with these numbers of failed and undecided rows. */
enum hd_verdict hd_verdict_overall(size_t failed, size_t unsure, enum hd_verdict total);

/*
 * Test domain k (0 .. HD_DOMAINS_PER_ROW - 1) of a row.  s: the verdict of the row; base: samples of an average base
 * run, all rows together.  Returns GREW if the row has no such domain.
 */
enum hd_stay hd_domain_stay(const struct hd_domains *d, size_t row, size_t k, const struct hd_symbol_verdict *s,
	const struct hd_run_counts *in, const struct hd_variance_model *m, double base,
	const struct hd_verdict_opts *o);

/*
 * Judge all rows and the profile.  rows: one per symbol.  domains may be NULL.  comparable: the preconditions hold; the
 * rows are judged in any case.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_verdicts(struct hd_judged_profile *out, struct hd_symbol_verdict *rows, const struct hd_run_counts *in,
	const struct hd_variance_model *m, const struct hd_domains *domains, const struct hd_verdict_opts *o,
	bool comparable);

#endif
