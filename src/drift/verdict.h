/*
 * verdict.h - did a symbol get slower, and did the profile as a whole?
 *
 * A row's limit is a relative change: `limit` (10 %), but no less than what makes
 * `floor` (0.5 %) of the base total; of a symbol that is new the floor alone.
 *
 *     FAIL          its change is at least the limit, and q (one-sided, BH over gated rows, each weighted by
 *                   1 / its limit) at most 0.05
 *     SHIFT         it would be FAIL, but one of its domains did not grow: the cost came from beside it
 *     PASS          the one-sided 95 % upper bound of its change lies below the limit
 *     INCONCLUSIVE  neither; runs_needed a side would decide, four times in five
 *
 * Gated rows: at least `floor` of the base total, or of the head total for a new one.
 *
 * A domain is a sum of rows that would hide a move of cost between them: what lies
 * under the same caller, or a function with what it calls.  It did not grow when the
 * upper bound of its change excludes the row's limit, taken as cost, and its growth is less than half of the row's.
 * A row that grew by more than twice as much, as one that is renamed or inlined into does, has the limit of its domain as
 * if that were one symbol.
 * Where the bound does not exclude that limit, but the growth is below it, the row is INCONCLUSIVE and not FAIL.
 *
 * The profile: NOT_COMPARABLE when a precondition says so; else FAIL if a gated row
 * is; else INCONCLUSIVE if a gated row is; else PASS.  An improvement and a SHIFT
 * never fail.
 */
#ifndef HD_DRIFT_VERDICT_H
#define HD_DRIFT_VERDICT_H

#include "drift/model.h"
#include "drift/outcome.h"

struct hd_verdict_opts {
	double limit, floor, q;		/* 0.10, 0.005, 0.05 */
	size_t rest;			/* so many rows, the last, are no symbols: they count in the totals only */
};
extern const struct hd_verdict_opts hd_verdict_defaults;

enum { HD_DOMAINS_PER_ROW = 2, HD_RUNS_NEEDED_MAX = 99 };
#define HD_NO_DOMAIN SIZE_MAX

/* Sums over rows, and which of them each row belongs to. */
struct hd_domains {
	size_t n;
	const double *y;			/* n x runs */
	size_t (*of)[HD_DOMAINS_PER_ROW];	/* of each row, or HD_NO_DOMAIN */
};

struct hd_symbol {
	struct hd_moderated test;
	double share_base, share_head;	/* of the side's samples */
	double cost_head;		/* of the base total: share_base times the ratio of costs */
	bool is_new, is_gone, gated;
	double change, lo, hi;		/* relative, with the 95 % interval */
	double upper;			/* the one-sided bound */
	double limit;			/* relative */
	double q;			/* NaN when not gated */
	double q_changed;		/* two-sided, over gated rows */
	enum hd_verdict verdict;
	unsigned runs_needed;		/* of INCONCLUSIVE; HD_RUNS_NEEDED_MAX + 1: more than that */
	size_t shift_domain;		/* of SHIFT */
};

struct hd_judged {
	enum hd_verdict verdict;
	size_t gated, failed, shifted, unsure;
	bool slower_machine;		/* all symbols together: see hd_model.shift */
	double net;			/* relative change of the total cost */
};

/* rows: one a symbol.  domains may be NULL.  comparable: preconditions hold. */
int hd_verdicts(struct hd_judged *out, struct hd_symbol *rows, const struct hd_runs *in, const struct hd_model *m,
		const struct hd_domains *domains, const struct hd_verdict_opts *o, bool comparable);

#endif
