/*
 * verdict.h - judge whether symbols, and the profile as a whole, got slower
 *
 * A row is a symbol with its samples in each run.  The limit of a row is a relative change: `limit` (10 %), but at
 * least what amounts to `floor` (0.5 %) of the base total.  The limit of a new symbol is the floor.
 *
 *     FAIL          the change is at least the limit; q is at most 0.05 (one-sided, Benjamini-Hochberg over the gated
 *                   rows with weights 1 / limit); and p is at most the guard
 *     SHIFT         the row would FAIL, or is new and would be INCONCLUSIVE, but one of its domains did not grow: the
 *                   cost came from another row
 *     PASS          the one-sided 95 % upper bound of the change is below the limit, or the row is not gated
 *     INCONCLUSIVE  none of these; runs_needed per side decide it with a probability of about 0.8
 *
 * Guard: if nothing changed, a row FAILs by chance with a probability of at most min(P(change >= limit), p).  The guard
 * is the p at which these probabilities sum to `alpha` (0.3 %) over the gated rows.  It has no effect if the limits are
 * many standard errors away; it keeps small profiles from failing by chance.  A row with at most HD_FEW_SAMPLES samples
 * in all runs together is also tested exactly (conditional binomial), and the larger p is used, because ln(y + 1/2) is
 * not normal there.  The counts of that test are divided by the dispersion: the variance of such rows between runs of
 * one side, relative to that of Poisson counts, at least 1.
 *
 * Two measures of change (total.h): if work is unknown and most symbols got cheaper, the unchanged ones seem slower
 * relative to them.  So the smaller one of the change relative to the level and the absolute change decides.  A fall of
 * the level by less than two standard errors counts in part, and by less than one not at all.  If work is unknown and
 * some rows changed significantly against the level, a slower machine alone does not explain the level.
 * A row whose absolute change is significant and at least its limit is then INCONCLUSIVE instead of PASS.
 *
 * Gated rows have a share of at least floor/2, pooled over both sides.  Pooling makes the selection independent of the
 * difference if nothing changed, and includes cold symbols that become hot.  If the head has fewer runs than the base,
 * the selection depends on the difference; then the sum of the guard is over the other rows, too, each with the
 * probability that chance gives it the floor in the head.  Only a row whose cost is at least the floor on one side can
 * make the profile INCONCLUSIVE.
 *
 * A domain is a sum of rows between which cost may have moved: for example all functions under one caller, or a
 * function with its callees.  hd_domain_stay() tests whether it grew.  The limit of the domain is that of the row,
 * converted to cost; if the row grew by more than twice as much, as after a rename or inlining, the limit is that of
 * the domain as if it were one symbol, but at most half of the row's growth.  A row whose domain stayed is a SHIFT; a
 * row whose domain is unclear is INCONCLUSIVE.
 *
 * The profile is NOT_COMPARABLE if a precondition fails; else FAIL if a gated row or the total is; else INCONCLUSIVE if
 * a gated row or the total is; else PASS.  An improvement or a SHIFT never fails.
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

/*
 * A domain is a sum of rows between which cost may have moved.  Each row has up to three domains.  Numbers 0 and 1 are
 * sums over this row and others.  HD_DOMAIN_OLD_NAME is the sum of this row and the row of the symbol's old name.
 */
enum { HD_DOMAIN_OLD_NAME = 2, HD_DOMAINS_PER_ROW, HD_RUNS_NEEDED_MAX = 99, HD_FEW_SAMPLES = 400 };
#define HD_NO_DOMAIN SIZE_MAX

/*
 * The domains of a profile (sums of rows between which cost may have moved), and for each row the domains that contain
 * it.
 */
