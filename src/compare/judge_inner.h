/*
 * judge_inner.h - a comparison while it is made; what judge.c, judge_sides.c, judge_symbols.c and shift.c share
 */
#ifndef HD_COMPARE_JUDGE_INNER_H
#define HD_COMPARE_JUDGE_INNER_H

#include "compare/acks.h"
#include "compare/judge.h"
#include "compare/matrix.h"
#include "drift/top.h"

struct hd_judging {
	struct hd_comparison *c;
	struct hd_db *db;
	const struct hd_judge_opts *o;
	struct hd_log *log;
	const struct hd_side_run **runs;	/* base first; of a single run its history, too */
	size_t nruns, nbase;
	bool advisory;				/* one run a side and no history */
	struct hd_matrix m;
	struct hd_symbol *symbols;		/* as src/drift judged the rows */
};

/* It is a verdict: the comparison goes no further.  Returns 0. */
int hd_judge_not_comparable(struct hd_comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * One after the other, each only when c->reason is still empty: the head's runs that are like its newest; the
 * base's that are like those; what must hold of them; the history of a single run; all runs in j->runs.
 */
int hd_judge_find_head(struct hd_judging *j, struct hd_err *err);
int hd_judge_find_base(struct hd_judging *j, struct hd_err *err);
int hd_judge_check(struct hd_judging *j, struct hd_err *err);
int hd_judge_find_history(struct hd_judging *j, struct hd_err *err);
void hd_judge_line_up(struct hd_judging *j);

/* Symbols: rows of the comparison, top 5, score.  There are runs with events on both sides. */
int hd_judge_symbols(struct hd_judging *j, struct hd_err *err);

/*
 * The rows that failed: was it the cost of something beside them?  Judges again with the
 * domains that the stored stacks show; sets partners and `within` of the rows that shifted.
 */
int hd_judge_shifts(struct hd_judging *j, const struct hd_runs *in, const struct hd_model *model, const struct hd_verdict_opts *vo,
		    struct hd_judged *judged, struct hd_err *err);

#endif
