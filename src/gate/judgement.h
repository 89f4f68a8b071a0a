/*
 * judgement.h - a comparison while it is made; what judge.c, judge_run_sets.c, judge_symbols.c and judge_shifts.c share
 */
#ifndef HD_GATE_JUDGEMENT_H
#define HD_GATE_JUDGEMENT_H

#include "history/acks.h"
#include "gate/judge.h"
#include "history/stored_stacks.h"
#include "history/symbol_matrix.h"
#include "stats/top_change.h"

struct hd_judgement {
	struct hd_comparison *c;
	struct hd_db *db;
	const struct hd_judge_opts *o;
	struct hd_log *log;
	const struct hd_run_set_member **runs;	/* base first; of a single run its history, too */
	size_t nruns, nbase;
	bool advisory;				/* one run a side and no history */
	bool own_sessions;			/* each side is a session of its own, and too few were before */
	struct hd_symbol_matrix m;
	struct hd_symbol_verdict *symbols;		/* as src/drift judged the rows */
	struct hd_total total;
	struct hd_total_opts total_opts;
	bool has_total;				/* `total` is known */
	bool unranked; /* the caller does not want the first five compared, which takes most of the time */
	const struct hd_stored_stacks *stacks;		/* of the runs; NULL: loaded from db where a row fails */
	const struct hd_session_variance *sessions;	/* earlier sessions, if each side is one; or NULL */
	struct hd_session_variance fitted;		/* what `sessions` points to, unless the caller gave it */
};

/* It is a verdict: the comparison goes no further.  Returns 0. */
int hd_judge_not_comparable(struct hd_comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * One after the other, each only when c->reason is still empty: the head's runs that are like its newest; the
 * base's that are like those; what must hold of them; the history of a single run; all runs in j->runs.
 */
int hd_judge_find_head(struct hd_judgement *j, struct hd_err *err);
int hd_judge_find_base(struct hd_judgement *j, struct hd_err *err);
int hd_judge_check(struct hd_judgement *j, struct hd_err *err);
int hd_judge_find_history(struct hd_judgement *j, struct hd_err *err);
void hd_judge_line_up(struct hd_judgement *j);
/*
 * There are too few commits (`commits`, "of history") for a verdict: the rows are advice, and the history is not
 * used.
 */
void hd_judge_advise(struct hd_judgement *j, size_t commits, const char *what);
/*
 * Drop the runs of the history that are not at the level of the base, with the matrix loaded.  Returns true if any was
 * dropped: then the runs must be lined up and the matrix loaded again.
 */
bool hd_judge_cut_history(struct hd_judgement *j);

/*
 * Return true if equal builds behave equally in all runs, whose arguments were found to agree before: the variables
 * that hotdrift.ini names have known and equal values, and no other variable is set in all runs of one side and in
 * none of the other.  Warns of such a variable.
 */
bool hd_judge_same_surroundings(struct hd_judgement *j);

/*
 * Append the total to the series, so that acknowledgements and outputs find it there; rows of symbols are known by
 * now.
 */
void hd_judge_add_total(struct hd_judgement *j);
/* The verdict, from the rows, the series and the total; rows are acknowledged by now. */
void hd_judge_decide(struct hd_judgement *j);

/* Is each side one session, and not the same? */
bool hd_judge_own_sessions(const struct hd_comparison *c);
/*
 * If it is, read earlier sessions: how much sessions differ is estimated from them (sets j->sessions).  With too few
 * of them j->own_sessions is set: nothing FAILs.  j->m is loaded, and loaded anew with the same runs.
 */
int hd_judge_find_sessions(struct hd_judgement *j, struct hd_err *err);

/* Symbols: rows of the comparison, top 5, score.  There are runs with events on both sides. */
int hd_judge_symbols(struct hd_judgement *j, struct hd_err *err);

/*
 * The rows that failed: was it the cost of something beside them?  Judges again with the
 * domains that the stored stacks show; sets partners and `within` of the rows that shifted.
 */
int hd_judge_shifts(struct hd_judgement *j, const struct hd_run_counts *in, const struct hd_variance_model *model,
	const struct hd_verdict_opts *vo, struct hd_judged_profile *judged, struct hd_err *err);

#endif