struct hd_domains {
	size_t n;
	const double *y;			/* n x runs: sums of samples */
	size_t (*of)[HD_DOMAINS_PER_ROW];	/* for each row: indexes of its domains, or HD_NO_DOMAIN */
	/*
	 * significance level for the test whether a domain grew: alpha / number of tested rows (those that may be
	 * shifts)
	 */
	double p;
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
	double share_base, share_head;	/* part of the side's samples */
	/* cost in the head, in units of the base total: share_base * ratio of costs; of a new row: from share_head */
	double cost_head;
	bool is_new, is_gone, gated;
	/* relative change of cost, with its 95 % interval; if the work is unknown, relative to the level (total.h) */
	double change, lo, hi;
	/* the smaller one of `change` and the absolute change; of a fall of the level, only the part above counts */
	double least;
	/* the row became cheaper, both relative to the change of most symbols and absolutely */
	bool improved;
	double upper;			/* one-sided 95 % upper bound of the change */
	double limit;			/* relative; 0 for a new row, whose limit is the floor */
	/*
	 * p: probability that noise alone makes the row grow by `least`.  q: p adjusted for the number of gated rows;
	 * NaN if this row is not gated.
	 */
	double p, q;
	/*
	 * q-value of a change in either direction, relative to the change of most symbols; two-sided, over the gated
	 * rows
	 */
	double q_changed;
	enum hd_verdict verdict;
	/*
	 * If the verdict is INCONCLUSIVE: the number of runs per side that is needed for a verdict.  HD_RUNS_NEEDED_MAX
	 * + 1: more than HD_RUNS_NEEDED_MAX.  0: unknown, because the row grew only relative to other symbols.
	 */
	unsigned runs_needed;
	double s_common;		/* standard deviation of a run at the mean sample count of both sides */
	/* share (0 .. 1) of the variance that comes from counting samples; longer runs reduce it */
	double counted;
	size_t shift_domain;		/* for a SHIFT: index of the domain */
};

struct hd_judged_profile {
	enum hd_verdict verdict;
	/* numbers of rows; unsure: the INCONCLUSIVE ones whose cost is at least the floor on one side */
	size_t gated, failed, shifted, unsure;
	struct hd_total total;
	double net;			/* relative change of the samples of a run, or of a unit of work if known */
};

/*
 * Return true if it is worth searching for a row that lost the cost which this row gained: this row FAILs, or it is new
 * and INCONCLUSIVE.
 */
bool hd_may_be_shift(const struct hd_symbol_verdict *s);

/*
 * Return the verdict about a comparable profile in which `failed` rows FAIL and `unsure` rows are INCONCLUSIVE.  total:
 * the verdict about its total.
 */
enum hd_verdict hd_verdict_overall(size_t failed, size_t unsure, enum hd_verdict total);

/*
 * Test whether domain k (0 .. HD_DOMAINS_PER_ROW - 1) of a row grew.  s: the verdict of the row; base: samples of an
 * average base run, all rows together.  Returns GREW if the row has no such domain, if the domain has no samples in the
 * base, or if its variance is unknown.
 */
enum hd_stay hd_domain_stay(const struct hd_domains *d, size_t row, size_t k, const struct hd_symbol_verdict *s,
	const struct hd_run_counts *in, const struct hd_variance_model *m, double base,
	const struct hd_verdict_opts *o);

/*
 * Judge all rows and the profile.  rows: results, one per symbol.  domains may be NULL.  comparable: the preconditions
 * of a comparison hold; if not, the rows are judged nevertheless.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_verdicts(struct hd_judged_profile *out, struct hd_symbol_verdict *rows, const struct hd_run_counts *in,
	const struct hd_variance_model *m, const struct hd_domains *domains, const struct hd_verdict_opts *o,
	bool comparable);

/*
 * Fit the model, which the caller releases, and judge all rows and the profile.  If `in_turns` is set (the machine was
 * the same for both sides) and most symbols changed, the program did.  The rows are then judged again as they are, that
 * is, as if each run had done the same work: relative to the others, a function that is most of the profile would seem
 * unchanged.  `in->work` then becomes `same`, which has room for base + head values.  *total is that of the first
 * judgement, which tells whether the level moved.  Returns HD_STATS_OK, or another status without a model.
 */
int hd_verdicts_fit(struct hd_judged_profile *out, struct hd_total *total, struct hd_symbol_verdict *rows,
	struct hd_variance_model *m, struct hd_run_counts *in, double *same, const struct hd_verdict_opts *o,
	bool in_turns);

#endif
