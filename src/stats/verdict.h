/*
 * verdict.h - did a symbol get slower, and did the profile as a whole?
 *
 * A row's limit is a relative change: `limit` (10 %), but at least what makes `floor` (0.5 %) of
 * the base total; a symbol that is new has the floor alone.
 *
 *     FAIL          its change is at least the limit; q (one-sided, Benjamini-Hochberg over gated rows, each weighted by
 *                   1 / its limit) is at most 0.05; and p is below the guard
 *     SHIFT         it would be FAIL, but one of its domains did not grow: the cost came from another row
 *     PASS          the one-sided 95 % upper bound of its change is below the limit
 *     INCONCLUSIVE  neither; runs_needed per side decide it with a probability of about 0.8
 *
 * Guard: if nothing changed, a row FAILs by chance with at most min(P(change >= limit), p).  The guard is the p at which
 * these sum to `alpha` (0.3 %) over the gated rows.  It has no effect where limits are many standard errors away, and is
 * what keeps small profiles from failing by chance.  Counts below HD_FEW_SAMPLES are also tested exactly (conditional
 * binomial), and the larger p counts, because ln(y + 1/2) is not normal there.
 *
 * Two readings (total.h): if work is not known and most symbols got cheaper, the untouched ones look slower relative to
 * them.  So a change is taken as the smaller of the change relative to the level and the change as it is.
 *
 * Gated rows: a share pooled over both sides of at least floor/2.  Pooling makes the choice independent of the
 * difference if nothing changed, and lets a cold symbol that becomes hot be gated.  Only a row whose cost is at least the
 * floor on one side can make the profile INCONCLUSIVE.
 *
 * A domain is a sum of rows that would hide a move of cost between them, such as what lies under the same caller, or a
 * function with what it calls.  hd_domain_stay() tests whether it grew.  The limit is that of the row, taken as cost; a row
 * that grew by more than twice as much, as one that is renamed or inlined into does, has the limit of its domain as if that
 * were one symbol.  A row whose domain stayed is a SHIFT; one whose domain is unclear is INCONCLUSIVE.
 *
 * The profile: NOT_COMPARABLE if a precondition says so; else FAIL if a gated row or the total is; else INCONCLUSIVE if a
 * gated row or the total is; else PASS.  An improvement and a SHIFT never fail.
 */
#ifndef HD_STATS_VERDICT_H
#define HD_STATS_VERDICT_H

#include "stats/variance_model.h"
#include "stats/outcome.h"
#include "stats/total.h"

struct hd_verdict_opts {
	double limit, floor, q;		/* 0.10, 0.005, 0.05 */
	double alpha;			/* 0.003: false FAILs a comparison, if nothing changed */
	struct hd_total_opts total;
	size_t rest;			/* the last `rest` rows are no symbols: they count in the totals only */
};
extern const struct hd_verdict_opts hd_verdict_defaults;

/* Domains of a row: two sums with other rows, and the sum with the row of its old name. */
enum { HD_DOMAIN_OLD_NAME = 2, HD_DOMAINS_PER_ROW, HD_RUNS_NEEDED_MAX = 99, HD_FEW_SAMPLES = 400 };
#define HD_NO_DOMAIN SIZE_MAX

/* Sums over rows, and which of them each row belongs to. */
struct hd_domains {
	size_t n;
	const double *y;			/* n x runs */
	size_t (*of)[HD_DOMAINS_PER_ROW];	/* of each row, or HD_NO_DOMAIN */
	double p; /* at which the growth of a domain is believed: alpha / rows that failed */
};

/*
 * Did a domain grow?
 *
 *     STAYED    the 95 % upper bound of its growth is below the limit, and it grew by less than half of the row's growth
 *     GREW      its bound does not exclude the row's growth, so that it explains nothing (this does not apply to the old
 *               name, which is the same symbol); or it grew by the limit, or by half of the row's growth, with a p of
 *               hd_domains.p at most
 *     UNCLEAR   none of these: it explains the row, but may have grown
 */
enum hd_stay { HD_STAY_GREW, HD_STAY_UNCLEAR, HD_STAY_STAYED };

struct hd_symbol_verdict {
	struct hd_moderated test;
	double share_base, share_head;	/* of the side's samples */
	double cost_head;		/* of the base total: share_base times the ratio of costs */
	bool is_new, is_gone, gated;
	double change, lo, hi; /* relative, with the 95 % interval; relative to the level if work is not known */
	double least;			/* the smaller of `change` and the change as it is */
	bool improved;			/* it got cheaper under both readings */
	double upper;			/* the one-sided bound */
	double limit;			/* relative */
	double p, q;			/* that it grew by `least`; q is NaN when not gated */
	double q_changed;		/* that it changed relative to the level: two-sided, over gated rows */
	enum hd_verdict verdict;
	unsigned
		runs_needed; /* of INCONCLUSIVE; HD_RUNS_NEEDED_MAX + 1: more than that; 0: it grew only relative to others */
	double s_common;		/* standard deviation of one run at the share pooled over both sides */
	double counted; /* the part of its variance that counting explains, 0 .. 1: longer runs reduce it */
	size_t shift_domain;		/* of SHIFT */
};

struct hd_judged_profile {
	enum hd_verdict verdict;
	size_t gated, failed, shifted, unsure;
	struct hd_total total;
	double net;			/* relative change of the total cost */
};

/* Is it worth looking for where the cost of this row came from?  It FAILs, or is new and undecided. */
bool hd_may_be_shift(const struct hd_symbol_verdict *s);

/* The verdict of a profile with so many failed and undecided rows. */
enum hd_verdict hd_verdict_overall(size_t failed, size_t unsure, enum hd_verdict total);

/*
 * d, k: a domain of row `s` in this slot (0 .. HD_DOMAINS_PER_ROW - 1); base: samples of an average base run, all rows.
 * GREW if the slot is empty.
 */
enum hd_stay hd_domain_stay(const struct hd_domains *d, size_t row, size_t k, const struct hd_symbol_verdict *s,
	const struct hd_run_counts *in, const struct hd_variance_model *m, double base,
	const struct hd_verdict_opts *o);

/* rows: one a symbol.  domains may be NULL.  comparable: preconditions hold. */
int hd_verdicts(struct hd_judged_profile *out, struct hd_symbol_verdict *rows, const struct hd_run_counts *in,
	const struct hd_variance_model *m, const struct hd_domains *domains, const struct hd_verdict_opts *o,
	bool comparable);

#endif
